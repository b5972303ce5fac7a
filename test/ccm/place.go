package ccm

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Place is what measured times depend on, for results that are published.
type Place struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Machine string `json:"machine"`
	// Load is the machine's at the beginning, by others, and CPUs what it has.
	Load float64 `json:"load"`
	CPUs int     `json:"cpus"`
}

// Here returns the place before a run.
func Here() (p Place) {
	p.CPUs, p.Date = runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly)
	p.Machine = fmt.Sprintf("%d × %s, %s/%s, %s", p.CPUs, processor(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if average, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(average), &p.Load) // 0 where it is not known
	}
	if out, err := exec.Command("git", "rev-parse", "--short=9", "HEAD").Output(); err == nil {
		p.Commit = strings.TrimSpace(string(out))
	}
	return p
}

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)

func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // empty where it is not known
	if found := modelName.FindSubmatch(info); found != nil {
		return string(found[1])
	}
	return "unknown processor"
}

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc, see proc(5): USER_HZ is 100 on all that Go runs on.
const tick = 10 * time.Millisecond

// process is one of the machine at a time.
type process struct {
	parent int
	// begun tells processes of one number apart. used is the processor time of it and of its children that have ended.
	begun string
	used  time.Duration
}

// machineUse is what was used of the machine's processors until a time, nil where the machine does not tell.
type machineUse struct {
	processes map[int]process
	// stolen is what other virtual machines took.
	stolen time.Duration
}

// useOf reads what was used of a machine, whose /proc is at that path.
func useOf(proc string) *machineUse {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return nil
	}
	u := &machineUse{processes: map[int]process{}}
	if fields := strings.Fields(string(text)); len(fields) > 8 { // cpu user nice system idle iowait irq softirq steal
		u.stolen = ticks(fields[8])
	}
	all, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	for _, file := range all {
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// The name is in parentheses, and may have any characters.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) < 20 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		u.processes[id] = process{parent: parent, begun: fields[19], used: ticks(fields[11]) + ticks(fields[12]) + ticks(fields[13]) + ticks(fields[14])}
	}
	return u
}

func ticks(text string) time.Duration {
	n, _ := strconv.ParseInt(text, 10, 64)
	return time.Duration(n) * tick
}

// ours reports whether a process has to do with another one: it descends from that, or that from it. Threads of the kernel, which
// descend from process 2, work for whoever.
func (u *machineUse) ours(id, self int) bool {
	descends := func(id, from int) bool {
		for range len(u.processes) {
			if id == from {
				return true
			}
			p, known := u.processes[id]
			if !known {
				return false
			}
			id = p.parent
		}
		return false
	}
	return descends(id, self) || descends(self, id) || descends(id, 2)
}

// takenSince returns what other programs and other virtual machines have taken since before. What ended meanwhile counts where its parent goes on.
func (u *machineUse) takenSince(before *machineUse, self int) time.Duration {
	if u == nil || before == nil {
		return 0
	}
	taken := u.stolen - before.stolen
	for id, p := range u.processes {
		if u.ours(id, self) {
			continue
		}
		taken += p.used
		if was, known := before.processes[id]; known && was.begun == p.begun {
			taken -= was.used
		}
	}
	return max(0, taken)
}

// useByOthers measures which share of this machine's processors others take until the returned function is called.
func useByOthers() func() float64 {
	const here = "/proc"
	before, began := useOf(here), time.Now()
	return func() float64 {
		taken := useOf(here).takenSince(before, os.Getpid())
		return taken.Seconds() / (time.Since(began).Seconds() * float64(runtime.NumCPU()))
	}
}

// percent is a share of processors as people read it.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

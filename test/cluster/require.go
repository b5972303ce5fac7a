package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// required are the programs of a node that are not built here, and what brings them.
var required = []string{"containerd", "ctr", "runc", "ip", "iptables", "nsenter"}

// pluginDirs are where CNI plugins may be: Debian's packages', everybody else's.
var pluginDirs = []string{"/usr/lib/cni", "/opt/cni/bin"}

// Missing says in one line what this machine lacks to run a cluster, nil when nothing.
func Missing() error {
	if runtime.GOOS != "linux" {
		return errors.New("nodes need Linux")
	}
	if os.Geteuid() != 0 {
		return errors.New("nodes need root")
	}
	var missing []string
	for _, name := range required {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if _, err := plugins(); err != nil {
		missing = append(missing, "the CNI plugin bridge")
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: not installed; on Debian `make node-deps` does that", strings.Join(missing, ", "))
	}
	return nil
}

// plugins returns the folder of the CNI plugins.
func plugins() (string, error) {
	for _, dir := range pluginDirs {
		if _, err := os.Stat(filepath.Join(dir, "bridge")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("finding the CNI plugins: there is no bridge in %s", strings.Join(pluginDirs, ", "))
}

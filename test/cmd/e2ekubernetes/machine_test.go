package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// look returns what this machine has that a run could leave behind, one text for each thing.
func look(t *testing.T) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	for kind, args := range map[string][]string{
		"network namespace": {"ip", "netns", "list"},
		"link":              {"ip", "-o", "-brief", "link"},
		"route":             {"ip", "-4", "route", "show", "table", "all"},
		"routing rule":      {"ip", "rule"},
		"nftables rule":     {"nft", "--stateless", "list", "ruleset"},
		"mount":             {"cut", "-d", " ", "-f", "5", "/proc/self/mountinfo"},
	} {
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			t.Fatalf("running %v: %v", args, err)
		}
		for line := range strings.Lines(string(out)) {
			if kind == "link" {
				line, _, _ = strings.Cut(line, " ")
			}
			there[kind+" "+strings.TrimSpace(line)] = true
		}
	}
	for kind, patterns := range map[string][]string{
		"cgroup": {"/sys/fs/cgroup/mccm-*", "/sys/fs/cgroup/*/mccm-*"},
		"folder": {"/var/lib/multicloud-ccm-test/*[0-9]"},
	} {
		for _, pattern := range patterns {
			found, err := filepath.Glob(pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				there[kind+" "+path] = true
			}
		}
	}
	return there
}

// added returns what is there now, of a kind or of all kinds, and was not before.
func added(before, now map[string]bool, kind string) (list []string) {
	for thing := range now {
		if !before[thing] && strings.HasPrefix(thing, kind) {
			list = append(list, thing)
		}
	}
	slices.Sort(list)
	return list
}

// process is one of this machine.
type process struct {
	pid, parent, session int
	args                 []string
	namespaces           map[string]bool
}

func (p process) String() string {
	return fmt.Sprintf("process %d, %s", p.pid, strings.Join(p.args, " "))
}

// processes returns all. One that ends meanwhile may be missing.
func processes(t *testing.T) (list []process) {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		p, err := readProcess(folder)
		switch {
		case err == nil:
			list = append(list, p)
		case !gone(err):
			t.Fatal(err)
		}
	}
	return list
}

func readProcess(folder string) (p process, err error) {
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return p, err
	}
	// Its name may have spaces and brackets. Behind it are the state, the parent, the group and the session.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var problems [3]error
	p.pid, problems[0] = strconv.Atoi(filepath.Base(folder))
	p.parent, problems[1] = strconv.Atoi(string(fields[1]))
	p.session, problems[2] = strconv.Atoi(string(fields[3]))
	args, err := os.ReadFile(filepath.Join(folder, "cmdline"))
	p.args = strings.Split(strings.TrimRight(string(args), "\x00"), "\x00")
	p.namespaces = namespaces(filepath.Base(folder))
	return p, errors.Join(append(problems[:], err)...)
}

// gone reports whether an error says that a process has ended.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}

// namespaces are those of a process, as far as it still has them.
func namespaces(pid string) map[string]bool {
	all := map[string]bool{}
	for _, kind := range []string{"net", "mnt", "pid"} {
		if name, err := os.Readlink(filepath.Join("/proc", pid, "ns", kind)); err == nil {
			all[name] = true
		}
	}
	return all
}

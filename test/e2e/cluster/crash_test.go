package cluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// victim, when set in the environment, turns the test program into a process that starts a
// cluster, says where and waits to be killed.
const victim = "MCCM_TEST_VICTIM"

var small = cluster.Options{Nodes: 1, Balancers: true, DNS: true, Progress: os.Stderr}

func beVictim() int {
	c, err := cluster.Start(context.Background(), small)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.Dir())
	select {}
}

// A process that is killed leaves no process, device or mount behind, and the next cluster
// takes its place and removes the rest.
func TestKilledClusterLeavesNothingInTheWay(t *testing.T) {
	ctx := within(t, patience)
	dir := killVictim(t)
	number := filepath.Base(dir)
	eventually(t, func(context.Context) error {
		if _, err := net.InterfaceByName("mccm" + number); err == nil {
			return errors.New("the device to the cluster is still there")
		}
		return running(dir)
	})
	c, err := cluster.Start(ctx, small)
	if err != nil {
		t.Fatal(err)
	}
	if err := onlyInside(ctx); err != nil {
		t.Error(err)
	}
	if c.Dir() != dir {
		t.Errorf("the next cluster is in %s, want the place of the one that was killed, %s", c.Dir(), dir)
	}
	for range 2 {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(running(dir), onlyInside(ctx)); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob("/sys/fs/cgroup/*/mccm-" + number + "-*")
	if _, statErr := os.Stat(dir); err != nil || len(left) > 0 || !errors.Is(statErr, os.ErrNotExist) {
		t.Errorf("left behind: cgroups %v (%v), folder %s (%v)", left, err, dir, statErr)
	}
}

// onlyInside returns an error where the data plane of a cluster shows on the machine itself, in its routes or its firewall.
func onlyInside(ctx context.Context) error {
	for _, args := range [][]string{{"ip", "-o", "addr"}, {"ip", "route", "show", "table", "all"}, {"ip", "rule"}, {"nft", "list", "ruleset"}} {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
		if err != nil {
			return fmt.Errorf("running %v: %w", args, err)
		}
		for _, sign := range []string{"198.19.", "198.51.100.", "fwmark", "table ip balancers"} {
			if strings.Contains(string(out), sign) {
				return fmt.Errorf("%v of this machine has %q:\n%s", args, sign, out)
			}
		}
	}
	return nil
}

// killVictim starts a process with a cluster, kills it and returns the cluster's folder.
func killVictim(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victim+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // says that it was killed
	return strings.TrimSpace(line)
}

// running returns an error that names a process whose log is in dir: any program of that
// cluster. Containers are found by their cgroups, which cannot be removed while they run.
func running(dir string) error {
	logs, err := filepath.Glob("/proc/[0-9]*/fd/1")
	if err != nil {
		return err
	}
	for _, log := range logs {
		if target, err := os.Readlink(log); err == nil && strings.HasPrefix(target, dir+"/") {
			return fmt.Errorf("%s still writes to %s", log, target)
		}
	}
	return nil
}

func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	must(t, eventuallyWithin(t, patience, check))
}

func eventuallyWithin(t *testing.T, limit time.Duration, check func(context.Context) error) error {
	return controlplane.Eventually(within(t, limit), check)
}

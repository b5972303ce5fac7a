package upstream_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	// nodes is how many Nodes there are, silent how many of them have a kubelet that does not report.
	nodes, silent = 12, 10
	// watched is for how long Nodes are counted.
	watched = time.Minute
	// patience bounds each wait.
	patience = 2 * time.Minute
)

// noRoutes are flags of AWS's own CCM, which does not start without a pod network otherwise.
var noRoutes = []string{"--configure-cloud-routes=false"}

// manager is a CCM that is tried.
type manager struct {
	name, binary, kubeconfig string
	args                     []string
}

// TestStartedWithAnotherAccount starts each CCM in a healthy cluster, some of whose kubelets do not report, and then
// again with the configuration of another account, which has none of the machines. The first page of the
// documentation has what is left.
func TestStartedWithAnotherAccount(t *testing.T) {
	upstream, version := buildUpstream(t)
	l := start(t)
	managers := []manager{
		{name: "AWS's own CCM, `k8s.io/cloud-provider-aws` " + version, binary: upstream, kubeconfig: l.AdminKubeconfig(), args: noRoutes},
		// The grace of two minutes, for Nodes that have just joined, would keep them whatever else happens.
		{name: "multicloud-ccm", binary: l.Binary(), kubeconfig: l.Kubeconfig(), args: []string{"--node-deletion-grace=1s"}},
	}
	want := []int{nodes - silent, nodes}
	var table strings.Builder
	fmt.Fprintf(&table, "| %d Nodes, %d of them not Ready; the CCM is started with the configuration of another account | Nodes after %.0f s |\n|---|---:|\n", nodes, silent, watched.Seconds())
	for i, m := range managers {
		left := tried(t, l, m)
		if left != want[i] {
			t.Errorf("%s: %d of %d Nodes are left, want %d", m.name, left, nodes, want[i])
		}
		fmt.Fprintf(&table, "| %s | %d |\n", m.name, left)
	}
	check(t, firstPage, table.String())
}

// tried returns how many Nodes a CCM leaves.
func tried(t *testing.T, l *lab.Lab, m manager) int {
	t.Helper()
	empty(t, l)
	machines, err := l.Cloud.Seed(within(t), nodes, testcloud.Machine{})
	must(t, err)
	var joined []controlplane.NodeOptions
	for i, machine := range machines {
		node := machine.Settled()
		node.Ready = i >= silent
		joined = append(joined, node)
	}
	must(t, l.JoinNodes(within(t), joined))
	stop := run(t, l, m, "right")
	during(t, l, watched/4, nodes)
	stop()
	must(t, l.Cloud.Clear(within(t))) // another account, with a configuration of its own
	stop = run(t, l, m, "wrong")
	defer stop()
	during(t, l, watched, 0)
	return count(t, l)
}

// run starts a CCM and returns what stops it.
func run(t *testing.T, l *lab.Lab, m manager, account string) func() {
	t.Helper()
	name := filepath.Base(m.binary) + "-" + account
	p, err := ccm.Start(ccm.Options{
		Binary: m.binary, Kubeconfig: m.kubeconfig, Provider: l.Provider(), Env: l.Environment(nil),
		Args: append(l.Cloud.Args(), m.args...), Dir: l.Dir(), Name: name,
	})
	must(t, err)
	must(t, p.Healthy(within(t)))
	return func() {
		select {
		case <-p.Done():
			t.Errorf("%s has ended by itself: %v", name, p.Err())
		default:
		}
		p.Kill()
		if t.Failed() {
			t.Logf("%s, end of its log:\n%s", name, p.Tail())
		}
	}
}

// during watches the Nodes for a while. It fails the test when fewer than least are left.
func during(t *testing.T, l *lab.Lab, d time.Duration, least int) {
	t.Helper()
	end := time.After(d)
	for {
		select {
		case <-end:
			return
		case <-time.After(time.Second):
			if n := count(t, l); n < least {
				t.Fatalf("%d of %d Nodes are left, want %d", n, nodes, least)
			}
		}
	}
}

func count(t *testing.T, l *lab.Lab) int {
	t.Helper()
	list, err := l.Client().CoreV1().Nodes().List(within(t), metav1.ListOptions{})
	must(t, err)
	return len(list.Items)
}

// empty takes everything out of the cluster and the account.
func empty(t *testing.T, l *lab.Lab) {
	t.Helper()
	must(t, l.Cloud.Clear(within(t)))
	_ = l.Client().CoordinationV1().Leases(lab.Namespace).DeleteCollection(within(t), metav1.DeleteOptions{}, metav1.ListOptions{})
	must(t, l.Client().CoreV1().Nodes().DeleteCollection(within(t), metav1.DeleteOptions{}, metav1.ListOptions{}))
}

// start starts a control plane and an account.
func start(t *testing.T) *lab.Lab {
	t.Helper()
	cloud, err := testcloud.Open(within(t), "aws", testcloud.Options{Progress: os.Stderr})
	must(t, err)
	l, err := lab.Start(within(t), lab.Options{Cloud: cloud, Binary: os.Getenv("CCM_BINARY")})
	must(t, err)
	t.Cleanup(l.Stop)
	return l
}

// buildUpstream builds AWS's own CCM and returns its path and version.
func buildUpstream(t *testing.T) (path, version string) {
	t.Helper()
	root, err := ccm.Root()
	must(t, err)
	path = filepath.Join(t.TempDir(), "aws-cloud-controller-manager")
	tool := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = filepath.Join(root, "test", "upstream", "aws"), append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	const module = "k8s.io/cloud-provider-aws"
	tool("build", "-trimpath", "-tags=grpcnotrace", "-ldflags=-s -w", "-o", path, module+"/cmd/aws-cloud-controller-manager")
	return path, tool("list", "-m", "-f", "{{.Version}}", module)
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("not within %s", patience))
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

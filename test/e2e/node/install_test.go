package node_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// With a wrong token at install the process lives and is not ready, the Node and the Services say why
// and what to do, and what goes on is counted and not repeated.
func TestWrongTokenAtInstall(t *testing.T) {
	s := open(t, testcloud.Balancers, testcloud.RefusedStart)
	s.pool(2)
	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: fresh.Name})
	s.must(err)
	s.refuse()
	for _, name := range []string{"one", "two"} {
		s.services.add(name)
	}
	p := s.start()
	e := s.event(fresh.Name, "CloudUnavailable", "refuses the credentials: renew them")
	if strings.Contains(e.Message, "http") || strings.Contains(e.Message, "request \"") {
		t.Errorf("the event has what belongs into the log: %s", e.Message)
	}
	if cloudName == "digitalocean" && !contains(p.Log(), "An event in full", "http") {
		t.Error("the log has not what the event leaves out")
	}
	if body, err := p.Get(s.within(patience), "/readyz", ""); err == nil || !contains(err.Error(), "403", "not ready; the log says why") {
		t.Errorf("/readyz: %q, %v", body, err)
	}
	if _, err := p.Get(s.within(patience), "/healthz", ""); err != nil {
		t.Error(err)
	}
	s.eventually(func() error { return s.joined("one", "two") })

	s.Cloud.ClearFaults()
	s.eventually(func() error { _, err := p.Get(s.within(patience), "/readyz", ""); return err })
	s.node(fresh.Name, initialised)
	s.refuse()
	if _, err := p.Get(s.within(patience), "/readyz", ""); err != nil {
		t.Errorf("a cloud that refuses later makes it not ready: %v", err)
	}
}

// joined returns nil when each Service was warned three times, with one text for each reason. The service
// controller has two reasons: SyncLoadBalancerFailed, and UpdateLoadBalancerFailed when it saw other Nodes.
func (s *site) joined(names ...string) error {
	events, err := s.Client().CoreV1().Events("default").List(s.within(patience), metav1.ListOptions{})
	s.must(err)
	warnings := map[string]map[string]string{} // by Service and reason
	count := map[string]int32{}
	for _, e := range events.Items {
		name := e.InvolvedObject.Name
		// The API server repairs addresses that it has just given, when its own check began before.
		if e.Type != corev1.EventTypeWarning || e.InvolvedObject.Kind != "Service" || e.Reason == "ClusterIPNotAllocated" {
			continue
		}
		if warnings[name] == nil {
			warnings[name] = map[string]string{}
		}
		if before, ok := warnings[name][e.Reason]; ok {
			s.t.Fatalf("%s has two warnings %s:\n%s\n%s", name, e.Reason, before, e.Message)
		}
		warnings[name][e.Reason] = e.Message
		count[name] += e.Count
	}
	for _, name := range names {
		for reason, message := range warnings[name] {
			if reason != "SyncLoadBalancerFailed" && reason != "UpdateLoadBalancerFailed" {
				s.t.Fatalf("%s has a warning %s: %s", name, reason, message)
			}
			if !contains(message, "renew them") || contains(message, "http") {
				s.t.Fatalf("%s: %s: %s", name, reason, message)
			}
		}
		if count[name] < 3 {
			return fmt.Errorf("%s was warned %d times", name, count[name])
		}
	}
	return nil
}

// A --node-ip that the machine does not have is said with both.
func TestNodeIPThatNoMachineHas(t *testing.T) {
	s := open(t, testcloud.API)
	d := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: d.Name, Annotations: map[string]string{"alpha.kubernetes.io/provided-node-ip": "198.51.100.7"}})
	s.must(err)
	s.start()
	s.event(d.Name, "NodeIPUnknown", "198.51.100.7", "InternalIP 10.")
	if got := s.program.plan("nodes"); got.code != 0 || !contains(got.stdout, "blocked", "198.51.100.7") {
		t.Errorf("code %d: %s", got.code, got.stdout)
	}
}

// With --dry-run the plans are on the standard output, and nothing else.
func TestDryRunPrintsPlans(t *testing.T) {
	s := open(t, testcloud.Balancers)
	s.pool(2)
	s.services.add("web")
	path := filepath.Join(t.TempDir(), "stdout")
	out, err := os.Create(path)
	s.must(err)
	defer out.Close()
	args := append([]string{"--dry-run", "--cloud-provider=" + s.Provider(), "--secure-port=0", "--kubeconfig=" + s.Kubeconfig()}, s.Cloud.Args()...)
	cmd := exec.CommandContext(s.within(patience), s.Binary(), args...)
	cmd.Env = append(s.Environment(nil), "HOME="+s.Dir(), ccm.NoRaceSleep)
	cmd.Stdout = out
	s.must(cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var text []byte
	s.eventually(func() error {
		text, err = os.ReadFile(path)
		s.must(err)
		if !strings.Contains(string(text), "Plan: ") {
			return fmt.Errorf("no plan: %s", text)
		}
		return nil
	})
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := len(lines) - 1
	if last < 2 || lines[0] != "Service default/web on "+s.Provider() || !strings.HasPrefix(lines[1], "  + create balancer") || !strings.HasPrefix(lines[last], "Plan: 1 to create") {
		t.Fatalf("stdout:\n%s", text)
	}
	for _, step := range lines[2:last] { // where the cloud makes a balancer of parts
		if !strings.HasPrefix(step, "    ") && step != "  in these steps:" {
			t.Errorf("line %q in\n%s", step, text)
		}
	}
}

package node_test

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// reviews are writes that keep nothing.
var reviews = map[string]bool{"tokenreviews": true, "subjectaccessreviews": true}

// With --dry-run there is everything to do, and nothing is done: the plan is in the log.
func TestDryRunChangesNothing(t *testing.T) {
	s := open(t, testcloud.Balancers)
	machines := s.pool(10)
	fresh := s.machines.seed(1)[0]
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: fresh.Name})
	s.must(err)
	s.machines.stop(machines[0])
	s.machines.remove(machines[1])
	s.services.add("web")
	s.notReady(machines[:2]...)
	nodes, services := s.Client().CoreV1().Nodes(), s.Client().CoreV1().Services("default")
	before, err := nodes.List(s.within(patience), listAll)
	s.must(err)
	service, err := services.Get(s.within(patience), "web", metav1.GetOptions{})
	s.must(err)

	p := s.start("--dry-run")
	s.eventually(func() error {
		if !contains(p.Log(), "create balancer", "Plan: 1 to create") {
			return fmt.Errorf("no plan in the log: %s", p.Tail())
		}
		return nil
	})
	for what, filter := range map[string]controlplane.AuditFilter{
		"initialises":    {Verbs: []string{"update"}, Resource: "nodes", Name: fresh.Name},
		"taints":         {Verbs: []string{"patch"}, Resource: "nodes", Name: machines[0].Name},
		"deletes":        {Verbs: []string{"delete"}, Resource: "nodes", Name: machines[1].Name},
		"adds finalizer": {Verbs: []string{"patch"}, Resource: "services/status", Name: "web"},
	} {
		s.eventually(func() error {
			if len(s.audit(filter)) == 0 {
				return fmt.Errorf("nothing %s as a dry run yet", what)
			}
			return nil
		})
	}
	s.eventually(func() error {
		if !contains(p.Log(), "Planned the load balancer, and changed nothing") {
			return fmt.Errorf("the log does not say what was planned: %s", p.Tail())
		}
		return nil
	})
	for _, lie := range []string{"Ensured load balancer", "EnsuredLoadBalancer", "] Successfully initialized"} {
		if contains(p.Log(), lie) {
			t.Errorf("a process that changes nothing says %q", lie)
		}
	}
	for _, e := range s.audit(controlplane.AuditFilter{Verbs: controlplane.WriteVerbs()}) {
		if !contains(e.RequestURI, "dryRun=All") && !reviews[e.Object.Resource] {
			t.Errorf("%s %s is a write", e.Verb, e.RequestURI)
		}
	}
	if n := s.changes(); n > 0 {
		t.Errorf("%d writes to the cloud", n)
	}
	after, err := nodes.List(s.within(patience), listAll)
	s.must(err)
	if len(after.Items) != len(before.Items) {
		t.Fatalf("%d nodes, before %d", len(after.Items), len(before.Items))
	}
	for i, node := range after.Items {
		if node.ResourceVersion != before.Items[i].ResourceVersion {
			t.Errorf("node %s was changed", node.Name)
		}
	}
	if now, err := services.Get(s.within(patience), "web", metav1.GetOptions{}); err != nil || now.ResourceVersion != service.ResourceVersion {
		t.Errorf("the Service was changed: %v", err)
	}
}

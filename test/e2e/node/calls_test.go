package node_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// A thousand nodes with default flags, within the cloud's published limits. bench measures
// more; this keeps the two promises that matter most.
func TestThousandNodes(t *testing.T) {
	const n = 1000
	s := open(t, testcloud.Many)
	s.Cloud.SetQuota(rate.Quota{Hour: 5000, Minute: 250})
	s.Cloud.SetLatency(30 * time.Millisecond)
	var nodes []controlplane.NodeOptions
	for _, m := range s.machines.seed(n) {
		node := m.Node()
		node.Ready = true
		nodes = append(nodes, node)
	}
	s.must(s.JoinNodes(s.within(patience), nodes))
	// A list may answer for 60 s, so each of these passes needs a new one.
	p, err := s.StartCCM(lab.CCMOptions{
		Name: fmt.Sprintf("%03d", launches.Add(1)), Args: []string{"--node-status-update-frequency=63s"},
	})
	s.must(err)
	t.Cleanup(func() { s.finish(p) })
	s.allInitialised(n)
	facts := s.Cloud.Facts()
	first := s.Cloud.Counters()
	if most := facts.Initialising(n); first.Total > most {
		t.Errorf("%d cloud calls to initialise %d nodes, want at most %d: %v", first.Total, n, most, first.Routes)
	}
	before := passes(p.Log())
	s.eventually(func() error {
		if passes(p.Log()) == before {
			return fmt.Errorf("no status pass yet")
		}
		return nil
	})
	// The pass that was under way before may end first; it asks for nothing more.
	s.eventually(func() error {
		if pages := s.Cloud.Counters().Of(facts.List) - first.Of(facts.List); pages < facts.Pages(n) {
			return fmt.Errorf("%d of %d pages were read again", pages, facts.Pages(n))
		}
		return nil
	})
	second := s.Cloud.Counters()
	if calls := second.Total - first.Total; calls > facts.Listing(n) {
		t.Errorf("%d cloud calls for a status pass, want at most %d", calls, facts.Listing(n))
	}
	for route, c := range second.Routes {
		if c.Status["429"] > 0 {
			t.Errorf("%s: %d answers 429", route, c.Status["429"])
		}
	}
}

// allInitialised waits until all Nodes are initialised.
func (s *site) allInitialised(n int) {
	s.t.Helper()
	last := fmt.Errorf("no node was seen")
	seen := map[string]bool{}
	watcher, err := s.Client().CoreV1().Nodes().Watch(s.within(patience), metav1.ListOptions{ResourceVersion: "0"})
	s.must(err)
	defer watcher.Stop()
	timeout := time.After(patience)
	for len(seen) < n {
		select {
		case e, ok := <-watcher.ResultChan():
			node, isNode := e.Object.(*corev1.Node)
			if !ok || !isNode {
				s.t.Fatalf("the watch ended; %d of %d nodes are initialised: %v", len(seen), n, last)
			}
			if err := initialised(node); err != nil {
				last = err
			} else {
				seen[node.Name] = true
			}
		case <-timeout:
			s.t.Fatalf("%d of %d nodes are initialised: %v", len(seen), n, last)
		}
	}
}

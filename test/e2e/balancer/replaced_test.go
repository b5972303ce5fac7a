package balancer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	// pool is how many machines are replaced at once: more than may be missing from a list of machines that is believed.
	pool = 6
	// hold is how long the Nodes of missing machines are held, in place of half an hour, and holdSlow that where each change of a load
	// balancer takes seconds.
	hold, holdSlow = 30 * time.Second, 90 * time.Second
	// promptly is how long new machines may take to be targets, beside the cloud's own time.
	promptly = 15 * time.Second
)

// TestWholePoolReplaced: all machines are replaced by others at once, without a word. While the Nodes of the old ones are held the new
// ones become targets of a load balancer, which has targets all the time. The old ones go with their Nodes.
func TestWholePoolReplaced(t *testing.T) {
	s, held := open(t, pool), hold
	if !s.Cloud.Facts().Can(testcloud.Prompt) {
		held = holdSlow
	}
	s.start("--node-deletion-mass-wait=" + held.String())
	s.service("web", 80)
	address, old := s.addressed("web"), s.machines
	first := s.are("tcp/80")[0]

	replaced, err := s.Cloud.Seed(s.within(patience), pool, testcloud.Machine{})
	s.must(err)
	s.must(s.Cloud.Remove(s.within(patience), old...))
	emptied := s.watchTargets()
	for _, m := range old {
		s.must(s.SetReady(s.within(patience), m.Name, false, ""))
	}
	joined := s.joinReady(replaced)
	s.eventually(func() error { return lacking(s.balancers(), replaced) })
	if took := s.lastWrite().Sub(joined); took > promptly {
		t.Errorf("the new machines were targets after %s, want at most %s", took, promptly)
	}
	s.must(s.nodes(2 * pool)) // the old ones are held

	s.eventually(func() error { return s.nodes(pool) })
	if last := s.are("tcp/80")[0]; last.ID != first.ID || s.addressed("web") != address {
		t.Errorf("the load balancer is %s at %s and was %s at %s", last.ID, s.addressed("web"), first.ID, address)
	}
	s.must(emptied())
}

// joinReady has machines join as their kubelets do, all at once, in the place of those that there were. It returns when they had joined.
func (s *site) joinReady(machines []testcloud.Machine) time.Time {
	s.t.Helper()
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		node := m.Node()
		node.Ready = true
		nodes = append(nodes, node)
	}
	s.must(s.JoinNodes(s.within(patience), nodes))
	s.machines = machines
	return time.Now()
}

// nodes returns an error where there are not so many Nodes.
func (s *site) nodes(want int) error {
	list, err := s.Client().CoreV1().Nodes().List(s.within(patience), metav1.ListOptions{})
	if err == nil && len(list.Items) != want {
		err = fmt.Errorf("there are %d Nodes, want %d", len(list.Items), want)
	}
	return err
}

// lacking returns an error where a load balancer lacks one of the machines as a target.
func lacking(balancers []testcloud.Balancer, machines []testcloud.Machine) error {
	if len(balancers) == 0 {
		return errors.New("there is no load balancer")
	}
	for _, b := range balancers {
		for _, m := range machines {
			if !slices.Contains(b.Targets, m.ID) {
				return fmt.Errorf("%s has the targets %v, and not %s", b.Name, b.Targets, m.ID)
			}
		}
	}
	return nil
}

// lastWrite is when the CCM last asked for a change. What follows is the cloud's own time.
func (s *site) lastWrite() (at time.Time) {
	for _, r := range s.Cloud.Requests() {
		if traffic.Mutating(r.Method) && r.Route != s.Cloud.Facts().Login && r.Start.After(at) {
			at = r.Start
		}
	}
	return at
}

// watchTargets looks at the load balancers after every request of the CCM, until the function that it returns is called. That
// returns an error where one had targets and then none: some clouds take the targets away with their machines, before anybody asks.
func (s *site) watchTargets() (emptied func() error) {
	ctx, stop := context.WithCancel(s.t.Context())
	had, seen := map[string]bool{}, make(chan error, 1)
	look := func() error {
		balancers, err := s.Cloud.Balancers(ctx)
		for _, b := range balancers {
			if had[b.ID] && len(b.Targets) == 0 {
				return fmt.Errorf("%s has lost all of its targets", b.Name)
			}
			had[b.ID] = len(b.Targets) > 0
		}
		return err
	}
	go func() {
		var wrong error
		_ = s.Cloud.Until(ctx, func() bool { // it ends when the test stops it
			if err := look(); err != nil && ctx.Err() == nil {
				wrong = err
			}
			return wrong != nil
		})
		seen <- wrong
	}()
	return func() error {
		stop()
		return <-seen
	}
}

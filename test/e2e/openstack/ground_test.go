package openstack_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// ground is what a cluster is built on: a project with two machines.
type ground struct {
	project *openstack.Project
	nodes   []*corev1.Node
	// furniture is what is in the project when a test gets it.
	furniture []string
}

// spare are the grounds that a test left as it found them. The next test gets one of them: to make
// one and to delete it costs the lab more than most tests do.
var spare grounds

type grounds struct {
	mu   sync.Mutex
	free []*ground
}

// take returns a ground, which comes back when the test ends.
func (g *grounds) take(t *testing.T) *ground {
	t.Helper()
	ours := g.reuse()
	if ours == nil {
		ours = newGround(t)
	}
	t.Cleanup(func() {
		now, err := ours.project.Inventory(context.WithoutCancel(t.Context()))
		if err == nil && !t.Failed() && slices.Equal(now, ours.furniture) {
			g.put(ours)
		} else if err := ours.project.Close(); err != nil {
			t.Errorf("cleaning the project up: %v", err)
		}
	})
	return ours
}

func (g *grounds) reuse() *ground {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.free) == 0 {
		return nil
	}
	last := len(g.free) - 1
	ours := g.free[last]
	g.free = g.free[:last]
	return ours
}

func (g *grounds) put(ours *ground) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free = append(g.free, ours)
}

// clear deletes all that nobody has.
func (g *grounds) clear() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	errs := make([]error, len(g.free))
	var all sync.WaitGroup
	for i, ours := range g.free {
		all.Go(func() { errs[i] = ours.project.Close() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// newGround makes a project and its machines.
func newGround(t *testing.T) *ground {
	t.Helper()
	project, err := openstack.Require(t).OpenProject(t.Context(), openstack.ProjectOptions{IPv6: true})
	ours := &ground{project: project}
	for i := 0; i < 2 && err == nil; i++ {
		var server openstack.Server
		server, err = project.BootServer(t.Context(), openstack.ServerOptions{Name: fmt.Sprintf("node-%d", i)})
		ours.nodes = append(ours.nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: server.Name, Labels: map[string]string{"pool": fmt.Sprintf("p%d", i)}},
			Spec:       corev1.NodeSpec{ProviderID: "openstack:///" + server.ID},
		})
	}
	if err == nil {
		ours.furniture, err = project.Inventory(t.Context())
	}
	if err != nil {
		t.Fatal(errors.Join(err, project.Close()))
	}
	return ours
}

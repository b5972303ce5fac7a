package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// patience is how long a test waits for one thing; nothing takes half of it on a machine
// that has nothing else to do.
const patience = 3 * time.Minute

// story is a cluster with a cloud, from its first node to the loss of one.
type story struct {
	*cluster.Cluster
	top      *testing.T // ends after the last chapter
	cloud    *world.World
	url      string // of the cloud
	machines map[string]world.Machine
}

// Each chapter begins where the one before has ended.
func TestCluster(t *testing.T) {
	s := &story{
		Cluster: start(t, cluster.Options{Nodes: 2, NoPodNetwork: true}),
		top:     t, machines: map[string]world.Machine{},
	}
	s.openCloud(t)
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"kubelets register tainted nodes", s.register},
		{"pods wait for the node to be initialised", s.wait},
		{"nodes become ready with a pod network", s.network},
		{"the CCM initialises nodes and pods start", s.initialise},
		{"requests reach pods on all nodes", s.balance},
		{"policy Local: only the node with the pod", s.local},
		{"a machine is removed", s.remove},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return
		}
	}
}

// openCloud starts a cloud whose machines are the nodes and whose balancers carry traffic.
func (s *story) openCloud(t *testing.T) {
	s.cloud = world.New(world.Options{Forward: true})
	for _, n := range s.Nodes() {
		m, err := s.cloud.AddMachine(world.Machine{Name: n.Name(), Addresses: []world.Address{
			{Kind: world.AddressPrivate, IP: n.Address().String()},
		}})
		must(t, err)
		s.machines[n.Name()] = m
	}
	server, err := s.cloud.Start(s.Gateway().String() + ":0") // where pods can reach it too
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	s.url = server.URL
}

// startCCM starts the CCM as a process of this machine, with the shipped permissions, until
// the end of the story.
func (s *story) startCCM(t *testing.T) {
	binary, dir := os.Getenv("CCM_BINARY"), s.top.TempDir()
	ctx := within(t, startLimit)
	if binary == "" {
		var err error
		binary, err = ccm.Build(ctx, ccm.BuildOptions{Dir: dir, Race: true})
		must(t, err)
	}
	kubeconfig, err := lab.Authorize(ctx, s.ControlPlane)
	must(t, err)
	p, err := ccm.Start(ccm.Options{
		Binary: binary, Kubeconfig: kubeconfig, Provider: "sim", Dir: dir, Name: "host",
		Env: []string{"SIM_ENDPOINT=" + s.url},
		// A young Node may be judged, and sooner; the proof that it is gone stays.
		Args: []string{"--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms"},
	})
	must(t, err)
	s.top.Cleanup(func() {
		if err := errors.Join(p.Stop(within(s.top, patience)), lab.RaceReports(p.Log())); err != nil {
			s.top.Error(err)
		}
		if s.top.Failed() {
			s.top.Logf("end of the ccm's log:\n%s", p.Tail())
		}
	})
	must(t, p.Healthy(within(t, patience)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// within returns a context for one wait.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, fmt.Errorf("not within %s", d))
	t.Cleanup(cancel)
	return ctx
}

package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

// patience is how long a test waits for one thing; nothing takes half of it on a machine
// that has nothing else to do.
const patience = 3 * time.Minute

// story is a cluster with a cloud, from its first node to the release's last.
type story struct {
	*cluster.Cluster
	cloud *install.Sim
	helm  *install.Helm
}

// Each chapter begins where the one before has ended.
func TestCluster(t *testing.T) {
	s := &story{Cluster: start(t, cluster.Options{Nodes: 2, NoPodNetwork: true})}
	s.prepare(t)
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"kubelets register tainted nodes", s.register},
		{"pods wait for the node to be initialised", s.wait},
		{"a chart that lacks what a new cluster needs", s.lack},
		{"helm install initialises nodes that are not ready", s.install},
		{"pods start with a pod network", s.network},
		{"requests reach pods on all nodes", s.balance},
		{"policy Local: only the node with the pod", s.local},
		{"helm upgrade to two pods on two nodes", s.upgrade},
		{"helm test", s.examine},
		{"the leader is killed", s.killLeader},
		{"a machine is removed", s.remove},
		{"helm uninstall with Services left behind", s.uninstall},
		{"another release takes them over", s.reinstall},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return
		}
	}
}

// prepare gives the nodes machines in a cloud whose balancers carry traffic, and the image.
func (s *story) prepare(t *testing.T) {
	var err error
	s.cloud, err = install.OpenSim(s.Cluster)
	must(t, err)
	t.Cleanup(s.cloud.Close)
	s.helm = prepare(t, s.Cluster, s.cloud)
}

// prepare makes a cluster ready for `helm install`.
func prepare(t *testing.T, c *cluster.Cluster, cloud install.Cloud) *install.Helm {
	helm, err := install.NewHelm(c.AdminKubeconfig())
	must(t, err)
	must(t, install.LoadImage(within(t, patience), c, helm, cloud))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the release's pods:\n%s", podLogs(t, c))
		}
	})
	return helm
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

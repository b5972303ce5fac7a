package node_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// watchRoutes is the gate with which upstream's controller looks after routes when Nodes change, and not each period.
const watchRoutes = "CloudControllerManagerWatchBasedRoutesReconciliation"

// With the gate and without it the routes become the same.
func TestRoutes(t *testing.T) {
	for _, watched := range []bool{false, true} {
		t.Run(fmt.Sprintf("%s=%t", watchRoutes, watched), func(t *testing.T) {
			r := openRoutes(t)
			p := r.start(fmt.Sprintf("--feature-gates=%s=%t", watchRoutes, watched),
				"--cluster-cidr=10.244.0.0/16", "--configure-cloud-routes=true", "--route-reconciliation-period=1s")
			r.become("of Nodes that were there before")
			r.later()
			r.refused()
			r.goes()
			if got := r.watched(p); got != watched {
				t.Errorf("passes that an event of a Node began: %t", got)
			}
		})
	}
}

// roads are a site, and the routes that are wanted in its cloud, by destination.
type roads struct {
	*site
	router testcloud.Router
	nodes  []testcloud.Machine
	wanted map[string]string
}

// openRoutes opens a site with three Nodes that have pod networks.
func openRoutes(t *testing.T) *roads {
	t.Helper()
	s := open(t)
	router, ok := s.Cloud.(testcloud.Router)
	if !ok {
		t.Skipf("the test does not see the routes of %s", s.Cloud.Title())
	}
	r := &roads{site: s, router: router, wanted: map[string]string{}}
	for _, m := range s.machines.seed(3) {
		r.join(m, m.Settled(), true)
	}
	return r
}

// pods is the pod network of the nth Node.
func pods(n int) string { return fmt.Sprintf("10.244.%d.0/24", n) }

// join makes the Node of a machine, whose route is wanted from now on, and returns its pod network: networked says whether
// the Node begins with it.
func (r *roads) join(m testcloud.Machine, node controlplane.NodeOptions, networked bool) string {
	r.t.Helper()
	network := pods(len(r.nodes))
	if networked {
		node.PodCIDRs = []string{network}
	}
	_, err := r.JoinNode(r.within(patience), node)
	r.must(err)
	r.nodes = append(r.nodes, m)
	r.wanted[network] = m.ID
	return network
}

// become waits until there are the wanted routes and no others, and the Nodes say that they have them.
func (r *roads) become(which string) {
	r.t.Helper()
	err := controlplane.Eventually(r.within(patience), func(context.Context) error {
		if have := r.router.Routes(); !maps.Equal(have, r.wanted) {
			return fmt.Errorf("there are %v, want %v", have, r.wanted)
		}
		return nil
	})
	if err != nil {
		r.t.Fatalf("routes %s: %v", which, err)
	}
	for n, m := range r.nodes {
		if r.wanted[pods(n)] != "" {
			r.node(m.Name, reached)
		}
	}
}

// reached is met by a Node whose route is there.
func reached(node *corev1.Node) error {
	if node == nil {
		return errors.New("there is no such node")
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionFalse && c.Reason == "RouteCreated" {
			return nil
		}
	}
	return fmt.Errorf("node %s has no route: %v", node.Name, node.Status.Conditions)
}

// later joins a Node that is not initialised, and one that gets its pod network after it has joined.
func (r *roads) later() {
	r.t.Helper()
	fresh := r.machines.seed(2)
	r.join(fresh[0], fresh[0].Node(), true)
	r.become("of a Node that joins")
	network := r.join(fresh[1], fresh[1].Node(), false)
	r.node(fresh[1].Name, initialised)
	patch := fmt.Sprintf(`{"spec":{"podCIDR":%q,"podCIDRs":[%q]}}`, network, network)
	_, err := r.Client().CoreV1().Nodes().Patch(r.within(patience), fresh[1].Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	r.must(err)
	r.become("of a Node that gets its pod network late")
}

// refused has the cloud refuse a route at first: nothing changes afterwards but that it is asked again.
func (r *roads) refused() {
	r.t.Helper()
	r.Cloud.AddFault(fault.Fault{Method: http.MethodPost, Path: r.router.RoutesPath(), Status: http.StatusInternalServerError, Times: 1})
	m := r.machines.seed(1)[0]
	r.join(m, m.Node(), true)
	r.become("that the cloud refused at first")
}

// goes takes away a machine, whose Node is deleted because of that, and a Node whose machine stays.
func (r *roads) goes() {
	r.t.Helper()
	r.machines.remove(r.nodes[0])
	r.notReady(r.nodes[0])
	r.node(r.nodes[0].Name, gone)
	delete(r.wanted, pods(0))
	r.become("without that of a removed machine")
	r.must(r.Client().CoreV1().Nodes().Delete(r.within(patience), r.nodes[1].Name, metav1.DeleteOptions{}))
	delete(r.wanted, pods(1))
	r.become("without that of a removed Node")
}

// watched says whether events of Nodes began passes, and not the period.
func (r *roads) watched(p *ccm.Process) bool {
	r.t.Helper()
	for line := range strings.Lines(r.metrics(p)) {
		if strings.HasPrefix(line, "route_controller_route_sync_total{") && strings.Contains(line, `trigger="node_change"`) {
			return true
		}
	}
	return false
}

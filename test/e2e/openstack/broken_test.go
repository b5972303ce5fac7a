package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
)

// Somebody changes a load balancer of Octavia by hand.
func TestBrokenByHand(t *testing.T) {
	s := newSite(t, siteOptions{cluster: "kubernetes"})
	clean := s.leavesNothing()
	r := relay.Start(t)
	c := s.cluster(r)
	svc := c.Apply(s.service("web", func(svc *corev1.Service) {
		svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
		svc.Annotations = map[string]string{own + "enable-health-monitor": "true"}
	}))
	c.Install(s.nodes[0].Name)
	c.Switch(switchover.Compares...)
	svc, err := c.Client().CoreV1().Services(svc.Namespace).Get(t.Context(), svc.Name, metav1.GetOptions{})
	s.must(err, "reading the Service")
	id := text(s.look(svc).lb, "id")
	change := func(method, path string, body any) {
		s.change(s.project.Balancer, method, "lbaas/"+path, body)
		s.settle(id)
	}
	writes := func() int {
		defer r.ResetTraffic()
		return len(relayed(r))
	}
	c.Broken(t, "shop/web", writes, []switchover.Breakage{
		{Name: "listener deleted", Do: func() { change(http.MethodDelete, "listeners/"+text(s.look(svc).listeners[443], "id"), nil) }, Says: "create listener tcp/443"},
		{Name: "target removed", Do: func() {
			now := s.look(svc)
			change(http.MethodDelete, "pools/"+text(now.pools[80], "id")+"/members/"+text(now.members[80][0], "id"), nil)
		}, Says: "create target "},
		{Name: "health check changed", Do: func() {
			change(http.MethodPut, "healthmonitors/"+text(s.look(svc).monitors[80], "id"), object{"healthmonitor": object{"delay": 42}})
		}, Says: "health"},
		{Name: "source ranges widened", Do: func() {
			change(http.MethodPut, "listeners/"+text(s.look(svc).listeners[80], "id"), object{"listener": object{"allowed_cidrs": []string{"0.0.0.0/0"}}})
		}, Says: "192.0.2.0/24"},
		{Name: "tag removed", Do: func() {
			tags, _ := s.look(svc).lb["tags"].([]any)
			tags = slices.DeleteFunc(slices.Clone(tags), func(tag any) bool { return strings.Contains(tag.(string), "cluster") })
			change(http.MethodPut, "loadbalancers/"+id, object{"loadbalancer": object{"tags": tags}})
		}, Says: "ownership tags", Level: "warning"},
		{Name: "renamed", Do: func() { change(http.MethodPut, "loadbalancers/"+id, object{"loadbalancer": object{"name": "mine"}}) }, Says: "name: mine → "},
	})
	c.Halt()
	s.remove(svc)
	clean()
}

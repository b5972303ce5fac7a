package hcloud_test

import (
	"flag"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

var update = flag.Bool("update", false, "write the recorded session of the documentation")

// TestSession records what the commands say about a cluster before and after the switch, each from the
// real binary, and has the doctor find nothing on it.
func TestSession(t *testing.T) {
	s := open(t)
	s.hetzner.SetDelay(0)
	c := switchover.Open(t, switchover.Options{Provider: "hcloud", Env: s.Environment(nil), Secret: s.Cloud.Secret(), Binary: s.Binary()})
	machines, err := s.Cloud.Seed(s.within(), 3, testcloud.Machine{})
	s.must(err)
	for _, m := range machines {
		c.Node(
			m.Settled(),
			corev1.NodeAddress{Type: corev1.NodeHostName, Address: m.Name},
			corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: m.Internal},
			corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: m.External},
		)
	}
	network := &hcloud.Network{ID: s.hetzner.State().Networks[0].ID}
	for _, o := range []struct{ name, called string }{{name: "web"}, {name: "named", called: "shop-1"}} {
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: o.name}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}}
		if o.called != "" {
			svc.Annotations = map[string]string{
				"load-balancer.hetzner.cloud/name": o.called, "load-balancer.hetzner.cloud/algorithm-type": "least_connections",
			}
		}
		svc = c.Apply(svc)
		c.Publish(svc, nil, s.upstreamBalancer(svc, o.called, network, machines))
	}
	page := c.Session("docs/reference/session-hcloud.md", "A session on Hetzner Cloud",
		"Commands of the program on a cluster that Hetzner's own CCM made, on an emulator of the API, and what they say. `HCLOUD_TOKEN`\nand `HCLOUD_NETWORK` are in the environment.")
	page.Switch("shop/named", machines[0].Name)
	page.End(*update)
}

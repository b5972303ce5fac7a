package digitalocean_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
)

type silent struct{}

func (silent) Record(event.Object, event.Reason, string) {}

// TestCallsOfOneLife holds what the load balancer of one Service costs, as the framework has it made and deleted.
func TestCallsOfOneLife(t *testing.T) {
	server, url := start(t)
	server.Droplets.Seed(1)
	c := run.Decorate(connect(t, url, nil), run.Options{Descriptor: digitalocean.Descriptor(), Annotations: digitalocean.Annotations()})
	var nodes []*corev1.Node
	for _, d := range server.State().Droplets {
		nodes = append(nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: d.Name, CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
			Spec:       corev1.NodeSpec{ProviderID: fmt.Sprintf("digitalocean://%d", d.ID)},
		})
	}
	all := func() []*corev1.Node { return nodes }
	manager := loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: instance.New(instance.Options{Cloud: c, Nodes: all}), Nodes: all,
		Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "prod", Events: silent{}, Metrics: metric.Discard{},
	})
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: uid, Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}},
		},
	}
	machines := func(route string) bool {
		return strings.Contains(route, "droplets") || strings.HasSuffix(route, "/account")
	}
	want := func(what string, act func() error, want ...string) {
		t.Helper()
		server.ResetTraffic()
		for range 5 {
			err := act()
			if pending := (*loadbalancer.Pending)(nil); !errors.As(err, &pending) {
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				break
			}
			server.LoadBalancers.Activate()
		}
		got := []string{}
		for _, r := range server.Requests() {
			if !machines(r.Route) {
				got = append(got, r.Route)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	want("made", func() error {
		outcome, err := manager.Ensure(t.Context(), svc, nodes)
		for key, value := range outcome.Record {
			svc.Annotations[key] = value
		}
		if outcome.Status != nil {
			svc.Status.LoadBalancer = *outcome.Status
		}
		return err
	}, "GET /v2/load_balancers", "POST /v2/load_balancers", "GET /v2/load_balancers")
	svc.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	want("deleted", func() error {
		_, exists, err := manager.Get(t.Context(), svc)
		if err != nil || !exists {
			return err
		}
		return manager.Delete(t.Context(), svc)
	}, "GET /v2/load_balancers", "DELETE /v2/load_balancers/{id}", "DELETE /v2/tags/{name}", "GET /v2/load_balancers")
}

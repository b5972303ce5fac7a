package digitalocean_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
)

// remembered are machines as they were listed: some may be gone since.
type remembered struct {
	cloud.Instances
	machines map[cloud.InstanceID]cloud.Instance
}

func (m remembered) Lookup(context.Context, []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return m.machines, nil
}

func (m remembered) ByName(context.Context, []*corev1.Node) (map[string]cloud.Instance, error) {
	return nil, nil
}

func (m remembered) Generation() any { return nil }

func (m remembered) Addresses(context.Context) (map[string]bool, error) {
	return nil, errors.New("not read here")
}

func (remembered) Outdate() {}

func (remembered) Held() bool { return false }

func (m remembered) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	return m.ParseProviderID(node.Spec.ProviderID)
}

// told are events.
type told []string

func (e *told) Record(_ event.Object, reason event.Reason, message string) {
	*e = append(*e, reason.Name+": "+message)
}

// TestDropletThatIsGone: one droplet that is gone keeps no other one from being a target, of a load balancer that is made and of
// one that is there. What DigitalOcean answers is a guess: all of them are tried.
func TestDropletThatIsGone(t *testing.T) {
	for name, answer := range map[string]struct {
		status  int
		message string
	}{
		"422 that names it":               {},
		"422 that names none":             {http.StatusUnprocessableEntity, "some droplets do not exist"},
		"422 that is not about droplets":  {http.StatusUnprocessableEntity, "invalid request"},
		"404 that names none":             {http.StatusNotFound, "The resource you were accessing could not be found."},
		"404 that says something of them": {http.StatusNotFound, "droplet not found"},
	} {
		t.Run(name, func(t *testing.T) {
			server, url := start(t)
			if answer.status != 0 {
				server.LoadBalancers.RefuseAbsent(answer.status, answer.message)
			}
			server.Droplets.Seed(5)
			c := run.Decorate(connect(t, url, nil), run.Options{Descriptor: digitalocean.Descriptor(), Annotations: digitalocean.Annotations()})
			list, err := c.Instances.List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			machines := remembered{c.Instances, map[cloud.InstanceID]cloud.Instance{}}
			var nodes []*corev1.Node
			var droplets []int
			for _, i := range list.Items {
				machines.machines[i.ID] = i
				nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: i.Name}, Spec: corev1.NodeSpec{ProviderID: i.ProviderID}})
			}
			for _, d := range server.State().Droplets {
				droplets = append(droplets, d.ID)
			}
			if err := server.Droplets.Delete(droplets[1], droplets[3]); err != nil {
				t.Fatal(err)
			}
			said := &told{}
			manager := loadbalancer.New(loadbalancer.Options{
				Cloud: c, Machines: machines, Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "prod", Events: said, Metrics: metric.Discard{},
			})
			svc := &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: uid, Annotations: map[string]string{}},
				Spec: corev1.ServiceSpec{
					Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
					Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}},
				},
			}
			settle := func(nodes []*corev1.Node, want ...int) {
				t.Helper()
				server.ResetTraffic()
				for range 30 {
					outcome, err := manager.Ensure(t.Context(), svc, nodes)
					for key, value := range outcome.Record {
						svc.Annotations[key] = value
					}
					pending, waits := errors.AsType[*loadbalancer.Pending](err)
					if err != nil && !waits {
						t.Fatal(err)
					}
					if err == nil && (outcome.Again == 0 || outcome.Again > time.Minute) || waits && pending.After > time.Minute {
						break
					}
					server.LoadBalancers.Activate()
				}
				got := server.State().Balancers
				if len(got) != 1 || !slices.Equal(slices.Sorted(slices.Values(got[0].DropletIDs)), want) {
					t.Errorf("load balancers %+v, want one with the droplets %v\n%q", got, want, *said)
				}
				writes := 0
				for _, r := range server.Requests() {
					if r.Method != http.MethodGet {
						writes++
					}
				}
				if writes > 9 {
					t.Errorf("%d writes", writes)
				}
			}
			settle(nodes[:3], droplets[0], droplets[2])
			settle(nodes, droplets[0], droplets[2], droplets[4])
			text := strings.Join(*said, "\n")
			for _, at := range []int{1, 3} {
				if want := nodes[at].Name + ": the cloud refuses it as a target"; !strings.Contains(text, "TargetSkipped") || !strings.Contains(text, want) {
					t.Errorf("said %s, want %s", text, want)
				}
			}
			server.ResetTraffic()
			if _, err := manager.Ensure(t.Context(), svc, nodes); err != nil {
				t.Fatal(err)
			}
			for _, r := range server.Requests() {
				if r.Method != http.MethodGet {
					t.Errorf("%s %s, although nothing has changed", r.Method, r.Path)
				}
			}
		})
	}
}

package upstream

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	cloudprovider "k8s.io/cloud-provider"
	_ "k8s.io/cloud-provider-gcp/providers/gce" // registers "gce"
)

const configuration = `[Global]
token-url=nil
project-id=test-project
local-zone=us-central1-a
regional=true
network-name=default
node-tags=node
api-endpoint=%s/compute/v1/
`

// lab is upstream's provider on an emulator.
type lab struct {
	emulator
	cloud    cloudprovider.Interface
	balancer cloudprovider.LoadBalancer
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{emulator: startEmulator(t)}
	key := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(key, l.ask("POST", "keys/admin@test-project.iam.gserviceaccount.com", nil), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", key)
	cloud, err := cloudprovider.GetCloudProvider("gce", strings.NewReader(fmt.Sprintf(configuration, l.url)))
	if err != nil {
		t.Fatal(err)
	}
	kubernetes := cluster(t)
	factory := informers.NewSharedInformerFactory(kubernetes.client, 0)
	if user, ok := cloud.(cloudprovider.InformerUser); ok {
		user.SetInformers(factory)
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	cloud.Initialize(kubernetes, t.Context().Done())
	l.cloud = cloud
	l.balancer, _ = cloud.LoadBalancer()
	return l
}

// step does something, checks how many writes it takes and that none is refused, and says what it took.
func (l *lab) step(what string, writes int, do func(context.Context) error) {
	l.t.Helper()
	before, began := len(l.requests()), time.Now()
	if err := do(l.t.Context()); err != nil {
		l.t.Errorf("%s: %v", what, err)
	}
	all, wrote := l.requests()[before:], 0
	for _, r := range all {
		if r.writes() {
			wrote++
		}
		if r.refused() {
			l.t.Errorf("%s: refused with %d: %s %s %s", what, r.Status, r.Method, r.Path, r.Body)
		}
	}
	l.t.Logf("%-32s %2d requests, %2d writes, %4.1f s", what, len(all), wrote, time.Since(began).Seconds())
	if wrote != writes {
		l.t.Errorf("%s: %d writes, %d were known of this version", what, wrote, writes)
	}
}

func (l *lab) ensure(what string, writes int, service *corev1.Service, machines ...*corev1.Node) {
	l.t.Helper()
	l.step(what, writes, func(ctx context.Context) error {
		status, err := l.balancer.EnsureLoadBalancer(ctx, "kubernetes", service, machines)
		if status != nil {
			service.Status.LoadBalancer = *status
		}
		return err
	})
}

func (l *lab) remove(what string, writes int, service *corev1.Service) {
	l.t.Helper()
	l.step(what, writes, func(ctx context.Context) error {
		return l.balancer.EnsureLoadBalancerDeleted(ctx, "kubernetes", service)
	})
}

func (l *lab) update(what string, writes int, service *corev1.Service, machines ...*corev1.Node) {
	l.t.Helper()
	l.step(what, writes, func(ctx context.Context) error {
		return l.balancer.UpdateLoadBalancer(ctx, "kubernetes", service, machines)
	})
}

func service(name string, number int) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(fmt.Sprintf("%08x-1111-4000-8000-000000000000", number)), Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, SessionAffinity: corev1.ServiceAffinityNone,
			Ports: []corev1.ServicePort{{Name: "web", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}},
		},
	}
}

func TestUpstream(t *testing.T) {
	l := newLab(t)
	one, two, three := node(0), node(1), node(2)
	l.nodes(one)
	l.external(one, two, three)
	l.internal(one, two, three)
	l.routes()
}

func (l *lab) nodes(one *corev1.Node) {
	instances, _ := l.cloud.InstancesV2()
	l.step("node: exists", 0, func(ctx context.Context) error {
		known, gone := one.DeepCopy(), one.DeepCopy()
		known.Spec.ProviderID, gone.Spec.ProviderID = "gce://test-project/us-central1-a/node-0", "gce://test-project/us-central1-a/node-9"
		exists, err := instances.InstanceExists(ctx, known)
		missing, gonesErr := instances.InstanceExists(ctx, gone)
		if err != nil || gonesErr != nil || !exists || missing {
			return fmt.Errorf("exists %t %w, gone %t %w", exists, err, !missing, gonesErr)
		}
		return nil
	})
	l.step("node: metadata", 0, func(ctx context.Context) error {
		metadata, err := instances.InstanceMetadata(ctx, one)
		if err == nil && (metadata.ProviderID != "gce://test-project/us-central1-a/node-0" || len(metadata.NodeAddresses) == 0) {
			return fmt.Errorf("metadata %+v", metadata)
		}
		return err
	})
}

func (l *lab) external(one, two, three *corev1.Node) {
	s := service("external", 1)
	l.ensure("external: new", 7, s, one, two)
	l.ensure("external: unchanged (S1)", 2, s, one, two)
	l.update("external: a node more", 1, s, one, two, three)
	l.update("external: two nodes less", 1, s, one)
	s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: "tls", Protocol: corev1.ProtocolTCP, Port: 443, NodePort: 30443})
	l.ensure("external: a port more", 6, s, one, two, three)
	s.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
	l.ensure("external: affinity", 6, s, one, two, three)
	s.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
	l.ensure("external: source ranges", 3, s, one, two, three)
	s.Spec.ExternalTrafficPolicy, s.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyTypeLocal, 31000
	l.ensure("external: traffic policy Local", 10, s, one, two, three)
	s.Annotations["cloud.google.com/network-tier"] = "Standard"
	l.ensure("external: Standard tier", 5, s, one, two, three)
	l.remove("external: deleted", 6, s)
	s = service("datagram", 2)
	s.Spec.Ports[0].Protocol = corev1.ProtocolUDP
	l.ensure("external UDP: new", 7, s, one, two, three)
	l.remove("external UDP: deleted", 8, s)
}

func (l *lab) internal(one, two, three *corev1.Node) {
	s := service("internal", 3)
	s.Annotations["networking.gke.io/load-balancer-type"] = "Internal"
	l.ensure("internal: new", 9, s, one, two)
	l.ensure("internal: unchanged (S1)", 2, s, one, two)
	l.update("internal: a node more", 1, s, one, two, three)
	s.Annotations["networking.gke.io/internal-load-balancer-allow-global-access"] = "true"
	l.ensure("internal: global access", 4, s, one, two, three)
	s.Spec.SessionAffinity = corev1.ServiceAffinityClientIP
	l.ensure("internal: affinity", 3, s, one, two, three)
	for port := range int32(6) {
		s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: fmt.Sprint(port), Protocol: corev1.ProtocolTCP, Port: 8000 + port, NodePort: 31000 + port})
	}
	l.ensure("internal: seven ports", 5, s, one, two, three)
	l.remove("internal: deleted", 10, s)
}

func (l *lab) routes() {
	routes, _ := l.cloud.Routes()
	var found []*cloudprovider.Route
	l.step("route: new", 1, func(ctx context.Context) error {
		return routes.CreateRoute(ctx, "kubernetes", "node", &cloudprovider.Route{TargetNode: "node-0", DestinationCIDR: "10.4.0.0/24"})
	})
	l.step("route: list", 0, func(ctx context.Context) error {
		var err error
		if found, err = routes.ListRoutes(ctx, "kubernetes"); err == nil && len(found) != 1 {
			err = fmt.Errorf("%d routes", len(found))
		}
		return err
	})
	for _, route := range found {
		l.step("route: deleted", 1, func(ctx context.Context) error { return routes.DeleteRoute(ctx, "kubernetes", route) })
	}
}

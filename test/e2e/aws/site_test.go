// Package aws_test holds the AWS driver, behind the kernel, against the APIs of a moto server:
// `make e2e-aws`.
package aws_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

func TestMain(m *testing.M) { os.Exit(aws.Run(m, os.Getenv(aws.Switch))) }

// own is the prefix of upstream's annotations.
const own = "service.beta.kubernetes.io/aws-load-balancer-"

// site is a cluster in an account: its nodes, and the CCM's manager of balancers.
type site struct {
	*testing.T
	world   *aws.World
	proxy   *proxy.Proxy
	cloud   *run.Cloud
	manager *loadbalancer.Manager
	nodes   []*corev1.Node
	events  *events
}

// siteOptions change what newSite makes.
type siteOptions struct {
	// global are further lines of [Global].
	global []string
	// ipv6 gives the VPC IPv6 networks.
	ipv6 bool
	// cluster is the id of the cluster, in the kernel's ownership tags and in AWS's tags; those of the
	// World when empty.
	cluster string
	// nodes is how many machines there are, 2 when 0.
	nodes int
	// transport carries the driver's requests, to the proxy; a plain one when nil.
	transport http.RoundTripper
}

// newSite makes an account and a cluster in it.
func newSite(t *testing.T, o siteOptions) *site {
	t.Helper()
	t.Parallel()
	return newCluster(t, o)
}

// newCluster is newSite of a test that says itself whether it is parallel.
func newCluster(t *testing.T, o siteOptions) *site {
	t.Helper()
	world := aws.NewWorld(t, aws.WorldOptions{IPv6: o.ipv6})
	var nodes []*corev1.Node
	for i := range max(o.nodes, 2) {
		nodes = append(nodes, node(world, world.Boot(t, aws.MachineOptions{})[0], i))
	}
	return on(t, world, nodes, o)
}

func node(world *aws.World, id string, i int) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{"pool": fmt.Sprintf("p%d", i)}},
		Spec:       corev1.NodeSpec{ProviderID: "aws:///" + world.Zone(i%3) + "/" + id},
	}
}

// on returns another process of the same cluster, with another configuration.
func on(t *testing.T, world *aws.World, nodes []*corev1.Node, o siteOptions) *site {
	t.Helper()
	s := &site{T: t, world: world, proxy: world.Proxy(t), nodes: nodes, events: &events{}}
	config := aws.ConfigOptions{Proxy: s.proxy, Declared: provider.Descriptor().Settings, Global: o.global, Transport: o.transport}
	if o.cluster != "" {
		config.Bare = true
		config.Global = append(config.Global, "VPC = "+world.VPC, "SubnetID = "+world.Private[0], "Region = "+world.Region, "KubernetesClusterID = "+o.cluster)
	}
	driver, err := provider.New(t.Context(), world.Config(t, config))
	s.must(err, "connecting")
	t.Cleanup(s.checkPermissions)
	s.cloud = run.Decorate(driver, run.Options{Descriptor: provider.Descriptor(), Annotations: provider.Annotations()})
	s.manager = loadbalancer.New(loadbalancer.Options{
		Cloud: s.cloud, Machines: machines{s.cloud.Instances}, ClusterID: cmp.Or(o.cluster, "test"), Events: s.events, Metrics: metric.Discard{},
		Executor: run.NewExecutor(s.cloud, run.Live, nil, nil),
	})
	return s
}

func (s *site) must(err error, what string) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}

// service returns a Service with the ports 80 and 443.
func (s *site) service(name string, edit ...func(*corev1.Service)) *corev1.Service {
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: uuid.NewUUID(), Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports: []corev1.ServicePort{
				{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080},
				{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, NodePort: 30443},
			},
		},
	}
	for _, change := range edit {
		change(svc)
	}
	return svc
}

func annotated(pairs ...string) func(*corev1.Service) {
	return func(svc *corev1.Service) {
		for i := 0; i < len(pairs); i += 2 {
			svc.Annotations[pairs[i]] = pairs[i+1]
		}
	}
}

// network asks for a network balancer.
var network = annotated(own+"type", "nlb")

// patience bounds how often a change may say that the cloud is busy.
const patience = 60

// try runs Ensure until it is through, as the service controller does.
func (s *site) try(svc *corev1.Service) error {
	s.Helper()
	looks := 0
	return s.through(func() error {
		outcome, err := s.manager.Ensure(s.Context(), svc, s.nodes)
		for key, value := range outcome.Record {
			svc.Annotations[key] = value
		}
		if c := replacement.Condition(outcome.Record); c != nil {
			svc.Status.Conditions = []metav1.Condition{*c}
		}
		if err != nil {
			return err
		}
		if looks++; outcome.Again > 0 && looks < 3 { // what is left may be left for long
			err = &loadbalancer.Pending{After: outcome.Again}
		}
		svc.Status.LoadBalancer = *outcome.Status
		return err
	})
}

// through repeats what says that the cloud is busy. The pauses are those of the program, except
// that nobody waits for long: moto is quick.
func (s *site) through(act func() error) error {
	for range patience {
		err := act()
		var pending *loadbalancer.Pending
		if !errors.As(err, &pending) {
			return err
		}
		select {
		case <-time.After(min(pending.After, 20*time.Millisecond)):
		case <-s.Context().Done():
			return s.Context().Err()
		}
	}
	return errors.New("the cloud is still busy")
}

func (s *site) ensure(svc *corev1.Service) {
	s.Helper()
	s.must(s.try(svc), "making the balancer of "+svc.Name)
}

// retarget brings the targets to the nodes as the service controller does when Nodes come and go.
func (s *site) retarget(svc *corev1.Service) {
	s.Helper()
	s.must(s.through(func() error { return s.manager.UpdateTargets(s.Context(), svc, s.nodes) }), "changing the targets of "+svc.Name)
}

// compare is ensure as it is from time to time, when all of the balancer is compared with the cloud.
func (s *site) compare(svc *corev1.Service) {
	s.Helper()
	s.manager.Compare(svc)
	s.ensure(svc)
}

func (s *site) tryRemove(svc *corev1.Service) error {
	now := metav1.Now()
	svc.DeletionTimestamp = &now
	// The framework has a balancer deleted only when it is told that there is one, each time anew.
	return s.through(func() error {
		_, exists, err := s.manager.Get(s.Context(), svc)
		if err != nil || !exists {
			return err
		}
		return s.manager.Delete(s.Context(), svc)
	})
}

func (s *site) remove(svc *corev1.Service) {
	s.Helper()
	s.must(s.tryRemove(svc), "deleting the balancer of "+svc.Name)
}

// wrote returns what has been written since from calls, one line a call.
func (s *site) wrote(from int) []string {
	var lines []string
	for _, call := range s.proxy.Calls()[from:] {
		if call.Writes() {
			lines = append(lines, call.String())
		}
	}
	return lines
}

// idle fails the test where an ensure of what has not changed writes anything.
func (s *site) idle(svc *corev1.Service) {
	s.Helper()
	from := len(s.proxy.Calls())
	s.ensure(svc)
	if wrote := s.wrote(from); len(wrote) > 0 {
		s.Errorf("nothing changed, and these were written: %s", strings.Join(wrote, ", "))
	}
}

// machines looks instances up one by one: nothing here is about the cache.
type machines struct{ cloud.Instances }

func (machines) Outdate() {}

func (machines) Held() bool { return false }

func (m machines) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return m.Get(ctx, ids...)
}

func (m machines) ByName(context.Context, []*corev1.Node) (map[string]cloud.Instance, error) {
	return nil, nil
}

func (m machines) Generation() any { return nil }

func (m machines) Addresses(context.Context) (map[string]bool, error) {
	return nil, errors.New("not read here")
}

func (m machines) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	return m.ParseProviderID(node.Spec.ProviderID)
}

// events are what was said on Services.
type events struct {
	mu   sync.Mutex
	said []string
}

func (e *events) Record(_ event.Object, reason event.Reason, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, reason.Name+": "+message)
}

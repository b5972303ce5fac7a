// Package openstack_test holds the OpenStack driver, behind the kernel, against the real APIs of
// OpenStack. It needs the lab of test/openstack: `make e2e-openstack`.
package openstack_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

func TestMain(m *testing.M) {
	code := openstack.Run(m, os.Getenv(openstack.Switch))
	if err := spare.clear(); err != nil {
		fmt.Fprintln(os.Stderr, "cleaning up:", err)
		code = 1
	}
	os.Exit(code)
}

// site is a cluster in a project: its nodes, and the CCM's manager of balancers.
type site struct {
	*testing.T
	project   *openstack.Project
	clusterID string
	cloud     *run.Cloud
	manager   *loadbalancer.Manager
	nodes     []*corev1.Node
	events    *events
	traffic   *traffic
}

// siteOptions change what newSite makes.
type siteOptions struct {
	// config is added to the cloud.conf, section by section.
	config string
	// cluster is the cluster id, "test" when empty.
	cluster string
	// alone keeps other tests from running meanwhile; other packages' do not with a name that
	// begins with TestAlone.
	alone bool
}

// on returns another cluster, or the same one with another configuration, in a project.
func on(t *testing.T, project *openstack.Project, nodes []*corev1.Node, o siteOptions) *site {
	t.Helper()
	s := &site{T: t, project: project, nodes: nodes, events: &events{}, traffic: &traffic{next: transport.New(nil, transport.Options{Cloud: "openstack", Limits: provider.Descriptor().Limits})}}
	file := fmt.Sprintf("[Global]\nauth-url=%s\nusername=%s\npassword=%s\ntenant-id=%s\ndomain-id=%s\nregion=%s\n%s",
		openstack.AuthURL, project.User.Username, project.User.Password, project.ID, openstack.Domain, openstack.Region, o.config)
	driver, err := provider.New(t.Context(), cloud.Config{
		Cloud: "openstack", ClusterName: "kubernetes",
		File:      func() ([]byte, error) { return []byte(file), nil },
		Lookup:    defaults(),
		Secret:    func(string) (string, error) { return "", nil },
		Transport: s.traffic, UserAgent: "test", Warn: func(message string) { t.Log(message) },
	})
	s.must(err, "connecting")
	s.cloud = run.Decorate(driver, run.Options{Descriptor: provider.Descriptor(), Annotations: provider.Annotations()})
	if o.cluster == "" {
		o.cluster = "test"
	}
	s.clusterID = o.cluster
	s.restart()
	return s
}

// restart puts another manager in the place of the present one, which knows nothing of it.
func (s *site) restart() {
	s.manager = loadbalancer.New(loadbalancer.Options{
		Cloud: s.cloud, Machines: &machines{Instances: s.cloud.Instances}, ClusterID: s.clusterID, Events: s.events, Metrics: metric.Discard{},
		Executor: run.NewExecutor(s.cloud, run.Live, nil, nil),
	})
}

// outlives is restart, long after the load balancer of the Service was made: its creation does not count any more.
func (s *site) outlives(svc *corev1.Service) {
	maps.Copy(svc.Annotations, creation.Record{At: time.Now().Add(-time.Hour), ID: text(s.look(svc).lb, "id")}.Annotation())
	s.restart()
}

// defaults looks settings up where none is set.
func defaults() func(name string) string {
	values := map[string]string{}
	for _, setting := range provider.Descriptor().Settings {
		values[setting.Name] = setting.Default
	}
	return func(name string) string { return values[name] }
}

// newSite gets a project and makes a cluster in it.
func newSite(t *testing.T, o siteOptions) *site {
	t.Helper()
	if !o.alone {
		t.Parallel()
	}
	ground := spare.take(t)
	return on(t, ground.project, ground.nodes, o)
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

func annotated(key, value string) func(*corev1.Service) {
	return func(svc *corev1.Service) { svc.Annotations[key] = value }
}

// patience bounds how often a change may say that the cloud is busy.
const patience = 60

// try runs Ensure until it is through, as the service controller does.
func (s *site) try(svc *corev1.Service) error {
	s.Helper()
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
		svc.Status.LoadBalancer = *outcome.Status
		return nil
	})
}

// through repeats what says that the cloud is busy: when a change has ended, or once while it is, and then when Octavia is
// through with it. Each time asks for as much as ten times a look at the balancers does.
func (s *site) through(run func() error) error {
	for again := range patience {
		err := run()
		var pending *loadbalancer.Pending
		if !errors.As(err, &pending) {
			return err
		}
		if pending.Ended != nil {
			<-pending.Ended
			continue
		}
		select {
		case <-time.After(min(pending.After, 250*time.Millisecond)):
		case <-s.Context().Done():
			return s.Context().Err()
		}
		if again > 0 {
			s.rest()
		}
	}
	return errors.New("the cloud is still busy")
}

// stuck is the time after which a balancer at which Octavia works is lost.
const stuck = 5 * time.Minute

// rest waits until Octavia works at none of the project's balancers.
func (s *site) rest() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), stuck)
	defer cancel()
	s.must(until(ctx, s.resting), "waiting for the balancers")
}

func (s *site) resting(ctx context.Context) bool {
	var answer map[string][]object
	client := s.project.Balancer
	_, err := client.Get(ctx, client.ServiceURL("lbaas/loadbalancers?fields=provisioning_status"), &answer, nil)
	return err == nil && !slices.ContainsFunc(answer["loadbalancers"], func(lb object) bool {
		return !slices.Contains(settled, lb["provisioning_status"])
	})
}

func (s *site) ensure(svc *corev1.Service) {
	s.Helper()
	s.must(s.try(svc), "making the balancer of "+svc.Name)
}

func (s *site) remove(svc *corev1.Service) {
	s.Helper()
	now := metav1.Now()
	svc.DeletionTimestamp = &now
	s.must(s.through(func() error { return s.manager.Delete(s.Context(), svc) }), "deleting the balancer of "+svc.Name)
}

// until asks four times a second for a condition, for as long as ctx lasts.
func until(ctx context.Context, holds func(context.Context) bool) error {
	for !holds(ctx) {
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// machines looks servers up one by one, and once: what is remembered of them has other tests.
type machines struct {
	cloud.Instances
	known sync.Map
}

func (*machines) Outdate() {}

func (*machines) Held() bool { return false }

func (m *machines) Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	for _, id := range ids {
		if machine, ok := m.known.Load(id); ok {
			found[id] = machine.(cloud.Instance)
			continue
		}
		one, err := m.Get(ctx, id)
		if err != nil {
			return found, err
		}
		for id, machine := range one {
			m.known.Store(id, machine)
			found[id] = machine
		}
	}
	return found, nil
}

func (m *machines) ByName(context.Context, []*corev1.Node) (map[string]cloud.Instance, error) {
	return nil, nil
}

func (m *machines) Generation() any { return nil }

func (m *machines) Addresses(context.Context) (map[string]bool, error) {
	return nil, errors.New("not read here")
}

func (m *machines) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	return m.ParseProviderID(node.Spec.ProviderID)
}

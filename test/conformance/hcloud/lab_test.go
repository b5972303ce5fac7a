package hcloud_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

const (
	uid = "8b5a3c1e-0000-4000-8000-123456789abc"
	// legacyName is the name that upstream derives from it.
	legacyName = "a8b5a3c1e000040008000123456789ab"
)

// lab is a Service with the ports 80 and 443, the kernel that looks after its load balancer, and the cloud.
type lab struct {
	*testing.T
	server  *emulator.Server
	env     map[string]string
	manager *loadbalancer.Manager
	svc     *corev1.Service
	others  []*corev1.Service
	nodes   []*corev1.Node
	events  []string
	former  []string // ids that the cluster had
	cluster string
}

// newLab starts with n nodes and upstream's annotations.
func newLab(t *testing.T, n int, annotations map[string]string) *lab {
	t.Helper()
	return newLabWith(t, emulator.Options{}, n, annotations)
}

// newLabWith is newLab with a cloud of these options.
func newLabWith(t *testing.T, options emulator.Options, n int, annotations map[string]string) *lab {
	t.Helper()
	server, _ := start(t, options)
	server.AddCertificate("shop", "shop.example.com")
	l := newLabOn(t, server, "web", uid, annotations)
	for _, machine := range server.SeedMachines(n) {
		l.nodes = append(l.nodes, node(machine))
	}
	return l
}

// newLabOn is another Service of the same cloud.
func newLabOn(t *testing.T, server *emulator.Server, name, uid string, annotations map[string]string) *lab {
	t.Helper()
	l := &lab{T: t, cluster: "prod", server: server, env: variables(server), svc: service(name, uid)}
	l.annotate(annotations)
	l.restart()
	return l
}

func node(machine emulator.Machine) *corev1.Node {
	id := "hcloud://" + strconv.FormatInt(machine.ID, 10)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: machine.Name, UID: types.UID(machine.Name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: id},
	}
}

func service(name, uid string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(uid), Annotations: map[string]string{}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
			Ports: []corev1.ServicePort{
				{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}, {Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, NodePort: 30443},
			},
		},
	}
}

// annotate replaces the annotations besides those that the kernel writes. Keys without a domain are upstream's.
func (l *lab) annotate(annotations map[string]string) {
	maps.DeleteFunc(l.svc.Annotations, func(key, _ string) bool {
		known, _ := desired.Annotations().Find(key)
		return !known.Output
	})
	for key, value := range annotations {
		if !strings.Contains(key, "/") {
			key = upstream + key
		}
		l.svc.Annotations[key] = value
	}
}

// Record implements event.Sink.
func (l *lab) Record(_ event.Object, reason event.Reason, message string) {
	l.events = append(l.events, reason.Name+": "+message)
}

// restart is another process.
func (l *lab) restart() {
	l.Helper()
	c := run.Decorate(mustConnect(l.T, l.env), run.Options{Descriptor: hcloud.Descriptor(), Annotations: desired.Annotations()})
	every := func() []*corev1.Node { return l.nodes }
	l.manager = loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: instance.New(instance.Options{Cloud: c, Nodes: every}), Nodes: every,
		Services: func() []*corev1.Service { return append([]*corev1.Service{l.svc}, l.others...) },
		Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: l.cluster, FormerClusterIDs: l.former, Events: l, Metrics: metric.Discard{}, Adoption: safety.Adoption{},
	})
	l.server.ResetTraffic()
}

// settle repeats a call while it is pending, with the actions of the cloud ended in between.
func (l *lab) settle(call func(context.Context) error) error {
	l.Helper()
	for range 200 {
		err := call(l.Context())
		pending, ok := errors.AsType[*loadbalancer.Pending](err)
		if !ok {
			return err
		}
		l.server.FinishActions()
		if pending.Ended != nil {
			<-pending.Ended
		}
	}
	l.Fatal("it is pending for ever")
	return nil
}

// try ensures the load balancer, and returns what was asked of the API besides machines and actions.
func (l *lab) try() ([]string, error) {
	l.Helper()
	l.events = nil
	l.server.ResetTraffic()
	err := l.settle(func(ctx context.Context) error {
		outcome, err := l.manager.Ensure(ctx, l.svc, l.nodes)
		for key, value := range outcome.Record {
			if l.svc.Annotations[key] = value; value == "" {
				delete(l.svc.Annotations, key)
			}
		}
		if outcome.Status != nil {
			l.svc.Status.LoadBalancer = *outcome.Status
		}
		return err
	})
	return l.requests(), err
}

func (l *lab) ensure() []string {
	l.Helper()
	requests, err := l.try()
	if err != nil {
		l.Fatalf("%v\nevents: %q", err, l.events)
	}
	return requests
}

// leave deletes the Service.
func (l *lab) leave() []string {
	l.Helper()
	l.events = nil
	l.server.ResetTraffic()
	l.svc.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	if err := l.settle(func(ctx context.Context) error { return l.manager.Delete(ctx, l.svc) }); err != nil {
		l.Fatal(err)
	}
	return l.requests()
}

// requests are those so far, without those that read machines and actions.
func (l *lab) requests() []string {
	var list []string
	for _, r := range l.server.Requests() {
		path := strings.TrimPrefix(r.Path, "/v1")
		if !strings.HasPrefix(path, "/servers") && !strings.HasPrefix(path, "/actions") && !strings.HasPrefix(path, "/networks") {
			list = append(list, r.Method+" "+path)
		}
	}
	return list
}

// writes are the requests that change something.
func writes(requests []string) []string {
	return slices.DeleteFunc(slices.Clone(requests), func(r string) bool { return strings.HasPrefix(r, "GET ") })
}

func (l *lab) want(what string, got []string, want ...string) {
	l.Helper()
	if diff := cmp.Diff(append([]string{}, want...), append([]string{}, got...)); diff != "" {
		l.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// balancer returns the only load balancer.
func (l *lab) balancer() emulator.Balancer {
	l.Helper()
	all := l.server.State().Balancers
	if len(all) != 1 {
		l.Fatalf("%d load balancers, want one", len(all))
	}
	return all[0]
}

func (l *lab) edit(edit func(*emulator.Balancer)) {
	l.Helper()
	if err := l.server.EditBalancer(l.balancer().ID, edit); err != nil {
		l.Fatal(err)
	}
}

// said reports whether there was an event with that text.
func (l *lab) said(text string) bool {
	return slices.ContainsFunc(l.events, func(e string) bool { return strings.Contains(e, text) })
}

// addresses are those of the Service's status.
func (l *lab) addresses() (list []string) {
	for _, ingress := range l.svc.Status.LoadBalancer.Ingress {
		text := ingress.IP + ingress.Hostname
		if ingress.IPMode != nil {
			text += " " + string(*ingress.IPMode)
		}
		list = append(list, text)
	}
	return list
}

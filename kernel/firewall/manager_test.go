package firewall

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// fakeCloud has a firewall like DigitalOcean's; a balancer named "through" passes connections
// on with their own port, any other needs nothing.
type fakeCloud struct {
	firewall     cloud.ObservedFirewall
	observeErr   error
	normalizeErr error
	applyErr     error
	applied      int
	// refuses is the number of rules that the cloud holds, 0 is no limit.
	refuses int
	// poison is a port that the cloud refuses to open.
	poison int
}

func (f *fakeCloud) ObserveFirewall(context.Context) (cloud.ObservedFirewall, error) {
	return f.firewall, f.observeErr
}

func (f *fakeCloud) NormalizeFirewall(openings []cloud.Opening) ([]cloud.Opening, error) {
	return openings, f.normalizeErr
}

func (f *fakeCloud) ApplyFirewall(_ context.Context, _ cloud.ObservedFirewall, openings []cloud.Opening) error {
	f.applied++
	if err := f.refuse(openings); err != nil {
		return err
	}
	if f.applyErr == nil {
		f.firewall = cloud.ObservedFirewall{Found: true, ID: "fw", Openings: openings}
	}
	return f.applyErr
}

func (f *fakeCloud) BalancerOpenings(b cloud.Balancer, id string) []cloud.Opening {
	if b.Name == "panic" {
		panic("boom")
	}
	if b.Name != "through" {
		return nil
	}
	openings := []cloud.Opening{tcpFrom(b.Health.Port, id)}
	for _, l := range b.Listeners {
		openings = append(openings, tcp(l.Port, l.Port, everywhere()...))
	}
	return openings
}

// recorder keeps messages.
type recorder []string

func (r *recorder) Record(o event.Object, reason event.Reason, message string) {
	*r = append(*r, o.Kind+" "+o.Namespace+"/"+o.Name+" "+reason.Name+" "+message)
}

type fixture struct {
	cloud     *fakeCloud
	manager   *Manager
	events    recorder
	plans     []plan.Plan
	balancers map[string]cloud.Balancer // by Service name
	ids       map[string]string
	errs      map[string]error
}

func newFixture(mode run.Mode) *fixture { return newLimited(mode, 0) }

// newLimited returns a fixture whose cloud says that its firewall holds that many rules.
func newLimited(mode run.Mode, limit int) *fixture {
	f := &fixture{
		cloud:     &fakeCloud{},
		balancers: map[string]cloud.Balancer{}, ids: map[string]string{}, errs: map[string]error{},
	}
	c := &run.Cloud{Name: "c", Firewalls: f.cloud}
	c.Descriptor.Capabilities.FirewallRules = limit
	denied, _ := ParsePorts(DefaultDenied())
	f.manager = New(Options{
		Cloud: c, Events: &f.events, Denied: denied,
		Executor: run.NewExecutor(c, mode, nil, func(p plan.Plan) { f.plans = append(f.plans, p) }),
		Managed: func(svc *corev1.Service) (bool, string) {
			switch svc.Annotations["managed"] {
			case "false":
				return false, ""
			case "":
				return true, ""
			default:
				return true, "managed is neither true nor false"
			}
		},
	})
	return f
}

func (f *fixture) reconcile(ctx context.Context, services ...*corev1.Service) (plan.Plan, error) {
	return f.manager.Reconcile(ctx, services, func(svc *corev1.Service) (cloud.Balancer, string, error) {
		return f.balancers[svc.Name], f.ids[svc.Name], f.errs[svc.Name]
	})
}

// through makes the balancer of a Service one that passes connections on.
func (f *fixture) through(name, id string, health int, ports ...int) {
	b := cloud.Balancer{Name: "through", Health: &cloud.Health{Port: health}}
	for _, port := range ports {
		b.Listeners = append(b.Listeners, cloud.Listener{Protocol: cloud.ProtocolTCP, Port: port})
	}
	f.balancers[name], f.ids[name] = b, id
}

// service returns a Service with ports "port:nodePort/protocol".
func service(name string, kind corev1.ServiceType, ports ...corev1.ServicePort) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name)},
		Spec:       corev1.ServiceSpec{Type: kind, Ports: ports},
	}
}

func port(port, nodePort int32, protocol corev1.Protocol) corev1.ServicePort {
	return corev1.ServicePort{Port: port, NodePort: nodePort, Protocol: protocol}
}

func with(svc *corev1.Service, change func(*corev1.Service)) *corev1.Service {
	change(svc)
	return svc
}

func udp(o cloud.Opening) cloud.Opening { o.Protocol = cloud.ProtocolUDP; return o }

func TestDesired(t *testing.T) {
	const nodePort, balancer = corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer
	all := everywhere()
	tests := map[string]struct {
		prepare  func(*fixture)
		services []*corev1.Service
		want     []cloud.Opening
	}{
		"nothing": {nil, nil, nil},
		"node ports of both protocols": {nil, []*corev1.Service{
			service("x", nodePort, port(80, 30080, "TCP"), port(53, 30053, "UDP"), port(54, 30054, "")),
		}, []cloud.Opening{tcp(30054, 30054, all...), tcp(30080, 30080, all...), udp(tcp(30053, 30053, all...))}},
		"neighbours of different Services are one rule": {nil, []*corev1.Service{
			service("x", nodePort, port(80, 30001, "TCP")), service("y", nodePort, port(80, 30002, "TCP")),
		}, []cloud.Opening{tcp(30001, 30002, all...)}},
		"cannot be opened": {nil, []*corev1.Service{
			service("x", nodePort, port(80, 30001, "SCTP"), port(81, 0, "TCP")),
			service("y", corev1.ServiceTypeClusterIP, port(80, 0, "TCP")),
		}, nil},
		"not managed": {func(f *fixture) { f.through("y", "1", 10256, 443) }, []*corev1.Service{
			with(service("x", nodePort, port(80, 30001, "TCP")), func(s *corev1.Service) { s.Annotations = map[string]string{"managed": "false"} }),
			with(service("y", balancer, port(443, 30002, "TCP")), func(s *corev1.Service) { s.Annotations = map[string]string{"managed": "false"} }),
		}, nil},
		"being deleted": {func(f *fixture) { f.through("y", "1", 10256, 443) }, []*corev1.Service{
			with(service("x", nodePort, port(80, 30001, "TCP")), func(s *corev1.Service) { s.DeletionTimestamp = &metav1.Time{} }),
			with(service("y", balancer, port(443, 30002, "TCP")), func(s *corev1.Service) { s.DeletionTimestamp = &metav1.Time{} }),
		}, []cloud.Opening{tcp(443, 443, all...), tcpFrom(10256, "1")}},
		"balancers share the health rule": {func(f *fixture) {
			f.through("x", "1", 10256, 443)
			f.through("y", "2", 10256, 80)
		}, []*corev1.Service{
			service("x", balancer, port(443, 30002, "TCP")), service("y", balancer, port(80, 30003, "TCP")),
		}, []cloud.Opening{tcp(80, 80, all...), tcp(443, 443, all...), tcpFrom(10256, "1", "2")}},
		"source ranges": {func(f *fixture) { f.through("x", "1", 10256, 443) }, []*corev1.Service{
			with(service("x", balancer, port(443, 30002, "TCP")), func(s *corev1.Service) { s.Spec.LoadBalancerSourceRanges = []string{b, a} }),
		}, []cloud.Opening{tcp(443, 443, a, b), tcpFrom(10256, "1")}},
		"the balancer that does not exist yet": {func(f *fixture) { f.through("x", "", 10256, 443) }, []*corev1.Service{
			service("x", balancer, port(443, 30002, "TCP")),
		}, []cloud.Opening{tcp(443, 443, all...)}},
		"a balancer that needs nothing": {nil, []*corev1.Service{service("x", balancer, port(443, 30002, "TCP"))}, nil},
		"somebody else's class": {func(f *fixture) { f.through("x", "1", 10256, 443) }, []*corev1.Service{
			with(service("x", balancer, port(443, 30002, "TCP")), func(s *corev1.Service) { s.Spec.LoadBalancerClass = new(string) }),
		}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(run.Live)
			if test.prepare != nil {
				test.prepare(f)
			}
			if _, err := f.reconcile(t.Context(), test.services...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, f.cloud.firewall.Openings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("openings (-want +got):\n%s", diff)
			}
			if p, err := f.reconcile(t.Context(), test.services...); err != nil || !p.Empty() || f.cloud.applied != 1 {
				t.Errorf("the second time: %v, %v, %d writes; want none", p, err, f.cloud.applied)
			}
		})
	}
}

func TestOneBadServiceStopsNobody(t *testing.T) {
	broken := errors.New("annotation is not valid")
	spoil := map[string]func(*fixture, *corev1.Service){
		"an error":            func(f *fixture, _ *corev1.Service) { f.errs["bad"] = broken },
		"a panic":             func(f *fixture, _ *corev1.Service) { f.balancers["bad"] = cloud.Balancer{Name: "panic"} },
		"a bad source range":  func(_ *fixture, s *corev1.Service) { s.Spec.LoadBalancerSourceRanges = []string{"x"} },
		"no longer reachable": func(f *fixture, _ *corev1.Service) { f.errs["bad"] = context.DeadlineExceeded },
	}
	for name, spoil := range spoil {
		t.Run(name, func(t *testing.T) {
			f := newFixture(run.Live)
			f.through("bad", "1", 30007, 443)
			f.through("gone", "2", 10256, 8443)
			bad := service("bad", corev1.ServiceTypeLoadBalancer, port(443, 30007, "TCP"))
			gone := service("gone", corev1.ServiceTypeLoadBalancer, port(8443, 30008, "TCP"))
			old := service("old", corev1.ServiceTypeNodePort, port(80, 31000, "TCP"), port(81, 31001, "TCP"))
			if _, err := f.reconcile(t.Context(), bad, gone, old); err != nil {
				t.Fatal(err)
			}
			spoil(f, bad)
			fresh := service("fresh", corev1.ServiceTypeNodePort, port(80, 31001, "TCP"))
			_, err := f.reconcile(t.Context(), bad, fresh)
			if err == nil || !strings.Contains(err.Error(), "Service shop/bad") {
				t.Errorf("error = %v, want one that names the Service", err)
			}
			// The bad one keeps what it has, the new one is opened, the others' is closed.
			want := []cloud.Opening{tcp(443, 443, everywhere()...), tcpFrom(30007, "1"), tcp(31001, 31001, everywhere()...)}
			if diff := cmp.Diff(want, f.cloud.firewall.Openings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("openings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadServiceAfterRestart: a new process does not know what the bad Service had. It keeps
// what the Service may be the reason for, also kube-proxy's health port.
func TestBadServiceAfterRestart(t *testing.T) {
	f := newFixture(run.Live)
	f.cloud.firewall = cloud.ObservedFirewall{Found: true, ID: "fw", Openings: []cloud.Opening{
		tcp(443, 443, a), tcp(8443, 8443, a), tcpFrom(10256, "2"),
	}}
	f.errs["bad"] = errors.New("annotation is not valid")
	for range 2 {
		_, _ = f.reconcile(t.Context(), service("bad", corev1.ServiceTypeLoadBalancer, port(443, 30007, "TCP")))
		want := []cloud.Opening{tcp(443, 443, a), tcpFrom(10256, "2")}
		if diff := cmp.Diff(want, f.cloud.firewall.Openings, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("openings (-want +got):\n%s", diff)
		}
	}
}

func TestHeld(t *testing.T) {
	svc := service("x", corev1.ServiceTypeLoadBalancer, port(443, 30001, "TCP"), port(53, 30002, "UDP"))
	svc.Spec.HealthCheckNodePort = 30003
	present := []cloud.Opening{
		tcp(400, 500, a),         // 443 of it
		tcp(30000, 30009, b),     // node ports, and a TCP check of the UDP one
		tcpFrom(10256, "1", "2"), // kube-proxy
		tcp(8443, 8443, a),       // of somebody else
		udp(tcp(50, 59, a)),      // 53 of it
		udp(tcp(30002, 30003, c)),
		udp(tcp(443, 443, a)), // of somebody else
	}
	want := []cloud.Opening{
		tcp(443, 443, a), tcpFrom(10256, "1", "2"), tcp(30001, 30003, b), udp(tcp(53, 53, a)), udp(tcp(30002, 30002, c)),
	}
	if diff := cmp.Diff(want, merge(held(svc, present)), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	for name, spoil := range map[string]func(*fakeCloud){
		"observe":   func(f *fakeCloud) { f.observeErr = boom },
		"normalize": func(f *fakeCloud) { f.normalizeErr = boom },
		"apply":     func(f *fakeCloud) { f.applyErr = boom },
	} {
		f := newFixture(run.Live)
		spoil(f.cloud)
		_, err := f.reconcile(t.Context())
		if !errors.Is(err, boom) || name != "apply" && f.cloud.applied != 0 {
			t.Errorf("%s: error = %v, %d writes", name, err, f.cloud.applied)
		}
	}
}

func TestDisabled(t *testing.T) {
	f := newFixture(run.Live)
	f.manager.Cloud.Firewalls = nil
	if p, err := f.reconcile(t.Context(), service("x", corev1.ServiceTypeNodePort, port(80, 30001, "TCP"))); err != nil || len(p.Operations) != 0 {
		t.Errorf("disabled: %v, %v", p, err)
	}
	m := New(Options{Cloud: &run.Cloud{}})
	if p, err := m.Reconcile(t.Context(), nil, nil); err != nil || len(p.Operations) != 0 || m.Enabled() {
		t.Errorf("without firewalls: %v, %v", p, err)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	f := newFixture(run.DryRun)
	p, err := f.reconcile(t.Context(), service("x", corev1.ServiceTypeNodePort, port(80, 30001, "TCP")))
	if err != nil || p.Empty() || f.cloud.applied != 0 || len(f.plans) != 1 {
		t.Errorf("%v, %v, %d writes, %d logs", p, err, f.cloud.applied, len(f.plans))
	}
}

func TestRemarksAreMadeOnce(t *testing.T) {
	f := newFixture(run.Live)
	svc := with(service("x", corev1.ServiceTypeNodePort, port(80, 30001, "SCTP")), func(s *corev1.Service) {
		s.Annotations = map[string]string{"managed": "nope"}
	})
	want := recorder{
		"Service shop/x ConfigurationIgnored managed is neither true nor false",
		"Service shop/x ConfigurationIgnored the firewall cannot open node port 30001 for SCTP",
	}
	for range 3 {
		if _, err := f.reconcile(t.Context(), svc); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, f.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	_, _ = f.reconcile(t.Context()) // the Service is gone, then comes back
	_, _ = f.reconcile(t.Context(), svc)
	if len(f.events) != 4 {
		t.Errorf("%d events, want both again", len(f.events))
	}
}

func TestDiff(t *testing.T) {
	op := func(verb cloud.Verb, key, field, before, after string) cloud.Operation {
		return cloud.Operation{Verb: verb, Kind: cloud.KindFirewall, Key: key, Field: field, Before: before, After: after}
	}
	found := func(openings ...cloud.Opening) cloud.ObservedFirewall {
		return cloud.ObservedFirewall{Found: true, Openings: openings}
	}
	drifted := found(tcp(80, 80, a))
	drifted.Drifted = true
	settings := op(cloud.Update, "", "settings", "", "")
	settings.Reason = "changed outside Kubernetes"
	tests := map[string]struct {
		observed cloud.ObservedFirewall
		desired  []cloud.Opening
		want     []cloud.Operation
	}{
		"equal":               {found(tcp(80, 80, a)), []cloud.Opening{tcp(80, 80, a)}, nil},
		"equal, split else":   {found(tcp(80, 80, a), tcp(81, 81, a), tcp(80, 80, b), tcp(81, 81, b)), []cloud.Opening{tcp(80, 81, a, b)}, nil},
		"drifted":             {drifted, []cloud.Opening{tcp(80, 80, a)}, []cloud.Operation{settings}},
		"missing":             {cloud.ObservedFirewall{}, []cloud.Opening{tcp(80, 80, a)}, []cloud.Operation{op(cloud.Create, "", "", "", ""), op(cloud.Create, "tcp/80", "", "", a)}},
		"missing, all closed": {cloud.ObservedFirewall{}, nil, []cloud.Operation{op(cloud.Create, "", "", "", "")}},
		"open, change, close": {
			found(tcp(1, 1, a), udp(tcp(5, 9, a)), tcpFrom(10256, "1")), []cloud.Opening{tcpFrom(10256, "1", "2"), tcp(70, 75, a, b)},
			[]cloud.Operation{
				op(cloud.Create, "tcp/70-75", "", "", a+", "+b),
				op(cloud.Update, "tcp/10256", "sources", "balancer 1", "balancer 1, balancer 2"),
				op(cloud.Delete, "tcp/1", "", a, ""),
				op(cloud.Delete, "udp/5-9", "", a, ""),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, diff(test.observed, test.desired), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
		})
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// ids reads provider-IDs of the form fake://<id>.
type ids struct{ cloud.Instances }

func (ids) ParseProviderID(id string) (cloud.InstanceID, error) {
	after, ok := strings.CutPrefix(id, "fake://")
	if !ok {
		return "", fmt.Errorf("%q is not of the form fake://<id>", id)
	}
	return cloud.InstanceID(after), nil
}

func (ids) Get(_ context.Context, wanted ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	found := map[cloud.InstanceID]cloud.Instance{}
	switch wanted[0] {
	case "gone":
	case "unreadable":
		return nil, errors.New("no answer")
	default:
		found[wanted[0]] = cloud.Instance{ID: wanted[0]}
	}
	return found, nil
}

func (ids) FindByName(_ context.Context, name string) ([]cloud.Instance, error) {
	if name == "twin" {
		return []cloud.Instance{{ID: "7"}}, nil
	}
	return nil, nil
}

type driver struct{}

func (driver) Identity(context.Context) (cloud.Identity, error) { return cloud.Identity{}, nil }
func (driver) Classify(error) cloud.Failure                     { return cloud.Failure{} }
func (driver) Instances() cloud.Instances                       { return ids{} }

func fake(d cloud.Account) *run.Cloud {
	return run.Decorate(cloudtest.Driver(d), run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}}})
}

func node(name, providerID string, age time.Duration, taints ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(now.Add(-age))}}
	n.Spec.ProviderID = providerID
	for _, key := range taints {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key})
	}
	return n
}

// up makes the Node Ready.
func up(n *corev1.Node) *corev1.Node {
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// found runs the checks of a scope on facts and returns those that find something, with their evidence.
func found(t *testing.T, f *facts, scope Scope) string {
	t.Helper()
	var list []string
	for _, c := range Checks() {
		if c.Scope != scope {
			continue
		}
		o := c.outcome(f)
		if (o.Fix == "") != (o.Level == OK || o.Level == Skipped) || o.Message == "" {
			t.Errorf("%s: %s %q with fix %q", c.ID, o.Level, o.Message, o.Fix)
		}
		if o.Level == Warning || o.Level == Failure {
			list = append(list, strings.Join(append([]string{string(o.Level), c.ID}, o.Evidence...), " | "))
		}
	}
	return strings.Join(list, "\n")
}

func TestNodes(t *testing.T) {
	const taint = "node.cloudprovider.kubernetes.io/uninitialized"
	listed := map[cloud.InstanceID]cloud.Instance{"1": {ID: "1", Name: "one"}}
	for _, tt := range []struct {
		name   string
		node   *corev1.Node
		listed map[cloud.InstanceID]cloud.Instance
		want   string
	}{
		{"in order", node("a", "fake://1", time.Hour), listed, ""},
		{"list not known", node("a", "fake://gone", time.Hour), nil, ""},
		{"not listed", node("a", "fake://unlisted", time.Hour), listed, ""},
		{"not to be read", node("a", "fake://unreadable", time.Hour), listed, ""},
		{"gone", node("a", "fake://gone", time.Hour), listed, "warning | node-machine-gone | a: the cloud has no machine fake://gone"},
		{"gone, though its kubelet reports", up(node("a", "fake://gone", time.Hour)), listed, "warning | node-machine-elsewhere | a: Ready, though the cloud has no machine fake://gone"},
		{"foreign", node("a", "other://1", time.Hour), listed, ""},
		{"foreign, with a machine here", node("one", "other://1", time.Hour), listed, "failure | node-provider-id-foreign | one: its provider-ID other://1 is of another cloud, and fake has a machine of its name, "},
		{"of k3s", node("a", "k3s://a", time.Hour), listed, "failure | node-provider-id-foreign | a: its provider-ID k3s://a is of the controller manager that is part of k3s"},
		{"new", node("a", "", time.Minute, taint), listed, ""},
		{"just registered", node("a", "", time.Minute), listed, ""},
		{"stuck", node("ohne", "", time.Hour, taint), listed,
			"failure | node-not-initialised | 0 in order, 0 left alone | waiting: ohne\nfailure | node-machine-unknown | ohne: the cloud has no machine of this name; it has \"one\" (1)"},
		{"kubelet without flag, machine of its name", node("twin", "", time.Hour), listed, "warning | node-by-name-only | twin: no provider-ID; found by name as machine 7, a target of load balancers and nothing else"},
		{"kubelet without flag", node("a", "", time.Hour), listed, "failure | node-kubelet-flag | a: neither provider-ID nor taint: the kubelet registered without --cloud-provider=external (kubelet )"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &facts{Options: Options{Cloud: fake(driver{}), Patience: DefaultPatience}, now: now}
			f.nodes.value, f.sky.machines, f.sky.incomplete = []*corev1.Node{tt.node}, tt.listed, tt.listed == nil
			f.sky.match(t.Context(), f.Options, f.nodes.value)
			if got := found(t, f, Nodes); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestLease(t *testing.T) {
	lease := func(holder string, age time.Duration) *coordinationv1.Lease {
		return &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"},
			Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &holder, RenewTime: ptr.To(metav1.NewMicroTime(now.Add(-age))), LeaseDurationSeconds: ptr.To[int32](12),
			},
		}
	}
	for want, l := range map[string]*coordinationv1.Lease{
		"ok pod-1 leads": lease("pod-1", time.Second),
		"failure nobody leads: lease kube-system/ccm was renewed 13s ago": lease("pod-1", 13*time.Second),
		"failure nobody leads: lease kube-system/ccm was renewed 1s ago":  lease("", time.Second),
	} {
		o := judgeLease(l, now)
		if got := string(o.Level) + " " + o.Message; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// scoped has the machines of one project.
type scoped struct{}

func (scoped) Concerns(providerID string) bool { return strings.HasPrefix(providerID, "fake://mine/") }

// Of Nodes that are left alone it is said whose they are.
func TestWhoseNodesAreLeftAlone(t *testing.T) {
	f := &facts{Options: Options{Cloud: fake(driver{}), Patience: DefaultPatience}, now: now}
	f.Cloud.ProviderIDScope = scoped{}
	f.nodes.value = []*corev1.Node{
		node("ours", "fake://mine/1", time.Hour), node("theirs", "fake://other/1", time.Hour), node("b", "aws:///zone/i-1", time.Hour), node("c", "k3s://c", time.Hour),
		node("bare", "", time.Hour),
	}
	const want = "1 in order, 4 left alone: another cloud (b, c), another part of fake (theirs), nobody (bare)"
	if o := judgeOrder(f); o.Level != OK || o.Message != want {
		t.Errorf("got  %s %s\nwant ok %s", o.Level, o.Message, want)
	}
}

// Without an election nobody leads, and nothing is wrong.
func TestLeaderWithoutElection(t *testing.T) {
	never := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"}}
	known, off := Manager{Known: true}, Manager{Known: true, NoElection: true}
	held := func(ago time.Duration) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: never.ObjectMeta, Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("pod-1"), LeaseDurationSeconds: new(int32(15)), RenewTime: &metav1.MicroTime{Time: now.Add(-ago)},
		}}
	}
	initialised := []*corev1.Node{node("a", "fake://1", time.Hour)}
	for name, tt := range map[string]struct {
		manager Manager
		nodes   []*corev1.Node
		lease   *coordinationv1.Lease
		want    string
	}{
		"off, no lease":                 {off, nil, nil, "ok no election (--leader-elect=false): only one controller manager may run"},
		"off, records":                  {off, nil, never, "ok no election (--leader-elect=false): only one controller manager may run"},
		"off, left":                     {off, nil, held(time.Hour), "ok no election (--leader-elect=false): only one controller manager may run"},
		"off, held":                     {off, nil, held(5 * time.Second), "warning pod-1 holds lease kube-system/ccm and renews it, although the controller manager runs with --leader-elect=false: another process leads"},
		"on, left":                      {known, nil, held(time.Hour), "failure nobody leads: lease kube-system/ccm was renewed 1h0m0s ago"},
		"on, held":                      {known, nil, held(5 * time.Second), "ok pod-1 leads"},
		"not known, left":               {Manager{}, nil, held(time.Hour), "failure nobody leads: lease kube-system/ccm was renewed 1h0m0s ago"},
		"on, no lease":                  {known, initialised, nil, "failure lease kube-system/ccm does not exist: no controller manager has led yet"},
		"on, records":                   {known, nil, never, "warning lease kube-system/ccm has had no holder: there has been no election yet"},
		"not known, nothing":            {Manager{}, nil, nil, "failure lease kube-system/ccm does not exist: no controller manager has led yet"},
		"not known, initialised Nodes":  {Manager{}, initialised, nil, "warning lease kube-system/ccm does not exist: no controller manager has led yet, unless it runs with --leader-elect=false"},
		"not known, records":            {Manager{}, initialised, never, "ok lease kube-system/ccm has records and has had no holder: the controller manager runs with --leader-elect=false, and only one may run"},
		"a dry run":                     {Manager{DryRun: true}, nil, nil, "ok a dry run, which takes no lease"},
		"a dry run, left":               {Manager{DryRun: true}, nil, held(time.Hour), "ok a dry run, which takes no lease"},
		"a dry run beside a live one's": {Manager{DryRun: true}, nil, held(5 * time.Second), "ok pod-1 leads"},
	} {
		f := &facts{Options: Options{Cloud: fake(driver{}), Manager: tt.manager, Lease: types.NamespacedName{Namespace: "kube-system", Name: "ccm"}}, now: now}
		f.nodes.value, f.lease.value = tt.nodes, tt.lease
		o := judgeLeader(f)
		if got := string(o.Level) + " " + o.Message; got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
	}
}

// balanced is a cloud with load balancers.
type balanced struct{ cloud.Balancers }

func services(list ...corev1.Service) *facts {
	c := fake(driver{})
	c.Balancers, c.Annotations = balanced{}, annotation.Kernel()
	c.Descriptor.Capabilities = cloud.Capabilities{Balancers: true, Protocols: []cloud.Protocol{cloud.ProtocolTCP}, SourceRanges: true}
	f := &facts{Options: Options{Cloud: c, Patience: DefaultPatience}, now: now}
	f.services.value = list
	return f
}

func service(name string, age time.Duration, change func(*corev1.Service)) corev1.Service {
	svc := corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, CreationTimestamp: metav1.NewTime(now.Add(-age))},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
	}
	change(&svc)
	return svc
}

func TestServices(t *testing.T) {
	asIs := func(*corev1.Service) {}
	list := []corev1.Service{
		service("served", time.Hour, func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}),
		service("new", time.Minute, asIs),
		service("new-class", time.Minute, func(s *corev1.Service) { s.Spec.LoadBalancerClass = ptr.To("other") }),
		service("disowned", time.Hour, func(s *corev1.Service) { s.Annotations = map[string]string{annotation.Disown.Name: "true"} }),
		service("internal", time.Hour, func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeClusterIP }),
	}
	if got := found(t, services(list...), Services); got != "" {
		t.Errorf("Services in order: %s", got)
	}
	for i := range 5 {
		list = append(list, service(fmt.Sprintf("web-%d", i), time.Hour, asIs))
	}
	o := judgeAddresses(services(list...))
	if want := "5 Services without address after 2m0s: shop/web-0, shop/web-1, shop/web-2 and 2 more"; o.Level != Failure || o.Message != want {
		t.Errorf("got  %s %s\nwant %s", o.Level, o.Message, want)
	}
	deleted := service("leaving", time.Hour, func(s *corev1.Service) {
		s.DeletionTimestamp, s.Finalizers = ptr.To(metav1.NewTime(now.Add(-time.Hour))), []string{"service.kubernetes.io/load-balancer-cleanup"}
	})
	if got := found(t, services(deleted), Services); !strings.HasPrefix(got, "failure | service-stuck | shop/leaving: deleted 1h0m0s ago") {
		t.Errorf("got %s", got)
	}
}

// The finalizer of a Service that we do not serve is told where nobody else may look after it.
func TestUnprovenFinalizers(t *testing.T) {
	const library = "service.kubernetes.io/load-balancer-cleanup"
	of := func(managers ...string) func(*corev1.Service) {
		return func(s *corev1.Service) {
			s.Finalizers, s.Spec.LoadBalancerClass = []string{library}, ptr.To("example.com/other")
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
			for _, name := range managers {
				s.ManagedFields = append(s.ManagedFields, metav1.ManagedFieldsEntry{
					Manager: name, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:finalizers":{"v:\"` + library + `\"":{}}}}`),
				})
			}
		}
	}
	plain := func(next func(*corev1.Service)) func(*corev1.Service) {
		return func(s *corev1.Service) {
			next(s)
			s.Spec.Type, s.Spec.LoadBalancerClass = corev1.ServiceTypeClusterIP, nil
		}
	}
	deleted := func(next func(*corev1.Service)) func(*corev1.Service) {
		return func(s *corev1.Service) {
			next(s)
			s.DeletionTimestamp = ptr.To(metav1.NewTime(now.Add(-time.Hour)))
		}
	}
	for name, tt := range map[string]struct {
		change func(*corev1.Service)
		want   string
	}{
		"another controller's":               {of("other"), ""},
		"another controller's, and it hangs": {deleted(of("other")), "warning | service-finalizer-unproven | other put it there, and the Service was deleted 1h0m0s ago"},
		"nobody's":                           {of(), "warning | service-finalizer-unproven | nobody knows who put it there"},
		"another controller's, of no class":  {plain(of("other")), "warning | service-finalizer-unproven | other put it there"},
		"ours":                               {of("cloud-controller-manager"), ""},
		"ours, and it hangs":                 {deleted(of("cloud-controller-manager")), "failure | service-stuck | deleted 1h0m0s ago"},
	} {
		t.Run(name, func(t *testing.T) {
			got := found(t, services(service("web", time.Hour, tt.change)), Services)
			parts := strings.SplitN(tt.want, " | ", 3)
			if tt.want == "" && got != "" || tt.want != "" && (!strings.HasPrefix(got, parts[0]+" | "+parts[1]) || !strings.Contains(got, parts[2])) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What a Service asks for in vain has no load balancer, or keeps the one it has.
func TestUnsupported(t *testing.T) {
	ports := func(protocols ...corev1.Protocol) func(*corev1.Service) {
		return func(s *corev1.Service) {
			s.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8"}
			for _, p := range protocols {
				s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Port: 53, Protocol: p})
			}
		}
	}
	served := func(change func(*corev1.Service)) func(*corev1.Service) {
		return func(s *corev1.Service) {
			change(s)
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}
	}
	const none, stays, left = "it gets no load balancer", "its load balancer stays as it is, and only follows the nodes", "this port is left out"
	for _, tt := range []struct {
		change func(*corev1.Service)
		want   []string
	}{
		{ports("SCTP"), []string{"restrict clients: " + none, "SCTP, and fake has TCP: " + none}},
		{served(ports("SCTP")), []string{"restrict clients: " + stays, "SCTP, and fake has TCP: " + stays}},
		{ports("TCP", "UDP"), []string{"restrict clients: " + none, "UDP, and fake has TCP: " + left}},
		{ports("UDP"), []string{"restrict clients: " + none, "UDP, and fake has TCP: " + none}},
	} {
		svc := service("web", time.Hour, tt.change)
		f := services(svc)
		f.Cloud.Descriptor.Capabilities.SourceRanges = false
		f.Cloud.Descriptor.Capabilities.LeavesOut = []cloud.Protocol{cloud.ProtocolUDP}
		got := unsupported(f, &svc)
		for n := range tt.want {
			if len(got) != len(tt.want) || !strings.HasSuffix(got[n], tt.want[n]) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		}
	}
}

// A provider that the cloud refuses when it starts has wrong credentials, and nothing is said about its settings.
func TestRefusedAtTheStart(t *testing.T) {
	reading := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "reading the network of HCLOUD_NETWORK", Err: errors.New("unauthorized")}
	report := Run(t.Context(), Options{ClientErr: errors.New("no kubeconfig"), CloudErr: fmt.Errorf("starting provider hcloud: %w", reading),
		Source: func(error) string { return "the credentials are those of HCLOUD_TOKEN" }})
	for _, r := range report {
		switch r.ID {
		case string(refused):
			if r.Level != Failure || !strings.HasPrefix(r.Message, "starting provider hcloud: ") || r.Fix != cloud.Advice(reading) || strings.Contains(r.Message, r.Fix) ||
				len(r.Evidence) != 1 || !strings.Contains(r.Evidence[0], "HCLOUD_TOKEN") {
				t.Errorf("got %+v", r)
			}
		case "settings-invalid", string(failing):
			if r.Level != Skipped || !strings.Contains(r.Message, string(refused)) {
				t.Errorf("got %+v", r)
			}
		}
	}
	if n := report.count(Failure); n != 2 {
		t.Errorf("%d failures, want that of the API server and that of the credentials", n)
	}
}

// What keeps the checks of a scope from being made is in their report, under the name that they refer to.
func TestReportsSayWhatKeepsTheirChecksFromBeingMade(t *testing.T) {
	unset := errors.New("DO_ACCESS_TOKEN is not set")
	unauthorized := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "reading", Err: errors.New("unauthorized")}
	typo := Manager{Problems: []string{`--controllers: "node" is no controller`}}
	for name, tt := range map[string]struct {
		options Options
		want    string
	}{
		"no kubeconfig and no credentials": {Options{ClientErr: errors.New("no kubeconfig"), CloudErr: unset}, "api-server-unreachable: no kubeconfig; settings-invalid: DO_ACCESS_TOKEN is not set"},
		"refused credentials":              {Options{ClientErr: errors.New("no kubeconfig"), CloudErr: unauthorized}, "api-server-unreachable: no kubeconfig; credentials-refused: reading: unauthorized"},
		"wrong flags":                      {Options{ClientErr: errors.New("no kubeconfig"), Cloud: fake(modest{}), Manager: typo}, "api-server-unreachable: no kubeconfig; settings-invalid: the controller manager refuses its flags: " + typo.Problems[0]},
		"wrong flags, no credentials":      {Options{ClientErr: errors.New("no kubeconfig"), CloudErr: unset, Manager: typo}, "api-server-unreachable: no kubeconfig; settings-invalid: the controller manager refuses its flags: " + typo.Problems[0] + ": DO_ACCESS_TOKEN is not set"},
		"before an uninstallation":         {Options{ClientErr: errors.New("no kubeconfig"), BeforeUninstall: true}, "api-server-unreachable: no kubeconfig"},
	} {
		tt.options.Scopes = []Scope{Nodes}
		var got []string
		for _, r := range Run(t.Context(), tt.options) {
			if r.Level == Failure && r.Scope == Install {
				got = append(got, strings.Join(append([]string{r.ID, r.Message}, r.Evidence...), ": "))
			} else if r.Level != Skipped && r.Scope != Uninstall {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if says := strings.Join(got, "; "); says != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, says, tt.want)
		}
	}
}

func TestBeforeUninstall(t *testing.T) {
	finalizers := []string{"service.kubernetes.io/load-balancer-cleanup"}
	f := services(
		corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "internal"}},
		corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "others", Finalizers: finalizers}, Spec: corev1.ServiceSpec{LoadBalancerClass: ptr.To("other")}},
	)
	if o := judgeLeft(f); o.Level != OK {
		t.Errorf("got %v", o)
	}
	f.services.value = append(f.services.value, corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", Finalizers: finalizers}})
	if o := judgeLeft(f); o.Level != Failure || !strings.HasPrefix(o.Message, "a/web: left behind") {
		t.Errorf("got %v", o)
	}
	f.services.err = errors.New("no answer")
	if o := judgeLeft(f); o.Level != Failure {
		t.Errorf("Services that cannot be read: %v", o)
	}
}

// Every check is documented, and one that fails itself does not end the run.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks() {
		if c.Looks == "" || c.Fix == "" || seen[c.ID] || !strings.HasSuffix(c.Link(), "#"+c.ID) {
			t.Errorf("check %+v", c.ID)
		}
		seen[c.ID] = true
	}
	broken := Check{ID: "broken", judge: func(*facts) Outcome { panic("of no use") }}
	if o := broken.outcome(nil); o.Level != Skipped || !strings.Contains(o.Message, "of no use") {
		t.Errorf("got %v", o)
	}
	report := Run(t.Context(), Options{ClientErr: errors.New("no kubeconfig"), CloudErr: errors.New("no token")})
	if len(report) != len(seen)-1 || report.count(Failure) != 2 {
		t.Errorf("without anything %d checks of %d ran, %d failures", len(report), len(seen)-1, report.count(Failure))
	}
	of := Run(t.Context(), Options{ClientErr: errors.New("no"), CloudErr: errors.New("no"), Scopes: []Scope{Services}})
	if of.scope(Services) != report.scope(Services) || len(of) != report.scope(Services)+of.count(Failure) {
		t.Error("a scope has other checks than its own and those that keep them from being made")
	}
}

func (r Report) scope(s Scope) int {
	n := 0
	for _, result := range r {
		if result.Scope == s {
			n++
		}
	}
	return n
}

func sample() Report {
	return Report{
		{"leader-missing", Install, Outcome{Level: OK, Message: "pod-1 leads"}, "https://example.com#leader-missing"},
		{"node-x", Nodes, Outcome{Failure, "a is\x1b[31m stuck", []string{"one <fact>"}, "look"}, "https://example.com#node-x"},
		{"manager-x", Install, Outcome{Level: Skipped, Message: "may not"}, "https://example.com#manager-x"},
		{"service-x", Services, Outcome{Warning, "odd", nil, "see"}, "https://example.com#service-x"},
	}
}

func TestJUnit(t *testing.T) {
	var out strings.Builder
	if err := sample().JUnit(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuite name="doctor" tests="4" failures="1" skipped="1">`, `<testcase name="node-x" classname="doctor.node">`,
		"one &lt;fact&gt;", `<skipped message="may not"></skipped>`, "<system-out>warning: odd",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
}

// modest is a cloud that answers everything but the question for the account.
type modest struct{}

func (modest) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{}, errors.New("403: needs account:read")
}

func (modest) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureUnauthorized} }

func (modest) Instances() cloud.Instances { return listing{} }

type listing struct{ ids }

func (listing) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: []cloud.Instance{{ID: "1"}}, Complete: true}, nil
}

// Credentials that may not ask for their account are no failure, and the machines are read.
func TestAccountMayNotBeAsked(t *testing.T) {
	f := &facts{Options: Options{Cloud: fake(modest{})}}
	f.sky.ask(t.Context(), f.Options)
	o := judgeAccountKnown(f)
	if _, listed := f.sky.machines["1"]; !listed || o.Level != Warning || !strings.Contains(o.Message, "account:read") {
		t.Errorf("machines %v, %v", f.sky.machines, o)
	}
}

// The machines that the cloud has are those of the Nodes, or the account is another one.
func TestAccount(t *testing.T) {
	const taint = "node.cloudprovider.kubernetes.io/uninitialized"
	machines := map[cloud.InstanceID]cloud.Instance{"9": {ID: "9", Name: "worker-9", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.9"}}}}
	addressed := node("x", "", 0, taint)
	addressed.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.9"}}
	for name, tt := range map[string]struct {
		nodes    []*corev1.Node
		machines map[cloud.InstanceID]cloud.Instance
		want     Level
	}{
		"none of the machines of two":  {[]*corev1.Node{node("a", "fake://gone", 0), node("b", "fake://gone", 0), node("c", "other://3", 0)}, machines, Failure},
		"one of them":                  {[]*corev1.Node{node("a", "fake://gone", 0), node("b", "fake://9", 0)}, machines, OK},
		"a new Node, nothing alike":    {[]*corev1.Node{node("control-plane", "", 0, taint)}, machines, Failure},
		"a new Node with another name": {[]*corev1.Node{node("worker-9.example.com", "", 0, taint)}, machines, OK},
		"a new Node with its address":  {[]*corev1.Node{addressed}, machines, OK},
		"nothing at all":               {nil, map[cloud.InstanceID]cloud.Instance{}, Warning},
		"no Node":                      {nil, machines, OK},
	} {
		f := &facts{Options: Options{Cloud: fake(driver{})}, now: now}
		f.nodes.value, f.sky.machines = tt.nodes, tt.machines
		f.sky.match(t.Context(), f.Options, tt.nodes)
		if o := judgeAccount(f); o.Level != tt.want {
			t.Errorf("%s: %v, want %s", name, o, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"worker", "worker", 0}, {"worker-1", "worker-2", 1}, {"kitten", "sitting", 3}, {"", "abc", 3}} {
		if got := annotation.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestClock(t *testing.T) {
	for _, tt := range []struct {
		ahead time.Duration
		want  Level
	}{{0, OK}, {20 * time.Second, OK}, {time.Minute, Warning}, {-time.Minute, Warning}, {time.Hour, Failure}} {
		c := NewClock()
		c.See(ClockOfCloud, &http.Response{Header: http.Header{"Date": {time.Now().Add(tt.ahead).UTC().Format(http.TimeFormat)}}})
		c.See(ClockOfServer, &http.Response{Header: http.Header{"Date": {"not a date"}}})
		if o := judgeClock(&facts{Options: Options{Clock: c}}); o.Level != tt.want {
			t.Errorf("%s: %v, want %s", tt.ahead, o, tt.want)
		}
	}
}

// Routes that are asked for, of a cloud whose configuration has none.
func TestRoutesThatAreNotConfigured(t *testing.T) {
	f := &facts{Options: Options{Cloud: fake(driver{})}}
	f.Manager.RoutesAsked = true
	if got := judgeCIDRs(f); got.Level == Failure {
		t.Errorf("on a cloud without routes: %+v", got)
	}
	f.Cloud.Descriptor.Capabilities.Routes = true
	if got := judgeCIDRs(f); got.Level != Failure || !strings.Contains(got.Message, "network") {
		t.Errorf("on a cloud with routes: %+v", got)
	}
}

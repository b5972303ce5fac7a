package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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

// lines are the report without its fixes; those must be there exactly for what is not well.
func lines(t *testing.T, r Report) string {
	t.Helper()
	var list []string
	for _, f := range r {
		list = append(list, string(f.Level)+" "+f.Message)
		if (f.Fix == "") != (f.Level == OK) {
			t.Errorf("%s %q with fix %q", f.Level, f.Message, f.Fix)
		}
	}
	return strings.Join(list, "\n")
}

func TestNodes(t *testing.T) {
	const taint = "node.cloudprovider.kubernetes.io/uninitialized"
	o := Options{Cloud: run.Decorate(driver{}, run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}}})}
	listed := map[cloud.InstanceID]bool{"1": true}
	for _, tt := range []struct {
		name   string
		node   *corev1.Node
		listed map[cloud.InstanceID]bool
		want   string
	}{
		{"in order", node("a", "fake://1", time.Hour), listed, "ok 1 in order, 0 left alone"},
		{"list not known", node("a", "fake://gone", time.Hour), nil, "ok 1 in order, 0 left alone"},
		{"not listed", node("a", "fake://unlisted", time.Hour), listed, "ok 1 in order, 0 left alone"},
		{"not to be read", node("a", "fake://unreadable", time.Hour), listed, "ok 1 in order, 0 left alone"},
		{"gone", node("a", "fake://gone", time.Hour), listed, "ok 0 in order, 0 left alone\nwarning a: the cloud has no such machine"},
		{"gone, though its kubelet reports", up(node("a", "fake://gone", time.Hour)), listed, "ok 0 in order, 0 left alone\nwarning a: Ready, though the cloud has no such machine; more of them than the deletion brake lets go together stop all deletions"},
		{"foreign", node("a", "other://1", time.Hour), listed, "ok 0 in order, 1 left alone"},
		{"new", node("a", "", time.Minute, taint), listed, "ok 1 in order, 0 left alone"},
		{"stuck", node("a", "", time.Hour, taint), listed, "ok 0 in order, 0 left alone\nfailure a: not initialised for more than 2m0s"},
		{"just registered", node("a", "", time.Minute), listed, "ok 0 in order, 1 left alone"},
		{"kubelet without flag, machine of its name", node("twin", "", time.Hour), listed, "ok 0 in order, 0 left alone\nwarning twin (machine 7): no provider-ID: found by name as targets of load balancers, and nothing else is done for them"},
		{"kubelet without flag", node("a", "", time.Hour), listed, "ok 0 in order, 0 left alone\nfailure a: neither provider-ID nor taint: the kubelet registered without --cloud-provider=external"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nodes := []*corev1.Node{tt.node}
			absent := o.absent(t.Context(), nodes, tt.listed)
			if got := lines(t, judgeNodes(nodes, o.Cloud.Concerns, absent, o.named(t.Context(), nodes), now)); got != tt.want {
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
		"warning lease kube-system/ccm has had no holder: there has been no election yet, or --leader-elect=false": {
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"},
		},
	} {
		if got := lines(t, Report{judgeLease(l, now)}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestServices(t *testing.T) {
	service := func(name string, age time.Duration, change func(*corev1.Service)) corev1.Service {
		svc := corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, CreationTimestamp: metav1.NewTime(now.Add(-age))},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
		}
		change(&svc)
		return svc
	}
	asIs := func(*corev1.Service) {}
	services := []corev1.Service{
		service("served", time.Hour, func(s *corev1.Service) {
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}),
		service("new", time.Minute, asIs),
		service("classed", time.Hour, func(s *corev1.Service) { s.Spec.LoadBalancerClass = ptr.To("other") }),
		service("disowned", time.Hour, func(s *corev1.Service) { s.Annotations = map[string]string{annotation.Disown.Name: "true"} }),
		service("internal", time.Hour, func(s *corev1.Service) { s.Spec.Type = corev1.ServiceTypeClusterIP }),
	}
	if got, want := lines(t, judgeServices(services, annotation.Kernel(), now)), "ok 1 with an address"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 5 {
		services = append(services, service(fmt.Sprintf("web-%d", i), time.Hour, asIs))
	}
	want := "ok 1 with an address\nfailure shop/web-0, shop/web-1, shop/web-2 and 2 more: no address after 2m0s"
	if got := lines(t, judgeServices(services, annotation.Kernel(), now)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBeforeUninstall(t *testing.T) {
	finalizers := []string{"service.kubernetes.io/load-balancer-cleanup"}
	services := []corev1.Service{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "internal"}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "others", Finalizers: finalizers}, Spec: corev1.ServiceSpec{LoadBalancerClass: ptr.To("other")}},
	}
	if got, want := lines(t, Report{judgeLeft(services)}), "ok none is left behind"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	services = append(services, corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web", Finalizers: finalizers}})
	if got := lines(t, Report{judgeLeft(services)}); !strings.HasPrefix(got, "failure a/web: left behind") {
		t.Errorf("got %q", got)
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	report := Report{{"leader", OK, "pod-1 leads", ""}, {"nodes", Failure, "a: stuck", "look"}}
	if err := report.Text(&out); err != nil {
		t.Fatal(err)
	}
	want := "OK       leader  pod-1 leads\nFAILURE  nodes   a: stuck\n                 fix: look\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if !report.Failed() || report[:1].Failed() {
		t.Error("only the second finding is a failure")
	}
}

// TestView holds Nodes whose machines the cloud's list has none of against the configuration.
func TestView(t *testing.T) {
	o := Options{Cloud: run.Decorate(driver{}, run.Options{Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}}})}
	nodes := []*corev1.Node{node("a", "fake://1", time.Hour), node("b", "fake://2", time.Hour), node("c", "other://3", time.Hour)}
	for want, listed := range map[string]map[cloud.InstanceID]bool{
		"failure none of the machines of 2 Nodes is among the 1 in the cloud's list": {"9": true},
		"": {"2": true, "9": true},
	} {
		if got := lines(t, judgeView(nodes, o, listed)); !strings.EqualFold(got, want) {
			t.Errorf("listed %v: %q, want %q", listed, got, want)
		}
	}
	if got := judgeView(nodes, o, nil); len(got) > 0 {
		t.Errorf("a list that proves nothing: %v", got)
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
	o := Options{Cloud: run.Decorate(modest{}, run.Options{Descriptor: cloud.Descriptor{Name: "fake"}})}
	listed, findings := o.machines(t.Context())
	got := lines(t, findings)
	if !listed["1"] || !strings.HasPrefix(got, "warning they may not ask which account they see") || !strings.Contains(got, "account:read") {
		t.Errorf("machines %v, findings %s", listed, got)
	}
}

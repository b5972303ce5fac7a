package doctor

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// A machine that is not in the network of the routes is named before its route is missed.
func TestUnattachedMachine(t *testing.T) {
	c := fake(driver{})
	c.Routes, c.Descriptor.Capabilities.RoutesByAddress = struct{ cloud.Routes }{}, true
	f := &facts{Options: Options{Cloud: c, Manager: Manager{ClusterCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}}}, now: now}
	for name, addresses := range map[string][]cloud.Address{
		"in":  {{Type: cloud.AddressExternalIP, Address: "192.0.2.1"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.2"}},
		"out": {{Type: cloud.AddressExternalIP, Address: "192.0.2.2"}, {Type: cloud.AddressInternalIP, Address: "fd00::2"}},
	} {
		one := node(name, "fake://"+name, time.Hour)
		one.Spec.PodCIDRs = []string{"10.244.1.0/24"}
		f.nodes.value = append(f.nodes.value, one)
		if f.sky.machines == nil {
			f.sky.machines = map[cloud.InstanceID]cloud.Instance{}
		}
		f.sky.machines[cloud.InstanceID(name)] = cloud.Instance{ID: cloud.InstanceID(name), Name: name, Addresses: addresses}
	}
	f.sky.match(t.Context(), f.Options, f.nodes.value)
	if o := judgeCIDRs(f); o.Level != Failure || len(o.Evidence) != 1 || !strings.HasPrefix(o.Evidence[0], "out: machine out is not in") {
		t.Errorf("%+v", o)
	}
	c.Routes = nil
	if o := judgeCIDRs(f); o.Level != OK {
		t.Errorf("without routes: %+v", o)
	}
}

// locked is a cloud of which a part does not answer.
type locked struct{ driver }

func (locked) Instances() cloud.Instances { return partly{} }

func (locked) Classify(error) cloud.Failure { return cloud.Failure{Class: cloud.FailureThrottled} }

type partly struct{ ids }

func (partly) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: []cloud.Instance{{ID: "1"}}, Err: errors.New("the web service locks the account")}, nil
}

// Why a list is incomplete is said, with what to do.
func TestIncompleteList(t *testing.T) {
	f := &facts{Options: Options{Cloud: fake(locked{})}}
	f.sky.ask(t.Context(), f.Options)
	if o := judgeFailing(f); o.Level != Warning || !strings.Contains(o.Message, "locks the account") || !strings.Contains(o.Fix, "rate limit") {
		t.Errorf("%+v", o)
	}
}

// What the controller manager said about routes and about second load balancers is found.
func TestSaid(t *testing.T) {
	said := func(kind, name, reason, message string) corev1.Event {
		return corev1.Event{
			InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: "shop", Name: name, UID: "1"}, Reason: reason, Message: message,
			LastTimestamp: metav1.NewTime(now.Add(-time.Minute)),
		}
	}
	web := service("web", time.Hour, func(s *corev1.Service) {
		s.UID, s.Status.LoadBalancer.Ingress = "1", []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	})
	f := services(web)
	f.sky.machines = map[cloud.InstanceID]cloud.Instance{}
	f.events.value = []corev1.Event{
		said("Node", "node-0", "FailedToCreateRoute", "Could not create route: token_readonly; "+refusalText),
		said("Service", "web", event.DuplicateFound.Name, "2 and 3 have its marks too"),
	}
	if o := judgeReadOnly(f); o.Level != Failure || len(o.Evidence) != 1 || !strings.HasPrefix(o.Evidence[0], "Node node-0: FailedToCreateRoute") {
		t.Errorf("%+v", o)
	}
	if got := found(t, f, Services); got != "failure | service-contested | shop/web: 2 and 3 have its marks too" {
		t.Errorf("got %s", got)
	}
}

// forwarding is a cloud whose machines have addresses that only their Nodes know.
type forwarding struct{ driver }

func (forwarding) FromNodeAddresses(_ cloud.Instance, node cloud.NodeAttributes) []cloud.Address {
	return node.Addresses
}

// An address that only the Node knows is one of its machine.
func TestAddressOfTheNode(t *testing.T) {
	one := node("one", "fake://1", time.Hour)
	one.Annotations = map[string]string{"alpha.kubernetes.io/provided-node-ip": "10.0.0.7"}
	one.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.7"}}
	for c, want := range map[cloud.Account]string{driver{}: "failure | node-address-unknown", forwarding{}: ""} {
		f := &facts{Options: Options{Cloud: fake(c), Patience: DefaultPatience}, now: now}
		f.nodes.value = []*corev1.Node{one}
		f.sky.machines = map[cloud.InstanceID]cloud.Instance{"1": {ID: "1", Name: "one", Addresses: []cloud.Address{{Type: cloud.AddressExternalIP, Address: "192.0.2.1"}}}}
		f.sky.match(t.Context(), f.Options, f.nodes.value)
		if got := found(t, f, Nodes); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%T: %q", c, got)
		}
	}
}

// describing is a cloud whose machines only their Nodes describe.
type describing struct{ driver }

func (describing) FromNode(node cloud.NodeAttributes) (cloud.Instance, bool) {
	return cloud.Instance{ID: cloud.DescribedInstance(node.Name), ProviderID: node.ProviderID, Name: node.Name, Addresses: node.Addresses}, true
}

// A Node that nobody deletes is named when it has been NotReady for a week.
func TestSilentNodes(t *testing.T) {
	for _, tt := range []struct {
		cloud   cloud.Account
		status  corev1.ConditionStatus
		silence time.Duration
		want    string
	}{
		{describing{}, corev1.ConditionUnknown, 8 * 24 * time.Hour, "warning | node-silent | one: NotReady since 20"},
		{describing{}, corev1.ConditionUnknown, 6 * 24 * time.Hour, ""},
		{describing{}, corev1.ConditionTrue, 8 * 24 * time.Hour, ""},
		{driver{}, corev1.ConditionUnknown, 8 * 24 * time.Hour, ""},
	} {
		one := node("one", "fake://1", 30*24*time.Hour)
		one.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: tt.status, LastTransitionTime: metav1.NewTime(now.Add(-tt.silence))}}
		f := &facts{Options: Options{Cloud: fake(tt.cloud), Patience: DefaultPatience}, now: now}
		f.nodes.value = []*corev1.Node{one}
		f.sky.machines = map[cloud.InstanceID]cloud.Instance{"1": {ID: "1", Name: "one"}}
		f.sky.match(t.Context(), f.Options, f.nodes.value)
		if got := found(t, f, Nodes); !strings.HasPrefix(got, tt.want) || tt.want == "" && strings.Contains(got, "node-silent") {
			t.Errorf("%T, %s for %s: %q", tt.cloud, tt.status, tt.silence, got)
		}
	}
}

// listed are routes whose list fails, or not.
type listed struct {
	cloud.Routes
	err error
}

func (l listed) ListRoutes(context.Context, cloud.Owner) ([]cloud.Route, error) { return nil, l.err }

// A name of the cluster that no route can have is found before a pass of the route controller refuses it.
func TestRoutesThatCannotBeRead(t *testing.T) {
	for want, err := range map[Level]error{OK: nil, Failure: &cloud.Invalid{Field: "--cluster-name", Value: "My_cluster", Want: "want small letters"}} {
		c := fake(driver{})
		c.Routes = listed{err: err}
		f := &facts{Options: Options{Cloud: c, Manager: Manager{ClusterCIDRs: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}}}, now: now}
		f.sky.ask(t.Context(), f.Options)
		if o := judgeCIDRs(f); o.Level != want || err != nil && !strings.Contains(o.Message, "My_cluster") {
			t.Errorf("%v: %+v", err, o)
		}
	}
}

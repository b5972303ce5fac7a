package adopt

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

var proxyKey = annotation.Own("fake.io/proxy", annotation.TypeBool, "PROXY protocol.")

// driver is a cloud with one load balancer, whose listener has a PROXY protocol or not.
type driver struct{ proxied bool }

func (driver) Identity(context.Context) (cloud.Identity, error) {
	return cloud.Identity{Account: "a"}, nil
}
func (driver) Classify(error) cloud.Failure                 { return cloud.Failure{} }
func (d driver) Instances() cloud.Instances                 { return machines{} }
func (driver) Eligible(cloud.Balancer, cloud.Target) string { return "" }
func (driver) Apply(context.Context, cloud.Change) (cloud.Progress, error) {
	return cloud.Progress{}, errors.New("nothing may be changed")
}

func (d driver) Observe(_ context.Context, in cloud.Input) (cloud.Observed, error) {
	return cloud.Observed{
		Found: true, ID: "lb-1", State: cloud.BalancerActive, Owner: in.Owner, Balancer: shape(in, d.proxied, []cloud.InstanceID{"1"}),
		Addresses: []cloud.BalancerAddress{{IP: "192.0.2.1", Proxy: d.proxied}},
	}, nil
}

func (driver) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	return shape(in, proxyKey.Bool(in.Options), nil), nil, nil
}

func shape(in cloud.Input, proxied bool, targets []cloud.InstanceID) cloud.Balancer {
	b := cloud.Balancer{Name: "web", Targets: targets, OwnershipTags: []string{"uid=" + in.Owner.UID}}
	for _, port := range in.Ports {
		l := port.Listener()
		l.ProviderFields = map[string]string{"proxyProtocol": strconv.FormatBool(proxied)}
		b.Listeners = append(b.Listeners, l)
	}
	return b
}

type machines struct{}

var machine = cloud.Instance{ID: "1", Name: "worker", ProviderID: "fake://1", State: cloud.StateRunning, Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}}

func (machines) ParseProviderID(id string) (cloud.InstanceID, error) {
	return cloud.InstanceID(strings.TrimPrefix(id, "fake://")), nil
}
func (machines) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Items: []cloud.Instance{machine}, Complete: true}, nil
}
func (machines) Get(context.Context, ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return map[cloud.InstanceID]cloud.Instance{"1": machine}, nil
}
func (machines) FindByName(context.Context, string) ([]cloud.Instance, error) {
	return []cloud.Instance{machine}, nil
}

// cluster has one Node, and one Service with the load balancer's address.
func cluster(annotations map[string]string) inspect.Cluster {
	ready := []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", UID: "n"}, Spec: corev1.NodeSpec{ProviderID: "fake://1"}}
	node.Status.Conditions, node.Status.Addresses = ready, []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}, {Type: corev1.NodeHostName, Address: "worker"}}
	svc := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u", Annotations: annotations},
		Spec: corev1.ServiceSpec{
			Type:  corev1.ServiceTypeLoadBalancer,
			Ports: []corev1.ServicePort{{Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080, TargetPort: intstr.FromInt32(80)}},
		},
	}
	vip := corev1.LoadBalancerIPModeVIP
	svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1", IPMode: &vip}}
	return inspect.Cluster{Nodes: []*corev1.Node{node}, Services: []*corev1.Service{svc}}
}

func looker(proxied bool, annotations map[string]string) *inspect.Inspector {
	return inspect.New(inspect.Options{
		Cloud: run.Decorate(cloudtest.Driver(driver{proxied: proxied}), run.Options{
			Descriptor: cloud.Descriptor{Name: "fake", ProviderIDSchemes: []string{"fake"}, Capabilities: cloud.Capabilities{Protocols: []cloud.Protocol{cloud.ProtocolTCP}}}, Annotations: annotation.Set{proxyKey},
		}),
		ClusterID: "kubernetes", Cluster: cluster(annotations), Tuning: framework.DefaultTuning(), Adoption: safety.Adoption{},
	})
}

// What is going to be done is said as `plan` says it: what is a default is not what the Service asks for, and
// ipMode is told only where the load balancer changes connections once the plan is carried out.
func TestLookSaysWhatPlanSays(t *testing.T) {
	on := map[string]string{proxyKey.Name: "true"}
	for name, tt := range map[string]struct {
		proxied     bool
		annotations map[string]string
		reason      string
		ipMode      bool
	}{
		"a default is changed back": {true, nil, "proxyProtocol: true → false (the default: nothing on the Service asks for another value)", false},
		"an annotation":             {false, on, "proxyProtocol: false → true (annotation fake.io/proxy)", false},
		"as it is":                  {true, on, "", true},
		"without PROXY protocol":    {false, nil, "", false},
	} {
		report := Look(t.Context(), looker(tt.proxied, tt.annotations), "fake", cloud.Upstream{Name: "upstream"})
		var said, planned bytes.Buffer
		entries := looker(tt.proxied, tt.annotations).Services(t.Context())
		if err := errors.Join(report.Text(&said, layout.Page{}), plan.NewReport("fake", nil, entries).Text(&planned, layout.Page{})); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(planned.String(), tt.reason) {
			t.Errorf("%s: the plan has no %q:\n%s", name, tt.reason, &planned)
		}
		for line := range strings.Lines(planned.String()) {
			if strings.HasPrefix(line, "  ") && !strings.Contains(said.String(), "  "+line) {
				t.Errorf("%s: adopt does not say %q:\n%s", name, line, &said)
			}
		}
		if got := strings.Contains(said.String(), "ipMode Proxy"); got != tt.ipMode {
			t.Errorf("%s: ipMode is told %t, want %t:\n%s", name, got, tt.ipMode, &said)
		}
		if strings.Contains(said.String(), "Service asks for it") || strings.Contains(said.String(), "as the Service asks") {
			t.Errorf("%s: what the Service asks for is told otherwise than by the plan:\n%s", name, &said)
		}
	}
}

// A status that is not written is not told.
func TestNoStatusOfRefusedServices(t *testing.T) {
	report := Look(t.Context(), looker(true, map[string]string{proxyKey.Name: "true", annotation.NodeSelector.Name: "!!"}), "fake", cloud.Upstream{Name: "upstream"})
	for _, d := range report.Differences {
		if d.ID == throughProxy.id {
			t.Errorf("%+v of a Service that is refused", d)
		}
	}
	if report.Verdict != Trouble {
		t.Errorf("verdict %s", report.Verdict)
	}
}

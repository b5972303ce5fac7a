package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// drifting is a cloud with a load balancer of each Service, as the Service asks but for what edit does to it.
type drifting struct {
	cloud.BalancerReader
	driver
	edit         map[string]func(*cloud.Observed) // by the name of the Service
	err          error
	lists, reads atomic.Int32
}

func (d *drifting) Instances() cloud.Instances { return machinesOf{} }

// machinesOf are the machines 1 and 2.
type machinesOf struct{ ids }

func (machinesOf) List(context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Complete: true, Items: []cloud.Instance{{ID: "1", Name: "a"}, {ID: "2", Name: "b"}}}, nil
}

func (d *drifting) ListBalancers(context.Context) (cloud.BulkList, error) {
	d.lists.Add(1)
	return listedDrift{d}, d.err
}

func (d *drifting) Observe(_ context.Context, in cloud.Input) (cloud.Observed, error) {
	d.reads.Add(1)
	return d.observe(in)
}

// listedDrift is all load balancers of a drifting cloud.
type listedDrift struct{ *drifting }

func (l listedDrift) Observe(_ context.Context, in cloud.Input) (cloud.Observed, error) {
	return l.observe(in)
}

func (d *drifting) observe(in cloud.Input) (cloud.Observed, error) {
	b, _, _ := d.Normalize(in)
	b.Targets = []cloud.InstanceID{"1", "2"}
	o := cloud.Observed{Found: true, ID: "lb-" + in.Owner.Name, Owner: in.Owner, Balancer: b, State: cloud.BalancerActive}
	if edit := d.edit[in.Owner.Name]; edit != nil {
		edit(&o)
	}
	return o, d.err
}

func (d *drifting) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	b := cloud.Balancer{Name: in.Owner.Name, OwnershipTags: []string{"uid=" + in.Owner.UID}}
	for _, port := range in.Ports {
		b.Listeners = append(b.Listeners, cloud.Listener{Protocol: port.Protocol, Port: port.Port, TargetProtocol: port.Protocol, TargetPort: port.NodePort})
	}
	return b, nil, nil
}

func (d *drifting) Eligible(cloud.Balancer, cloud.Target) string { return "" }

func (d *drifting) Apply(context.Context, cloud.Change) (cloud.Progress, error) {
	panic("the doctor changes nothing")
}

// drifts are the facts of a cluster with two Nodes and these Services, which a controller manager serves.
func drifts(t *testing.T, d *drifting, names ...string) *facts {
	t.Helper()
	f := services()
	kept := f.Cloud
	f.Cloud = run.Decorate(cloudtest.Driver(d), run.Options{Descriptor: kept.Descriptor})
	for _, name := range names {
		f.services.value = append(f.services.value, service(name, time.Hour, func(s *corev1.Service) {
			s.UID = types.UID("uid-" + name)
			s.Spec.Ports = []corev1.ServicePort{{Port: 80, NodePort: 30080, Protocol: corev1.ProtocolTCP}, {Port: 443, NodePort: 30443, Protocol: corev1.ProtocolTCP}}
			s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}))
	}
	f.nodes.value = []*corev1.Node{up(node("a", "fake://1", time.Hour)), up(node("b", "fake://2", time.Hour))}
	f.Manager = Manager{Known: true, ClusterID: "prod", Workload: &Workload{Kind: "Deployment", Namespace: "kube-system", Name: "ccm"}}
	f.Manager.Tuning.Reensure = 45 * time.Minute
	f.sky.ask(t.Context(), f.Options)
	f.sky.match(t.Context(), f.Options, f.nodes.value)
	return f
}

func edited(change func(*cloud.Observed)) *drifting {
	return &drifting{edit: map[string]func(*cloud.Observed){"web": change}}
}

// What somebody changes in the cloud is named with its Service, and so is what to do.
func TestDrift(t *testing.T) {
	asIs := func(*facts) {}
	noListener := func(o *cloud.Observed) { o.Balancer.Listeners = o.Balancer.Listeners[:1] }
	oneTarget := func(o *cloud.Observed) { o.Balancer.Targets = []cloud.InstanceID{"1"} }
	more := func(o *cloud.Observed) { o.Balancer.Targets = []cloud.InstanceID{"1", "2", "9"} }
	noTags := func(o *cloud.Observed) { o.Balancer.OwnershipTags = nil }
	for name, tt := range map[string]struct {
		edit   func(*cloud.Observed)
		change func(*facts)
		level  Level
		says   []string
	}{
		"as asked for":       {func(*cloud.Observed) {}, asIs, OK, []string{"2 load balancers as asked for"}},
		"a listener deleted": {noListener, asIs, Failure, []string{"1 Service", ": shop/web", "shop/web: create listener tcp/443", "45m0s", "kubectl annotate service web -n shop --overwrite looked-at", "plan service shop/web"}},
		"a target removed":   {oneTarget, asIs, Failure, []string{"shop/web: create target 2"}},
		"renamed":            {func(o *cloud.Observed) { o.Balancer.Name = "mine" }, asIs, Failure, []string{"name: mine → web"}},
		"deleted":            {func(o *cloud.Observed) { *o = cloud.Observed{} }, asIs, Failure, []string{"shop/web: create balancer"}},
		"more than is told": {func(o *cloud.Observed) {
			o.Balancer.Name, o.Balancer.Listeners, o.Balancer.Targets = strings.Repeat("x", 500), nil, nil
		}, asIs, Failure, []string{"; and 2 more"}},
		"an ownership tag removed": {noTags, asIs, Warning, []string{"ownership tags"}},
		"in a dry run":             {noListener, func(f *facts) { f.Manager.DryRun = true }, Warning, []string{"tcp/443", "only plans"}},
		"nobody is known to lead":  {noListener, func(f *facts) { f.Manager.Known = false }, Warning, []string{"tcp/443", "when it starts"}},
		"a Service that asks for what is impossible": {noListener, func(f *facts) {
			f.services.value[0].Annotations = map[string]string{"multicloud-ccm.io/source-ranges": "foo"}
		}, Skipped, []string{"1 Service could not be planned: shop/web: "}},

		"a load balancer of another id, where the id is not known": {func(o *cloud.Observed) { o.Owner.Cluster = "prod" }, func(f *facts) {
			f.Manager.Known, f.Manager.ClusterID = false, "kubernetes"
			f.services.value[0].Annotations = map[string]string{"multicloud-ccm.io/adopt": "lb-web"}
		}, Skipped, []string{"may not be this cluster's", "see service-cluster"}},
		"ownership tags of an id that is not known": {noTags, func(f *facts) { f.Manager.Known, f.Manager.ClusterID = false, "kubernetes" }, OK, nil},
		"a target of a Node that has just joined": {oneTarget, func(f *facts) {
			f.nodes.value[1].CreationTimestamp = metav1.NewTime(now.Add(-time.Minute))
		}, OK, nil},
		"a target of a Node that is just Ready": {oneTarget, func(f *facts) {
			f.nodes.value[1].Status.Conditions[0].LastTransitionTime = metav1.NewTime(now.Add(-time.Minute))
		}, OK, nil},
		"a target without a Node": {more, asIs, Failure, []string{"delete target 9"}},
		"a target whose machine is not known": {more, func(f *facts) {
			f.nodes.value = append(f.nodes.value, up(node("c", "fake://9", time.Hour)))
		}, OK, nil},
		"while the cloud is at it": {func(o *cloud.Observed) { noListener(o); o.State = cloud.BalancerPending }, asIs, OK, []string{"1 load balancer as"}},
		"a Service that was just changed": {noListener, func(f *facts) {
			at := metav1.NewTime(now.Add(-time.Minute))
			f.services.value[0].ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: &at}}
		}, OK, []string{"1 load balancer as asked for; left out: 1 Service, just changed"}},
		"a Service whose status was just written": {noListener, func(f *facts) {
			at := metav1.NewTime(now.Add(-time.Minute))
			f.services.value[0].ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "ccm", Time: &at, Subresource: "status"}}
		}, Failure, nil},
		"a Service without an address":    {noListener, func(f *facts) { f.services.value[0].Status = corev1.ServiceStatus{} }, OK, []string{"1 load balancer as"}},
		"a Service of another controller": {noListener, func(f *facts) { f.services.value[0].Spec.LoadBalancerClass = new("other") }, OK, []string{"1 load balancer as"}},
		"a Service that another check names": {noListener, func(f *facts) {
			f.forecasts = forecastsOf(f, &f.services.value[0])
		}, OK, []string{"1 load balancer as"}},
		"the cloud cannot be reached": {noListener, func(f *facts) { f.sky.err, f.sky.kind = errors.New("no answer"), silent }, Skipped, []string{"see cloud-unreachable"}},
		"machines are not known":      {noListener, func(f *facts) { f.sky.machines = nil }, Skipped, []string{"incomplete"}},
		"Nodes may not be read":       {noListener, func(f *facts) { f.nodes.err = errors.New("no right") }, Skipped, []string{"no right"}},
		"Services may not be read":    {noListener, func(f *facts) { f.services.err = errors.New("no right") }, Skipped, []string{"no right"}},
		"a cloud without balancers":   {noListener, func(f *facts) { f.Cloud.Balancers = nil }, OK, []string{"the cloud has no load balancers"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := drifts(t, edited(tt.edit), "web", "other")
			tt.change(f)
			f.clusters = namedClusters(t.Context(), f)
			f.drift = drifted(t.Context(), f)
			o := judgeDrift(f)
			all := fmt.Sprint(o.Message, "\n", strings.Join(o.Evidence, "\n"), "\n", o.Fix)
			if o.Level != tt.level {
				t.Errorf("%s, want %s: %s", o.Level, tt.level, all)
			}
			for _, part := range tt.says {
				if !strings.Contains(all, part) {
					t.Errorf("%q is not said: %s", part, all)
				}
			}
			if len(all) > 2000 {
				t.Errorf("%d letters are said", len(all))
			}
		})
	}
}

func forecastsOf(f *facts, svc *corev1.Service) []forecast {
	return []forecast{{svc, f.inspector().Service(context.Background(), svc)}}
}

// Many Services cost a few lists, and what was not looked at is told.
func TestDriftOfMany(t *testing.T) {
	var names []string
	for n := range mostPlanned + 100 {
		names = append(names, fmt.Sprintf("web-%03d", n))
	}
	d := &drifting{edit: map[string]func(*cloud.Observed){}}
	for _, name := range append(names[:20:20], names[mostPlanned:]...) {
		d.edit[name] = func(o *cloud.Observed) { o.Balancer.Listeners = nil }
	}
	f := drifts(t, d, names...)
	f.clusters = namedClusters(t.Context(), f)
	f.drift = drifted(t.Context(), f)
	o := judgeDrift(f)
	if o.Level != Failure || !strings.HasPrefix(o.Message, "20 Services with") || !strings.Contains(o.Message, "not looked at: 100 of 600 Services") || len(o.Evidence) != mostEvidence+1 {
		t.Errorf("%+v", o)
	}
	if d.lists.Load()+d.reads.Load() > 5 {
		t.Errorf("%d lists and %d single reads", d.lists.Load(), d.reads.Load())
	}
}

// A cloud that fails is asked no further, and the reason is told.
func TestDriftUnknown(t *testing.T) {
	var names []string
	for n := range 3 * plannedTogether {
		names = append(names, fmt.Sprintf("web-%03d", n))
	}
	d := &drifting{}
	f := drifts(t, d, names...)
	d.err = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Op: "list balancers", Err: errors.New("too many requests")}
	f.drift = drifted(t.Context(), f)
	if o := judgeDrift(f); o.Level != Skipped || f.drift.planned != plannedTogether || !strings.Contains(o.Message, "50 Services could not be planned: shop/web-000: ") ||
		!strings.Contains(o.Message, "too many requests") || !strings.Contains(o.Message, "not looked at: 100 of 150") {
		t.Errorf("%d planned: %+v", f.drift.planned, o)
	}
	d = &drifting{}
	f = drifts(t, d, names...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.drift = drifted(ctx, f)
	if o := judgeDrift(f); o.Level != Skipped || !strings.Contains(o.Message, "no plan was made") {
		t.Errorf("without time: %+v", o)
	}
}

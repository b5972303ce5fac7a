// Package inspect puts the kernel on one reading of a cluster and of its cloud, to say what it
// would do and why. It only reads: it takes no lease, and works beside any running controller manager.
package inspect

import (
	"context"
	"net/netip"
	"slices"
	"sort"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/firewall"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Options say what is looked at, and how the controller manager is, or will be, configured.
type Options struct {
	// Cloud is read only: nothing but its transport keeps it from being changed.
	Cloud     *run.Cloud
	ClusterID string
	// FormerClusterIDs are ids that the cluster had before.
	FormerClusterIDs []string
	Cluster          Cluster
	Tuning           framework.Tuning
	Adoption         safety.Adoption
	// ClusterCIDRs are the pod networks that routes are made for; without them there are none.
	ClusterCIDRs []netip.Prefix
	// Enabled says of each controller whether it runs, see controller.Enabled; nil for those that run
	// by default.
	Enabled map[string]bool
}

// confirmGap is the time between the two direct reads that must both say a machine is gone. A
// running controller manager leaves more; here somebody waits.
const confirmGap = time.Second

// parallel is how many Nodes or Services are looked at together: what they ask for is joined.
const parallel = 32

// Inspector is the kernel on one reading of a cluster.
type Inspector struct {
	cloud     *run.Cloud
	cluster   Cluster
	keepNodes bool
	enabled   map[string]bool
	tuning    framework.Tuning
	inventory *instance.Inventory
	nodeIPs   framework.NodeIPs
	balancers *loadbalancer.Manager // nil when the cloud has none
	firewall  *firewall.Manager
	routes    *route.Manager // nil when there are none to be made
	told      told
	logged    logged
}

// New returns an Inspector that has asked the cloud nothing yet.
func New(o Options) *Inspector {
	i := &Inspector{cloud: o.Cloud, cluster: o.Cluster, keepNodes: o.Tuning.KeepNodes, tuning: o.Tuning, enabled: o.Enabled}
	policy := o.Tuning.Instances
	policy.ConfirmGap = confirmGap
	brake := safety.NewBrake(o.Tuning.Brake)
	brake.Keep(o.Cluster.record(safety.AnnotationNodes + o.Cloud.Name))
	executor := run.NewExecutor(o.Cloud, run.DryRun, nil, i.logged.add)
	i.inventory = instance.New(instance.Options{Cloud: o.Cloud, Nodes: i.mine, Brake: brake, Policy: policy})
	i.nodeIPs = framework.NodeIPs{Networks: o.Tuning.NodeNetworks, Nodes: func() []*corev1.Node { return o.Cluster.Nodes }, Machines: i.inventory.AtAny}
	if o.Cloud.Balancers != nil {
		i.balancers = loadbalancer.New(loadbalancer.Options{
			Cloud: o.Cloud, Machines: i.inventory, Nodes: func() []*corev1.Node { return o.Cluster.Nodes }, Executor: executor,
			ClusterID: o.ClusterID, FormerClusterIDs: o.FormerClusterIDs, Events: &i.told, Metrics: metric.Discard{}, Trust: i.inventory.Trust,
			Services: func() []*corev1.Service { return o.Cluster.Services }, Adoption: o.Adoption,
		})
	}
	i.firewall = firewall.New(firewall.Options{
		Cloud: o.Cloud, Executor: executor, Events: &i.told,
		Managed: framework.FirewallManaged(o.Cloud.Annotations), Denied: o.Tuning.DeniedPorts,
	})
	if o.Cloud.Routes != nil && len(o.ClusterCIDRs) > 0 && i.runs(names.NodeRouteController) {
		routes := safety.NewBrake(o.Tuning.Brake)
		routes.Keep(o.Cluster.record(safety.AnnotationRoutes + o.Cloud.Name))
		i.routes = route.New(route.Options{
			Cloud: o.Cloud, Machines: i.inventory, Nodes: i.mine, ClusterID: o.ClusterID,
			ClusterCIDRs: o.ClusterCIDRs, Executor: executor, Brake: routes,
		})
	}
	return i
}

// runs reports whether a controller runs.
func (i *Inspector) runs(controller string) bool {
	on, known := i.enabled[controller]
	return on || !known
}

// mine are this cloud's Nodes.
func (i *Inspector) mine() []*corev1.Node {
	return slices.DeleteFunc(slices.Clone(i.cluster.Nodes), func(n *corev1.Node) bool {
		return instance.Owner(n, i.cloud.Concerns) != instance.Mine
	})
}

// targets are the Nodes that are handed to balancers.
func (i *Inspector) targets() []*corev1.Node {
	return view.Targets(i.cluster.Nodes, i.cloud.Concerns)
}

// told keeps the events that would be recorded.
type told struct {
	mu     sync.Mutex
	events map[event.Object][]plan.Warning
}

// Record implements event.Recorder.
func (t *told) Record(object event.Object, reason event.Reason, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.events == nil {
		t.events = map[event.Object][]plan.Warning{}
	}
	t.events[object] = append(t.events[object], plan.Warning{Reason: reason.Name, Message: message})
}

// take returns what was told about an object, once.
func (t *told) take(object event.Object) []plan.Warning {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.events[object]
	delete(t.events, object)
	return found
}

// all returns everything that was told about Services, by their names.
func (t *told) all() []plan.Warning {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []plan.Warning
	for object, warnings := range t.events {
		for _, w := range warnings {
			w.Message = object.Namespace + "/" + object.Name + ": " + w.Message
			all = append(all, w)
		}
	}
	sort.Slice(all, func(n, m int) bool {
		a, b := &all[n], &all[m]
		return a.Message < b.Message || a.Message == b.Message && a.Reason < b.Reason
	})
	t.events = nil
	return all
}

// logged keeps the plans that the executor did not execute.
type logged struct {
	mu    sync.Mutex
	plans map[string][]cloud.Operation
}

func (l *logged) add(p plan.Plan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plans == nil {
		l.plans = map[string][]cloud.Operation{}
	}
	l.plans[p.Subject] = append(l.plans[p.Subject], p.Operations...)
}

// take returns the operations for a subject, once.
func (l *logged) take(subject string) []cloud.Operation {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.plans[subject]
	delete(l.plans, subject)
	return found
}

// each calls f for every item, some at a time, and returns the results in their order.
func each[T, R any](ctx context.Context, items []T, f func(context.Context, T) R) []R {
	results := make([]R, len(items))
	slots := make(chan struct{}, parallel)
	var group sync.WaitGroup
	for n, item := range items {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[n] = f(ctx, item)
		})
	}
	group.Wait()
	return results
}

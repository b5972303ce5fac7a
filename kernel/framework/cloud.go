// Package framework runs one cloud behind the unmodified controllers of
// k8s.io/cloud-provider. Nothing but it and the packages below it imports them.
//
//	API server ──▶ one shared informer each for Nodes and Services, stripped
//	                 │
//	               views          what is ours; bursts joined; what is never repeated, repeated
//	                 │
//	               controllers    node, node-lifecycle, service, route: upstream's own
//	                 │
//	               adapters       deadline, priority, contained panics, sentinel errors
//	                 │
//	               kernel         instance, loadbalancer, route, firewall
//
// What upstream's controllers get wrong is put right around them, not in them: a view may
// hide, delay, join or repeat an event; the client refuses or drops a write.
package framework

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/firewall"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/dryrun"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/leader"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/readiness"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Cloud is one cloud as the controllers see it. New makes it, the framework calls Initialize when this
// process leads, Stop ends it.
type Cloud struct {
	options   Options
	cloud     *run.Cloud
	executor  *run.Executor
	inventory *instance.Inventory
	// brake counts deletions of Nodes, routeBrake those of routes.
	brake, routeBrake *safety.Brake
	routeRecords      *leader.Store         // of routeBrake; nil without a lease
	balancers         *loadbalancer.Manager // nil when the cloud has none
	firewall          *firewall.Manager
	shapes            *desiredBalancers
	recorder          *recorder.Recorder
	calls             *drain.Drain
	decisions         *client.Decisions
	ready             *readiness.Readiness
	nodes             *view.Nodes
	targets           *view.Nodes // that are handed to balancers
	services          *view.Services
	lease             *leader.Lease // nil without leader election
	instances         *instances
	loadBalancers     *balancer.Adapter // nil when the cloud has none
	// plans prints what is not done.
	plans *dryrun.Printer

	routes       *routes // nil unless configured, as are the Nodes and the networks that routes lead to
	routeNodes   *view.Nodes
	clusterCIDRs []*net.IPNet

	// warm starts the informers. A standby does so too, and knows the cluster when it takes over.
	warm func()
	// inStep returns when the informers hold what the API server has; nil without leader election, where they have
	// begun just now.
	inStep func(context.Context) error
	// abandon ends the process, because it cannot lead.
	abandon func(error)

	// stopping ends the controllers, which have no end of their own.
	stopping context.Context
	stop     context.CancelFunc
	start    sync.Once
}

var _ cloudprovider.Interface = (*Cloud)(nil)

// New builds the kernel around a driver, connects it with the cluster and decorates what the controllers will be given.
// The cloudInitializer calls it once, before anything has used the configuration. It starts nothing. abandon is called
// when this process leads and cannot.
func New(d *Driver, completed *cloudcontrollerconfig.CompletedConfig, abandon func(error)) (*Cloud, error) {
	c := assemble(d)
	c.abandon = abandon
	if err := c.connect(completed); err != nil {
		return nil, err
	}
	return c, nil
}

// assemble builds the kernel around a driver.
func assemble(d *Driver) *Cloud {
	o := d.options
	c := &Cloud{
		options:   o,
		cloud:     d.cloud,
		recorder:  recorder.New(),
		calls:     drain.New(),
		decisions: client.NewDecisions(),
		plans:     dryrun.NewPrinter(os.Stdout),

		brake:      safety.NewBrake(o.Tuning.Brake),
		routeBrake: safety.NewBrake(o.Tuning.Brake),
	}
	c.stopping, c.stop = context.WithCancel(context.Background())
	c.ready = readiness.New(c.cloud.Account, c.cloud.Instances, c.cloud.Descriptor.Offline)
	c.executor = run.NewExecutor(c.cloud, o.Mode, Metrics(), c.plans.Print)
	c.inventory = instance.New(instance.Options{
		Cloud: c.cloud, Nodes: c.Nodes, NodeVersion: func() int64 { return c.targets.Version() }, Brake: c.brake, Policy: o.Tuning.Instances,
		Events: c.recorder, Metrics: Metrics(),
	})
	if c.cloud.Balancers != nil {
		c.balancers = loadbalancer.New(loadbalancer.Options{
			Cloud: c.cloud, Machines: c.inventory, Nodes: c.allNodes, Executor: c.executor,
			ClusterID: o.ClusterID, FormerClusterIDs: o.FormerClusterIDs, Events: &balancer.Events{Next: c.recorder, Deleting: c.deleting}, Metrics: Metrics(), Trust: c.inventory.Trust,
			Services: c.Services, Adoption: o.Adoption,
			Record: func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
				return c.loadBalancers.Record(ctx, svc, annotations)
			},
		})
	}
	c.firewall = firewall.New(firewall.Options{
		Cloud: c.cloud, Executor: c.executor, Events: c.recorder, Metrics: Metrics(),
		Managed: FirewallManaged(c.cloud.Annotations), Denied: o.Tuning.DeniedPorts,
	})
	c.shapes = &desiredBalancers{ttl: o.Tuning.Reensure, known: map[types.UID]desiredBalancer{}}
	return c
}

// Nodes returns this cloud's Nodes.
func (c *Cloud) Nodes() []*corev1.Node { return c.nodes.All() }

// Services returns all Services of the cluster.
func (c *Cloud) Services() []*corev1.Service { return c.services.All() }

// mine is the filter of the Node view. It must stay a function of the Node alone.
func (c *Cloud) mine(node *corev1.Node) bool {
	return instance.Owner(node, c.cloud.Concerns) == instance.Mine
}

// handed is the filter of the Node view of the service controller: the Nodes that are handed to balancers. It must stay
// a function of the Node alone.
func (c *Cloud) handed(node *corev1.Node) bool { return target.LeftOut(node, c.cloud.Concerns) == "" }

// allNodes returns the Nodes of the cluster, whosever they are.
func (c *Cloud) allNodes() []*corev1.Node {
	return c.nodes.Of(func(*corev1.Node) bool { return true }).All()
}

// Initialize is called when this process leads, with leader migration twice. The controllers start when it returns.
func (c *Cloud) Initialize(builder cloudprovider.ControllerClientBuilder, stop <-chan struct{}) {
	c.start.Do(func() {
		if c.lease != nil {
			go c.lease.KeepLearning(c.stopping)
		}
		core := builder.ClientOrDie(clientService).CoreV1()
		c.recorder.Start(core)
		if c.loadBalancers != nil {
			c.loadBalancers.Connect(core)
		}
		if len(c.Nodes()) > 0 {
			go c.inventory.Read(c.stopping)
		}
		c.awaitInformers(stop)
	})
}

// drainPatience is how long a process that is told to stop waits for calls it has begun.
const drainPatience = time.Second

// Stop ends this process's part: it stops the controllers, waits for calls that have
// begun, and gives the lease back. On a standby it does nothing. Afterwards the process has
// to exit.
func (c *Cloud) Stop(ctx context.Context) error {
	c.stop()
	if !c.calls.Close(ctx, drainPatience) {
		return fmt.Errorf("calls to the cloud are still under way, so the lease is kept: %w", ctx.Err())
	}
	if c.lease == nil {
		return nil
	}
	return c.lease.Release(ctx)
}

// deleting reports whether the balancer of a Service is being deleted.
func (c *Cloud) deleting(uid types.UID) bool {
	return c.loadBalancers == nil || c.loadBalancers.Deleting(uid) // without controller nobody else says anything
}

// quiet reports whether an event of the controllers is dropped as a false alarm.
func (c *Cloud) quiet(event *corev1.Event) bool {
	return c.loadBalancers != nil && c.loadBalancers.Quiet(event) || c.routes.quiet(event)
}

// isRoutine reports whether the event only says that a Node was initialised, which the Node shows. It
// would be a third of all writes of the initialisation. The node controller's recorder sends nothing else.
func isRoutine(event *corev1.Event) bool {
	return event.Reason == "Synced" && event.Type == corev1.EventTypeNormal && event.Source.Component == "cloud-node-controller"
}

// LoadBalancer implements cloudprovider.Interface.
func (c *Cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool) {
	if c.loadBalancers == nil {
		return nil, false
	}
	return c.loadBalancers, true
}

// Instances implements cloudprovider.Interface; InstancesV2 takes its place.
func (c *Cloud) Instances() (cloudprovider.Instances, bool) { return nil, false }

// InstancesV2 implements cloudprovider.Interface.
func (c *Cloud) InstancesV2() (cloudprovider.InstancesV2, bool) { return c.instances, true }

// Zones implements cloudprovider.Interface; InstancesV2 takes its place.
func (c *Cloud) Zones() (cloudprovider.Zones, bool) { return nil, false }

// Clusters implements cloudprovider.Interface.
func (c *Cloud) Clusters() (cloudprovider.Clusters, bool) { return nil, false }

// Routes implements cloudprovider.Interface.
func (c *Cloud) Routes() (cloudprovider.Routes, bool) {
	if c.routes == nil {
		return nil, false
	}
	return c.routes, true
}

// ProviderName implements cloudprovider.Interface.
func (c *Cloud) ProviderName() string { return c.cloud.Descriptor.Name }

// HasClusterID implements cloudprovider.Interface: New insists on one.
func (c *Cloud) HasClusterID() bool { return true }

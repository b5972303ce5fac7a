package framework

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	nodecontroller "k8s.io/cloud-provider/controllers/node"
	lifecyclecontroller "k8s.io/cloud-provider/controllers/nodelifecycle"
	routecontroller "k8s.io/cloud-provider/controllers/route"
	servicecontroller "k8s.io/cloud-provider/controllers/service"
	"k8s.io/cloud-provider/names"
	controllermanagerapp "k8s.io/controller-manager/app"
	controllermanager "k8s.io/controller-manager/controller"
	"k8s.io/controller-manager/pkg/features"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// Client names, which are also the names of their service accounts with
// --use-service-account-credentials. They are upstream's.
const (
	clientNode    = "node-controller"
	clientService = "service-controller"
	clientRoute   = "route-controller"
	// clientCertificate is none of upstream's: its CCMs approve nothing.
	clientCertificate = controller.KubeletCertificate
)

// controllers are the controllers by canonical name, and how each is started.
var controllers = map[string]struct {
	client string
	start  starter
}{
	names.CloudNodeController:          {clientNode, startNode},
	names.CloudNodeLifecycleController: {clientNode, startLifecycle},
	names.ServiceLBController:          {clientService, startService},
	names.NodeRouteController:          {clientRoute, startRoute},
	controller.CloudFirewall:           {clientService, startFirewall},
	controller.Tagging:                 {clientNode, startTagging},
	controller.KubeletCertificate:      {clientCertificate, startCertificates},
}

// Controllers returns the controllers to run, in the place of upstream's own map. Their
// cloud must be a *Cloud.
func Controllers() map[string]app.ControllerInitFuncConstructor {
	constructors := map[string]app.ControllerInitFuncConstructor{}
	for name, c := range controllers {
		constructors[name] = app.ControllerInitFuncConstructor{
			InitContext: app.ControllerInitContext{ClientName: c.client},
			Constructor: c.start.constructor(name),
		}
	}
	return constructors
}

// environment is what a controller is started with.
type environment struct {
	*Cloud
	*cloudcontrollerconfig.CompletedConfig
	controllermanagerapp.ControllerContext
	client string
}

// starter starts one controller and reports whether there was anything to start. Only a
// mistake in the configuration is an error: it ends the process.
type starter func(ctx context.Context, e environment) (started bool, err error)

func (start starter) constructor(name string) app.InitFuncConstructor {
	return func(init app.ControllerInitContext, completed *cloudcontrollerconfig.CompletedConfig, provider cloudprovider.Interface) app.InitFunc {
		return func(ctx context.Context, controllers controllermanagerapp.ControllerContext) (controllermanager.Interface, bool, error) {
			c, ok := provider.(*Cloud)
			if !ok {
				return nil, false, fmt.Errorf("starting %s: the cloud is a %T", name, provider)
			}
			started, err := start(c.until(ctx), environment{c, completed, controllers, init.ClientName})
			if err != nil {
				return nil, false, fmt.Errorf("starting %s: %w", name, err)
			}
			return nil, started, nil
		}
	}
}

// until returns ctx, ended also by Stop.
func (c *Cloud) until(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(c.stopping, cancel)
	return ctx
}

func startNode(ctx context.Context, e environment) (bool, error) {
	config := e.ComponentConfig
	c, err := nodecontroller.NewCloudNodeController(
		e.nodes,
		e.CompletedConfig.ClientBuilder.ClientOrDie(e.client),
		e.Cloud,
		config.NodeStatusUpdateFrequency.Duration,
		config.NodeController.ConcurrentNodeSyncs,
		config.NodeController.ConcurrentNodeStatusUpdates,
	)
	if err != nil {
		return false, err
	}
	go c.RunWithContext(ctx, e.ControllerManagerMetrics)
	others := &leftAlone{
		cloud: e.cloud, machines: e.inventory, calls: e.calls, nodes: e.allNodes, events: e.recorder, grace: e.options.Tuning.Instances.Grace,
	}
	go others.run(ctx)
	return true, nil
}

func startLifecycle(ctx context.Context, e environment) (bool, error) {
	if e.cloud.Descriptor.Offline {
		klog.InfoS("Nobody can say that a machine is off or gone: no Node is deleted", "cloud", e.cloud.Name)
		return false, nil
	}
	config := e.ComponentConfig.NodeLifecycleController
	// This controller has no handlers: it lists the Nodes, all of them each time.
	c, err := lifecyclecontroller.NewCloudNodeLifecycleController(
		e.nodes.Of(func(node *corev1.Node) bool { return e.mine(node) && !e.instances.needsNothing(node) }),
		e.CompletedConfig.ClientBuilder.ClientOrDie(e.client),
		e.Cloud,
		config.NodeMonitorPeriod.Duration,
		int(config.ConcurrentNodeLifecycleSyncs),
	)
	if err != nil {
		return false, err
	}
	go c.Run(ctx, e.ControllerManagerMetrics)
	return true, nil
}

func startService(ctx context.Context, e environment) (bool, error) {
	if e.loadBalancers == nil {
		klog.InfoS("There are no load balancers: nothing is done about Services", "cloud", e.cloud.Name)
		return false, nil
	}
	c, err := servicecontroller.New(
		e.Cloud,
		e.CompletedConfig.ClientBuilder.ClientOrDie(e.client),
		e.services,
		e.targets,
		e.ComponentConfig.KubeCloudShared.ClusterName,
		utilfeature.DefaultFeatureGate,
	)
	if err != nil {
		return false, err
	}
	go c.Run(ctx, int(e.ComponentConfig.ServiceController.ConcurrentServiceSyncs), e.ControllerManagerMetrics)
	go e.services.Reensure(ctx, e.options.Tuning.Reensure, e.balancers.Compare)
	return true, nil
}

// selectors are the annotations that choose Nodes by their labels.
func (c *Cloud) selectors() []string {
	for _, key := range c.cloud.Annotations {
		if key.Name == annotation.NodeSelector.Name {
			return key.Spellings()
		}
	}
	return annotation.NodeSelector.Spellings()
}

func startRoute(ctx context.Context, e environment) (bool, error) {
	if e.routes == nil {
		return false, nil
	}
	shared := e.ComponentConfig.KubeCloudShared
	c, err := routecontroller.New(
		e.routes,
		e.CompletedConfig.ClientBuilder.ClientOrDie(e.client),
		e.routeNodes,
		shared.ClusterName,
		e.clusterCIDRs,
	)
	if err != nil {
		return false, err
	}
	period := shared.RouteReconciliationPeriod.Duration
	if !utilfeature.DefaultFeatureGate.Enabled(features.CloudControllerManagerWatchBasedRoutesReconciliation) {
		e.routes.pace = newPace(period)
		if _, err := e.routeNodes.Informer().AddEventHandler(e.routes.pace.events()); err != nil {
			return false, fmt.Errorf("watching the nodes that routes lead to: %w", err)
		}
		period = leastPause // the pace makes the longer ones
	}
	go c.Run(ctx, period, e.ControllerManagerMetrics)
	return true, nil
}

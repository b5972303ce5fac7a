package framework

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/cloud-provider/app"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/klog/v2"
	netutils "k8s.io/utils/net"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// connect connects the cloud with the cluster and decorates what the controllers will be given.
func (c *Cloud) connect(completed *cloudcontrollerconfig.CompletedConfig) error {
	cidrs, err := validate(completed)
	if err != nil {
		return err
	}
	if err := c.prepareLease(completed); err != nil {
		return err
	}
	completed.SharedInformers = informers.NewSharedInformerFactoryWithOptions(
		completed.VersionedClient, app.ResyncPeriod(completed)(), informers.WithTransform(view.Transform()))
	shared := completed.SharedInformers.Core().V1()
	c.nodes = view.NewNodes(shared.Nodes(), c.mine)
	c.services = view.NewServices(shared.Services(), handover.SignsOf(c.cloud))
	c.targets = c.nodes.Of(c.handed).ForBalancers(c.options.Tuning.NodeBurst, c.services, c.selectors())
	completed.ClientBuilder = &client.Builder{
		Next: completed.ClientBuilder, Decisions: c.decisions, Mine: c.mine, Quiet: c.quiet, ReadOnly: c.options.Mode.ReadOnly(),
		Mute: isRoutine, Stopping: c.stopping.Done(),
	}
	c.instances = &instances{
		inventory: c.inventory, events: c.recorder, calls: c.calls, decisions: c.decisions, keepNodes: c.options.Tuning.KeepNodes,
		nodeIPs: NodeIPs{Networks: c.options.Tuning.NodeNetworks, Nodes: c.allNodes, Machines: c.inventory.AtAny},
	}
	c.prepareBalancers(int(completed.ComponentConfig.ServiceController.ConcurrentServiceSyncs))
	c.prepareRoutes(cidrs)
	informers := map[schema.GroupVersionResource]cache.SharedIndexInformer{corev1.SchemeGroupVersion.WithResource("nodes"): shared.Nodes().Informer()}
	if c.needsServices(completed) {
		informers[corev1.SchemeGroupVersion.WithResource("services")] = shared.Services().Informer()
	}
	c.warm = func() { completed.SharedInformers.Start(c.stopping.Done()) }
	if c.lease == nil {
		return nil
	}
	return c.compare(completed.Kubeconfig, informers)
}

// Standby starts what works on a standby too: the informers, probes, and the reading of an inventory.
func (c *Cloud) Standby(completed *cloudcontrollerconfig.CompletedConfig) {
	c.ready.Serve(&completed.Authentication, &completed.Authorization)
	go c.ready.Run(c.stopping)
	c.followInventory()
	c.warm()
}

// needsServices reports whether a controller that watches Services runs. Without one there is no permission
// to list them.
func (c *Cloud) needsServices(completed *cloudcontrollerconfig.CompletedConfig) bool {
	enabled, err := controller.Enabled(completed.ComponentConfig.Generic.Controllers)
	certificates := enabled[controller.KubeletCertificate] && !c.options.Mode.ReadOnly() && !c.cloud.Descriptor.Offline
	return err != nil || certificates || c.cloud.Balancers != nil && enabled[names.ServiceLBController] || c.cloud.Firewalls != nil && enabled[controller.CloudFirewall]
}

// validate checks what upstream does not, and returns the pod networks to make routes for.
func validate(completed *cloudcontrollerconfig.CompletedConfig) ([]*net.IPNet, error) {
	config := &completed.ComponentConfig
	var problems []error
	atLeastOne := func(flag string, value int32) {
		if value < 1 {
			problems = append(problems, fmt.Errorf("--%s is %d: it must be at least 1", flag, value))
		}
	}
	atLeastOne("concurrent-node-syncs", config.NodeController.ConcurrentNodeSyncs)
	atLeastOne("concurrent-node-status-updates", config.NodeController.ConcurrentNodeStatusUpdates)
	atLeastOne("concurrent-node-lifecycle-syncs", config.NodeLifecycleController.ConcurrentNodeLifecycleSyncs)
	atLeastOne("concurrent-service-syncs", config.ServiceController.ConcurrentServiceSyncs)
	cidrs, err := clusterCIDRs(config.KubeCloudShared.ConfigureCloudRoutes, config.KubeCloudShared.ClusterCIDR)
	return cidrs, errors.Join(append(problems, err)...)
}

// clusterCIDRs returns the pod networks, none when no routes are to be made. Upstream's
// default asks for routes; without a network there is nothing to make them for.
func clusterCIDRs(configure bool, given string) ([]*net.IPNet, error) {
	given = strings.TrimSpace(given)
	if !configure || given == "" {
		return nil, nil
	}
	cidrs, err := netutils.ParseCIDRs(strings.Split(given, ","))
	if err != nil {
		return nil, fmt.Errorf("--cluster-cidr: %w", err)
	}
	dual, err := netutils.IsDualStackCIDRs(cidrs)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--cluster-cidr: %w", err)
	case len(cidrs) > 2, len(cidrs) == 2 && !dual:
		return nil, fmt.Errorf("--cluster-cidr %q: want one network, or one IPv4 and one IPv6 network", given)
	}
	return cidrs, nil
}

func (c *Cloud) prepareBalancers(syncs int) {
	if c.balancers == nil {
		return
	}
	c.loadBalancers = balancer.New(balancer.Options{
		Manager: c.balancers, Services: c.services, Nodes: c.targets.All, Drain: c.calls, Events: c.recorder,
		Plans: c.plans, PlanOnly: c.options.Mode.ReadOnly(), Workers: syncs,
	})
	c.services.Follow(c.loadBalancers)
}

func (c *Cloud) prepareRoutes(cidrs []*net.IPNet) {
	if c.cloud.Routes == nil || len(cidrs) == 0 {
		klog.V(2).InfoS("Routes are off", "cloudHasRoutes", c.cloud.Routes != nil, "clusterCIDRs", len(cidrs))
		return
	}
	c.clusterCIDRs = cidrs
	c.routeNodes = c.nodes.Of(func(node *corev1.Node) bool { return c.routable(node) && c.mine(node) })
	manager := route.New(route.Options{
		Cloud: c.cloud, Machines: c.inventory, Nodes: c.Nodes, ClusterID: c.options.ClusterID,
		ClusterCIDRs: prefixes(cidrs), Executor: c.executor, Brake: c.routeBrake, Events: c.recorder,
	})
	c.routeBrake.Watch(nil, func(r safety.Release) {
		if r.Err == nil { // else the other brake tells
			c.routeRecords.ReleasedRoutes(r, manager.Release(r.Time))
		}
	})
	c.routes = &routes{routing: manager, calls: c.calls, plans: c.plans, retry: c.routeNodes.Repeat}
}

func prefixes(cidrs []*net.IPNet) []netip.Prefix {
	var all []netip.Prefix
	for _, cidr := range cidrs {
		if prefix, err := netip.ParsePrefix(cidr.String()); err == nil {
			all = append(all, prefix)
		}
	}
	return all
}

// routable reports whether the cloud's routes can lead to a Node. They lead to no machine that only its Node
// describes, and to none outside of the network. Before the Node is initialised its machine is not known: upstream would warn of
// a route that is only early.
func (c *Cloud) routable(node *corev1.Node) bool {
	if _, described := instance.FromNode(c.cloud, node); described || node.Spec.ProviderID == "" {
		return false
	}
	if c.cloud.RouteScope == nil {
		return true
	}
	id, err := instance.ID(c.cloud, node)
	return err != nil || c.cloud.RouteScope.RoutesTo(id)
}

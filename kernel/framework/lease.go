package framework

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	typedcoordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/leader"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// compareTimeout bounds a request of a leader that compares its informers with the API server.
const compareTimeout = 10 * time.Second

// prepareLease keeps the records of the brakes in the lease, and puts the guard around the
// client of the election. A dry run deletes nothing, and has to leave the live one's lease alone.
func (c *Cloud) prepareLease(completed *cloudcontrollerconfig.CompletedConfig) error {
	election := completed.ComponentConfig.Generic.LeaderElection
	if !election.LeaderElect && (c.options.Mode.ReadOnly() || election.ResourceName == "") {
		return nil
	}
	config, clock := rest.AddUserAgent(rest.CopyConfig(completed.Kubeconfig), "lease"), &leader.Clock{}
	config.Wrap(clock.Wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("building the client of the lease: %w", err)
	}
	leases := client.CoordinationV1().Leases(election.ResourceNamespace)
	if !c.options.Mode.ReadOnly() {
		c.keepRecords(leases, election.ResourceNamespace, election.ResourceName, clock.Now)
	}
	if !election.LeaderElect {
		return nil
	}
	c.lease, err = leader.New(leases, election.ResourceName)
	if err != nil {
		return err
	}
	completed.Kubeconfig = rest.CopyConfig(completed.Kubeconfig)
	completed.Kubeconfig.Wrap(c.lease.Guard)
	return nil
}

// keepRecords gives both brakes a store on the lease.
func (c *Cloud) keepRecords(client typedcoordinationv1.LeaseInterface, namespace, name string, now func() time.Time) {
	store := func(annotation string) *leader.Store {
		return &leader.Store{Client: client, Namespace: namespace, Name: name, Annotation: annotation + c.cloud.Name, Events: c.recorder, Now: now}
	}
	nodes := store(safety.AnnotationNodes)
	c.brake.Keep(nodes)
	c.routeRecords = store(safety.AnnotationRoutes)
	c.routeBrake.Keep(c.routeRecords)
	c.inventory.OnRelease(nodes.Released)
}

// compare makes a leader wait for its informers.
func (c *Cloud) compare(config *rest.Config, informers map[schema.GroupVersionResource]cache.SharedIndexInformer) error {
	config = rest.AddUserAgent(rest.CopyConfig(config), "in-step")
	config.Timeout = compareTimeout
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("building the client that compares informers: %w", err)
	}
	c.inStep = func(ctx context.Context) error { return leader.InStep(ctx, client, informers) }
	return nil
}

// awaitInformers returns when what the informers show may be decided on. Where they stay behind, another replica has
// to lead: no controller is started.
func (c *Cloud) awaitInformers(stop <-chan struct{}) {
	if c.inStep == nil {
		return
	}
	began := time.Now()
	err := c.inStep(c.stopping)
	if err == nil {
		klog.InfoS("The informers are in step with the API server", "took", time.Since(began).Round(time.Millisecond))
		return
	}
	if c.stopping.Err() == nil {
		klog.ErrorS(err, "This process cannot lead, and gives the lease back")
		c.abandon(err)
	}
	<-stop
}

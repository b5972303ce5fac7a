// Package run puts everything around a cloud's driver that a driver must not do itself:
// deadlines, retries, classification, containment of panics and measuring (Decorate), and
// execution of plans, live or as a dry run (Executor).
package run

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Cloud is one configured cloud behind all decorators; it is what the rest of the kernel
// uses. Every error its parts return is a *cloud.Error.
type Cloud struct {
	// Name is the name of the entry in the configuration; with one cloud it is the
	// provider's name.
	Name       string
	Descriptor cloud.Descriptor
	// Annotations are the provider's keys together with the kernel's.
	Annotations annotation.Set
	// Defaults are the configured values of annotations a Service does not have.
	Defaults map[string]string
	Driver   cloud.Driver
	// Inventory is nil where no file says which machines there are.
	Inventory cloud.Inventory
	// Balancers, Routes and Firewalls are nil when the driver has none; BulkLister, OwnedLister, Checker,
	// Recorder, Replacer, TargetLimit, Reach and Validator when it does not implement them; Planner when load balancers are written as a
	// whole.
	Balancers   cloud.Balancers
	Planner     composite.Planner
	BulkLister  cloud.BulkLister
	OwnedLister cloud.OwnedLister
	Checker     cloud.Checker
	Recorder    cloud.Recorder
	Replacer    cloud.Replacer
	TargetLimit cloud.TargetLimit
	Reach       cloud.Reach
	Validator   cloud.Validator
	Routes      cloud.Routes
	// RouteScope is nil when routes lead to every machine and pod network.
	RouteScope cloud.RouteScope
	Firewalls  cloud.Firewalls
	// Operations is nil when every change has ended with its answer.
	Operations cloud.Operations
	// Partition, NodeIdentity, ProviderIDScope, Namer, Describer, Completer, Labeler and Tagger are nil when the driver does not implement them.
	Partition       cloud.Partition
	NodeIdentity    cloud.NodeIdentity
	ProviderIDScope cloud.ProviderIDScope
	Namer           cloud.Namer
	Describer       cloud.Describer
	Completer       cloud.Completer
	Labeler         cloud.Labeler
	Tagger          cloud.Tagger
}

// Options configure Decorate.
type Options struct {
	// Name is the name of the cloud entry, Descriptor.Name when "".
	Name       string
	Descriptor cloud.Descriptor
	// Annotations are the provider's keys.
	Annotations annotation.Set
	// Inventory and Metrics may be nil.
	Inventory cloud.Inventory
	Metrics   metric.Sink
}

// Decorate wraps a driver and the optional interfaces it implements.
//
// What a NetworkReader reads is shared by all Services for some seconds.
//
//	             deadline  contains panics  classifies  retries  counts failures
//	reads        yes       yes              yes         yes      yes
//	writes       yes       yes              yes         no       yes
//	pure, error  -         yes              yes         no       no
//	pure         -         no               -           -        -
//
// Addresses at which nobody reaches a machine or a load balancer are in no answer, see cloud.Capabilities.UsableMachine.
//
// Pure methods without an error result are those of the driver itself, and pass panics on: any answer made up for them,
// such as "not eligible" or "no openings", would be acted upon. Their callers contain them.
func Decorate(driver cloud.Driver, o Options) *Cloud {
	name := cmp.Or(o.Name, o.Descriptor.Name)
	c := &caller{cloud: name, classify: driver.Classify, metrics: metric.OrDiscard(o.Metrics), can: o.Descriptor.Capabilities}
	decorated := &Cloud{
		Name:        name,
		Descriptor:  o.Descriptor,
		Annotations: annotation.Kernel().With(o.Annotations),
		Driver:      &decoratedDriver{c, driver},
		Inventory:   o.Inventory,
	}
	hasBalancers, hasRoutes := true, true
	if next, ok := driver.(cloud.Switched); ok {
		hasBalancers, hasRoutes = next.SwitchedOn()
	}
	if hasBalancers {
		decorated.balancers(driver, c)
	}
	if next, ok := driver.(cloud.Routes); ok && hasRoutes {
		decorated.Routes = &routes{c, next}
		decorated.RouteScope, _ = driver.(cloud.RouteScope)
	}
	if next, ok := driver.(cloud.Firewalls); ok {
		decorated.Firewalls = &firewalls{c, next}
	}
	if next, ok := driver.(cloud.Operations); ok {
		decorated.Operations = &operations{c, next}
	}
	if next, ok := driver.(cloud.Labeler); ok {
		decorated.Labeler = &labeler{c, next}
	}
	if next, ok := driver.(cloud.Tagger); ok {
		decorated.Tagger = &tagger{c, next}
	}
	decorated.undecorated(driver)
	return decorated
}

// undecorated takes over optional interfaces that are pure.
func (c *Cloud) undecorated(driver cloud.Driver) {
	c.Partition, _ = driver.(cloud.Partition)
	c.NodeIdentity, _ = driver.(cloud.NodeIdentity)
	c.ProviderIDScope, _ = driver.(cloud.ProviderIDScope)
	c.Namer, _ = driver.(cloud.Namer)
	c.Describer, _ = driver.(cloud.Describer)
	c.Completer, _ = driver.(cloud.Completer)
}

// balancers wraps what a driver has for load balancers.
func (c *Cloud) balancers(driver cloud.Driver, by *caller) {
	if next, ok := driver.(cloud.Configured); ok {
		c.Defaults = next.Defaults()
		c.Annotations = c.Annotations.Without(next.Impossible())
	}
	network := newNetwork(driver)
	if next, ok := composite.Balancers(driver); ok {
		c.Balancers = &balancers{by, next, network}
		if next, ok := next.(composite.Planner); ok {
			c.Planner = &planner{by, next}
		}
	}
	if next, ok := driver.(cloud.BulkLister); ok {
		c.BulkLister = &bulkLister{by, next}
	}
	if next, ok := driver.(cloud.OwnedLister); ok {
		c.OwnedLister = &ownedLister{by, next}
	}
	if next, ok := driver.(cloud.Checker); ok {
		c.Checker = &checker{by, next, network}
	}
	c.Recorder, _ = driver.(cloud.Recorder)
	c.Replacer, _ = driver.(cloud.Replacer)
	c.TargetLimit, _ = driver.(cloud.TargetLimit)
	c.Reach, _ = driver.(cloud.Reach)
	if next, ok := driver.(cloud.Validator); ok {
		c.Validator = &validator{by, next}
	}
}

// MaxTargets returns the most targets of a balancer as it has to be, 0 for no limit.
func (c *Cloud) MaxTargets(wanted cloud.Balancer) int {
	if c.TargetLimit == nil {
		return 0
	}
	return c.TargetLimit.MaxTargets(wanted)
}

// Families says in which address families clients reach a balancer that was normalised from this input, and in which it reaches its
// targets.
func (c *Cloud) Families(in cloud.Input, b cloud.Balancer) (clients, targets cloud.Families) {
	if c.Reach != nil {
		return c.Reach.Families(in, b)
	}
	return cloud.Families{IPv4: true, IPv6: b.DualStack}, cloud.Families{IPv4: true}
}

// PartOf names the credentials that a machine is seen with, "" for those of the account.
func (c *Cloud) PartOf(id cloud.InstanceID) string {
	if c.Partition == nil {
		return ""
	}
	return c.Partition.PartOf(id)
}

// Concerns reports whether a provider-ID is one of this cloud.
func (c *Cloud) Concerns(providerID string) bool {
	if c.ProviderIDScope != nil {
		return c.ProviderIDScope.Concerns(providerID)
	}
	scheme, _, found := strings.Cut(providerID, "://")
	return found && slices.Contains(c.Descriptor.ProviderIDSchemes, scheme)
}

// WithSteps returns the plan of a change with the steps that it takes.
func (c *Cloud) WithSteps(ctx context.Context, p plan.Plan, change cloud.Change) (plan.Plan, error) {
	if c.Planner == nil || p.Empty() {
		return p, nil
	}
	steps, err := c.Planner.Steps(ctx, change)
	if !slices.Equal(steps, p.Executable()) { // else the operations are the steps
		p.Steps = steps
	}
	return p, err
}

package run

import (
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
	// Balancers, Routes and Firewalls are nil when the driver has none; BulkLister, Checker, Recorder,
	// Replacer and Sized when it does not implement them; Planner when load balancers are written as a whole.
	Balancers  cloud.Balancers
	Planner    composite.Planner
	BulkLister cloud.BulkLister
	Checker    cloud.Checker
	Recorder   cloud.Recorder
	Replacer   cloud.Replacer
	Sized      cloud.Sized
	Routes     cloud.Routes
	// RouteScope is nil when routes lead to every machine and pod network.
	RouteScope cloud.RouteScope
	Firewalls  cloud.Firewalls
	// Operations is nil when every change has ended with its answer.
	Operations cloud.Operations
	// Partitioned, NameBound, Scoped, Namer, Describer, Completer, Labeler and Tagger are nil when the driver does not implement them.
	Partitioned cloud.Partitioned
	NameBound   cloud.NameBound
	Scoped      cloud.Scoped
	Namer       cloud.Namer
	Describer   cloud.Describer
	Completer   cloud.Completer
	Labeler     cloud.Labeler
	Tagger      cloud.Tagger
}

// Options configure Decorate.
type Options struct {
	// Name is the name of the cloud entry, Descriptor.Name when "".
	Name       string
	Descriptor cloud.Descriptor
	// Annotations are the provider's keys.
	Annotations annotation.Set
	// Metrics may be nil.
	Metrics metric.Sink
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
// Pure methods without an error result pass panics on: any answer made up for them, such
// as "not eligible" or "no openings", would be acted upon. Their callers contain them.
func Decorate(driver cloud.Driver, o Options) *Cloud {
	name := o.Name
	if name == "" {
		name = o.Descriptor.Name
	}
	c := &caller{cloud: name, classify: driver.Classify, metrics: metric.OrDiscard(o.Metrics)}
	decorated := &Cloud{
		Name:        name,
		Descriptor:  o.Descriptor,
		Annotations: annotation.Kernel().With(o.Annotations),
		Driver:      &decoratedDriver{caller: c, next: driver},
	}
	hasBalancers, hasRoutes := true, true
	if next, ok := driver.(cloud.Switched); ok {
		hasBalancers, hasRoutes = next.SwitchedOn()
	}
	if hasBalancers {
		decorated.balancers(driver, c)
	}
	if next, ok := driver.(cloud.Routes); ok && hasRoutes {
		decorated.Routes = &routes{caller: c, next: next}
	}
	if next, ok := driver.(cloud.RouteScope); ok && hasRoutes {
		decorated.RouteScope = next
	}
	if next, ok := driver.(cloud.Firewalls); ok {
		decorated.Firewalls = &firewalls{caller: c, next: next}
	}
	if next, ok := driver.(cloud.Operations); ok {
		decorated.Operations = &operations{caller: c, next: next}
	}
	if next, ok := driver.(cloud.Partitioned); ok {
		decorated.Partitioned = next
	}
	if next, ok := driver.(cloud.NameBound); ok {
		decorated.NameBound = next
	}
	if next, ok := driver.(cloud.Scoped); ok {
		decorated.Scoped = next
	}
	if next, ok := driver.(cloud.Namer); ok {
		decorated.Namer = next
	}
	if next, ok := driver.(cloud.Describer); ok {
		decorated.Describer = next
	}
	if next, ok := driver.(cloud.Completer); ok {
		decorated.Completer = next
	}
	if next, ok := driver.(cloud.Labeler); ok {
		decorated.Labeler = &labeler{caller: c, next: next}
	}
	if next, ok := driver.(cloud.Tagger); ok {
		decorated.Tagger = &tagger{caller: c, next: next}
	}
	return decorated
}

// balancers wraps what a driver has for load balancers.
func (c *Cloud) balancers(driver cloud.Driver, by *caller) {
	if next, ok := driver.(cloud.Configured); ok {
		c.Defaults = next.Defaults()
		c.Annotations = c.Annotations.Without(next.Impossible())
	}
	network := newNetwork(driver)
	if next, ok := composite.Balancers(driver); ok {
		c.Balancers = &balancers{caller: by, next: next, network: network}
		if next, ok := next.(composite.Planner); ok {
			c.Planner = &planner{caller: by, next: next}
		}
	}
	if next, ok := driver.(cloud.BulkLister); ok {
		c.BulkLister = &bulkLister{caller: by, next: next}
	}
	if next, ok := driver.(cloud.Checker); ok {
		c.Checker = &checker{caller: by, next: next, network: network}
	}
	if next, ok := driver.(cloud.Recorder); ok {
		c.Recorder = next
	}
	if next, ok := driver.(cloud.Replacer); ok {
		c.Replacer = next
	}
	if next, ok := driver.(cloud.Sized); ok {
		c.Sized = next
	}
}

// MaxTargets returns the most targets of a balancer as it has to be, 0 for no limit.
func (c *Cloud) MaxTargets(wanted cloud.Balancer) int {
	if c.Sized != nil {
		return c.Sized.MaxTargets(wanted)
	}
	return c.Descriptor.Capabilities.MaxTargets
}

// PartOf names the credentials that a machine is seen with, "" for those of the account.
func (c *Cloud) PartOf(id cloud.InstanceID) string {
	if c.Partitioned == nil {
		return ""
	}
	return c.Partitioned.PartOf(id)
}

// Concerns reports whether a provider-ID is one of this cloud.
func (c *Cloud) Concerns(providerID string) bool {
	if c.Scoped != nil {
		return c.Scoped.Concerns(providerID)
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

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
	// Inventory is nil where no file says which machines there are.
	Inventory cloud.Inventory

	Account   cloud.Account
	Instances cloud.Instances
	// All others are members of the cloud.Driver, and nil where it has none. Balancers may be those of a cloud.Composite, and then
	// has a Planner.
	Operations      cloud.Operations
	ProviderIDScope cloud.ProviderIDScope
	Partition       cloud.Partition
	NodeIdentity    cloud.NodeIdentity
	Namer           cloud.Namer
	Describer       cloud.Describer
	Completer       cloud.Completer
	Labeler         cloud.Labeler
	Balancers       cloud.Balancers
	Planner         composite.Planner
	TargetLimit     cloud.TargetLimit
	Reach           cloud.Reach
	Validator       cloud.Validator
	Checker         cloud.Checker
	Recorder        cloud.Recorder
	Replacer        cloud.Replacer
	BulkLister      cloud.BulkLister
	OwnedLister     cloud.OwnedLister
	Routes          cloud.Routes
	RouteScope      cloud.RouteScope
	Firewalls       cloud.Firewalls
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

// Decorate wraps each member that a driver has.
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
func Decorate(driver *cloud.Driver, o Options) *Cloud {
	name := cmp.Or(o.Name, o.Descriptor.Name)
	by := &caller{cloud: name, classify: driver.Classify, metrics: metric.OrDiscard(o.Metrics), can: o.Descriptor.Capabilities}
	c := &Cloud{
		Name:        name,
		Descriptor:  o.Descriptor,
		Annotations: annotation.Kernel().With(o.Annotations),
		Inventory:   o.Inventory,
		Account:     &account{by, driver.Account},
	}
	if driver.Operations != nil {
		c.Operations = &operations{by, driver.Operations}
	}
	c.machines(driver.Machines, by)
	if driver.Balancers != nil {
		c.balancers(driver, by)
	}
	if driver.Routes != nil {
		c.Routes, c.RouteScope = &routes{by, driver.Routes}, driver.Routes.RouteScope
	}
	if driver.Firewalls != nil {
		c.Firewalls = &firewalls{by, driver.Firewalls}
	}
	if driver.Tagger != nil {
		c.Tagger = &tagger{by, driver.Tagger}
	}
	return c
}

// machines takes over what a driver has for machines.
func (c *Cloud) machines(group cloud.MachineGroup, by *caller) {
	c.Instances = &instances{by, group.Instances}
	c.ProviderIDScope, c.Partition, c.NodeIdentity = group.ProviderIDScope, group.Partition, group.NodeIdentity
	c.Namer, c.Describer, c.Completer = group.Namer, group.Describer, group.Completer
	if group.Labeler != nil {
		c.Labeler = &labeler{by, group.Labeler}
	}
}

// balancers takes over what a driver has for load balancers.
func (c *Cloud) balancers(driver *cloud.Driver, by *caller) {
	group, network := driver.Balancers, newNetwork(driver.Balancers.NetworkReader)
	c.Defaults, c.Annotations = group.Defaults, c.Annotations.Without(group.Impossible)
	next, steps := composite.Balancers(driver)
	all := &balancers{by, next, network}
	if next != nil {
		c.Balancers = all
	}
	if steps != nil {
		c.Planner = &planner{by, steps}
	}
	c.TargetLimit, c.Reach, c.Recorder, c.Replacer = group.TargetLimit, group.Reach, group.Recorder, group.Replacer
	if group.Validator != nil {
		c.Validator = &validator{by, group.Validator}
	}
	if group.Checker != nil {
		c.Checker = &checker{by, group.Checker, network}
	}
	if group.BulkLister != nil {
		c.BulkLister = &bulkLister{all, group.BulkLister}
	}
	if group.OwnedLister != nil {
		c.OwnedLister = &ownedLister{by, group.OwnedLister}
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

// WithSteps returns the plan of a change with the steps that it takes, and why the cloud would refuse others. Where it would refuse all,
// the operations are blocked.
func (c *Cloud) WithSteps(ctx context.Context, p plan.Plan, change cloud.Change) (plan.Plan, error) {
	if c.Planner == nil || p.Empty() {
		return p, nil
	}
	steps, err := c.Planner.Forecast(ctx, change)
	refused := cloud.IsClass(err, cloud.FailureInvalid) || cloud.IsClass(err, cloud.FailureQuota)
	switch {
	case refused && len(steps) == 0:
		return p.BlockedBy(err.Error()), err
	case err != nil && !refused:
		return p, err
	case !slices.Equal(steps, p.Executable()): // else the operations are the steps
		p.Steps = steps
	}
	return p, err
}

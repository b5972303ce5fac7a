package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// classicChange is a change of a classic balancer while it is being made.
type classicChange struct {
	*Driver
	s          *snapshot
	change     cloud.Change
	spec       cloud.Spec
	have, want cloud.Balancer
	// made are the ports whose listener was made by this change, and policies the policies.
	made     map[int]bool
	policies map[string]bool
	// targeted says that the targets are as wanted.
	targeted bool
	// pending says that AWS has to be asked again later.
	pending bool
}

// createClassic makes the security group, opened to the clients, and the balancer; then it is
// changed into what is wanted. When the answer is lost the next run finds it by its name.
func (d *Driver) createClassic(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	spec, b := change.Spec, change.After
	c := &classicChange{Driver: d, s: s, change: change, spec: spec, want: *b}
	if err := c.openOwn(ctx); err != nil {
		return cloud.Progress{}, err
	}
	input := &elb.CreateLoadBalancerInput{
		LoadBalancerName: &b.Name, Listeners: classicInputs(b.Listeners), Subnets: listOf(b.ProviderFields[fieldSubnets]),
		SecurityGroups: c.groupIDs(d.classicGroups(spec)), Tags: classicTagList(d.config.Cluster.ObjectTags(spec)),
	}
	if b.Scope == cloud.ScopeInternal {
		input.Scheme = new(schemeInternal)
	}
	if _, err := d.Classic.CreateLoadBalancer(ctx, input); err != nil {
		return cloud.Progress{}, fmt.Errorf("creating classic balancer %s: %w", b.Name, err)
	}
	made, err := d.findClassic(ctx, b.Name)
	if err != nil || made == nil {
		return cloud.Progress{Pending: true}, err
	}
	if err := d.completeClassic(ctx, made); err != nil {
		return cloud.Progress{}, err
	}
	next := *c.s
	next.classic = made
	return d.updateClassic(ctx, &next, change)
}

// updateClassic makes what differs as wanted. The order is such that it serves in between, and
// that what is left when it breaks off is seen by the next run:
//
//	1  tags are added, marks among them
//	2  its own security group is made and opened, and the nodes are
//	3  subnets and security groups are added
//	4  node ports that are given up lose the proxy policy, and listeners are added and changed,
//	   with their policies
//	5  health check and attributes
//	6  targets are added, and removed
//	7  listeners and subnets are removed
//	8  the nodes are closed, security groups removed, and its own closed or deleted
//	9  tags are removed
func (d *Driver) updateClassic(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	c := &classicChange{
		Driver: d, s: s, change: change, spec: change.Spec, have: d.viewClassic(s, change.Spec), want: *change.After,
		made: map[int]bool{}, policies: map[string]bool{},
	}
	for _, step := range []func(context.Context) error{
		c.addTags,
		c.openOwn, c.openTargets,
		c.attachSubnets, c.addGroups,
		c.clearProxies, c.addListeners, c.setPolicies,
		c.setHealth, c.setAttributes,
		c.setTargets,
		c.dropListeners, c.swapSubnets,
		c.closeTargets, c.dropGroups, c.closeOwn,
		c.dropTags,
	} {
		if err := step(ctx); err != nil {
			return cloud.Progress{}, c.keepServing(ctx, err)
		}
	}
	return cloud.Progress{Pending: c.pending}, nil
}

// deleteClassic deletes the balancer. Rules in the nodes' security groups that refer to a group
// which is not its own are known by the balancer alone, so they go first.
func (d *Driver) deleteClassic(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	if err := d.forgetClassic(ctx, s, spec); err != nil {
		return err
	}
	_, err := d.Classic.DeleteLoadBalancer(ctx, &elb.DeleteLoadBalancerInput{LoadBalancerName: s.classic.LoadBalancerName})
	if noClassic(err) {
		return nil
	}
	return failure.Wrap(err, "deleting classic balancer "+s.classic.name())
}

// keepServing brings the targets up to date after AWS refused something for good: nodes come and
// go, whatever is wrong with an annotation. It returns what was refused.
func (c *classicChange) keepServing(ctx context.Context, refused error) error {
	class := failure.Classify(refused).Class
	if c.targeted || class != cloud.FailureInvalid && class != cloud.FailureQuota && class != cloud.FailureNotFound {
		return refused
	}
	return errors.Join(refused, c.setTargets(ctx))
}

// lb is the balancer as it was read.
func (c *classicChange) lb() *classicBalancer { return c.s.classic }

// differs reports whether a managed field is to be changed.
func (c *classicChange) differs(field string) bool {
	return c.want.ProviderFields[field] != c.have.ProviderFields[field]
}

// listener returns the listener at a port now, its policies as they are after what was done.
func (c *classicChange) listener(want cloud.Listener) cloud.Listener {
	for _, l := range c.have.Listeners {
		if l.Port == want.Port && !c.made[l.Port] {
			return l
		}
	}
	l := cloud.Listener{ProviderFields: map[string]string{fieldTLSPolicy: defaultTLSPolicy, fieldProxy: "false"}}
	if slices.Contains(c.lb().backendPolicies(want.TargetPort), proxyPolicy) {
		l.ProviderFields[fieldProxy] = "perhaps" // the last listener of the node port may have taken it along
	}
	return l
}

func listOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

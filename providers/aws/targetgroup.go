package aws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
)

// targetGroup is a target group with what is in it.
type targetGroup struct {
	elbtypes.TargetGroup
	tags       map[string]string
	attributes map[string]string
	// targets are the ids registered and not on their way out: of instances, or addresses.
	targets []string
	// serves says that one of them is healthy.
	serves bool
}

// listTargetGroups returns all target groups of the region: their names have to be unique there.
// Those of the VPC that no listener leads to and that could have been made for a Service have
// their tags.
func (d *Driver) listTargetGroups(ctx context.Context) ([]targetGroup, error) {
	var list []targetGroup
	var loose []string
	for pages := elb.NewDescribeTargetGroupsPaginator(d.Network, &elb.DescribeTargetGroupsInput{PageSize: awssdk.Int32(networkPage)}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the target groups: %w", err)
		}
		for _, g := range page.TargetGroups {
			list = append(list, targetGroup{TargetGroup: g})
			if len(g.LoadBalancerArns) == 0 && awssdk.ToString(g.VpcId) == d.config.Cluster.VPC && names.IsChild(awssdk.ToString(g.TargetGroupName)) {
				loose = append(loose, awssdk.ToString(g.TargetGroupArn))
			}
		}
	}
	tags, err := d.networkTags(ctx, loose)
	for i := range list {
		list[i].tags = tags[awssdk.ToString(list[i].TargetGroupArn)]
	}
	return list, err
}

// isMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (d *Driver) isMade(g targetGroup) bool {
	return g.TargetGroupArn != nil && names.IsChild(awssdk.ToString(g.TargetGroupName)) && d.config.Cluster.Has(g.tags)
}

// releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (d *Driver) releases(g targetGroup) bool { return d.isMade(g) && len(g.LoadBalancerArns) <= 1 }

// release notes that the balancer's listeners do not lead to the group any more.
func (d *Driver) release(s *snapshot, g targetGroup) {
	if d.releases(g) {
		s.released = append(s.released, g)
	}
}

// served reports whether each listener that has targets has one that is healthy. Until then a spare
// target group may be the one that connections still go to.
func (lb *networkBalancer) served() bool {
	return !slices.ContainsFunc(lb.listeners, func(l networkListener) bool { return len(l.group.targets) > 0 && !l.group.serves })
}

func (d *Driver) targetGroups(ctx context.Context, v *bulkList) ([]targetGroup, error) {
	if v != nil {
		return v.groups, nil
	}
	return d.listTargetGroups(ctx)
}

// readSpares finds the target groups of the Service that no listener leads to: on the way in, or
// left by a broken change.
func (d *Driver) readSpares(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) error {
	groups, err := d.targetGroups(ctx, v)
	if err != nil {
		return err
	}
	s.taken = map[string]bool{}
	var orphans []targetGroup
	for _, g := range groups {
		s.taken[awssdk.ToString(g.TargetGroupName)] = true
		switch {
		case len(g.LoadBalancerArns) == 0 && d.config.Cluster.IsOurs(g.tags, spec.Ref.Owner):
			s.unused = append(s.unused, g)
		case spec.Deleting && s.isOrphan(g):
			orphans = append(orphans, g)
		}
	}
	return d.addOrphans(ctx, s, orphans, spec)
}

// isOrphan reports whether the group could be ours and names only balancers that are gone: AWS
// shows them for a while.
func (s *snapshot) isOrphan(g targetGroup) bool {
	return s.alive != nil && len(g.LoadBalancerArns) > 0 && names.IsChild(awssdk.ToString(g.TargetGroupName)) &&
		!slices.ContainsFunc(g.LoadBalancerArns, func(arn string) bool { return s.alive[arn] || !strings.Contains(arn, ":loadbalancer/net/") })
}

func (d *Driver) addOrphans(ctx context.Context, s *snapshot, orphans []targetGroup, spec cloud.Spec) error {
	var arns []string
	for _, g := range orphans {
		arns = append(arns, awssdk.ToString(g.TargetGroupArn))
	}
	tags, err := d.networkTags(ctx, arns)
	for _, g := range orphans {
		if g.tags = tags[awssdk.ToString(g.TargetGroupArn)]; d.config.Cluster.IsOurs(g.tags, spec.Ref.Owner) {
			s.unused = append(s.unused, g)
		}
	}
	return err
}

// completeGroup reads the attributes and the targets of a group.
func (d *Driver) completeGroup(ctx context.Context, g *targetGroup) error {
	attributes, err := d.Network.DescribeTargetGroupAttributes(ctx, &elb.DescribeTargetGroupAttributesInput{TargetGroupArn: g.TargetGroupArn})
	if err != nil {
		return fmt.Errorf("reading the attributes of target group %s: %w", awssdk.ToString(g.TargetGroupName), err)
	}
	g.attributes = map[string]string{}
	for _, attribute := range attributes.Attributes {
		g.attributes[awssdk.ToString(attribute.Key)] = awssdk.ToString(attribute.Value)
	}
	health, err := d.Network.DescribeTargetHealth(ctx, &elb.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn})
	if err != nil {
		return fmt.Errorf("reading the targets of target group %s: %w", awssdk.ToString(g.TargetGroupName), err)
	}
	g.targets, g.serves = nil, false
	for _, target := range health.TargetHealthDescriptions {
		leaving := target.TargetHealth != nil && target.TargetHealth.Reason == elbtypes.TargetHealthReasonEnumDeregistrationInProgress
		if target.Target != nil && !leaving {
			g.targets = append(g.targets, awssdk.ToString(target.Target.Id))
			g.serves = g.serves || target.TargetHealth != nil && target.TargetHealth.State == elbtypes.TargetHealthStateEnumHealthy
		}
	}
	slices.Sort(g.targets)
	g.targets = slices.Compact(g.targets)
	return nil
}

// deleteGroups deletes target groups that no listener leads to. One that is still in use, as
// by a listener that is being deleted, is deleted in a later pass.
func (d *Driver) deleteGroups(ctx context.Context, groups []targetGroup) (cloud.Progress, error) {
	var busy cloud.Progress
	for _, g := range groups {
		gone, err := d.deleteTargetGroup(ctx, g)
		if err != nil {
			return busy, err
		}
		busy.Pending = busy.Pending || !gone
	}
	return busy, nil
}

func (d *Driver) deleteTargetGroup(ctx context.Context, g targetGroup) (gone bool, err error) {
	_, err = d.Network.DeleteTargetGroup(ctx, &elb.DeleteTargetGroupInput{TargetGroupArn: g.TargetGroupArn})
	if failure.Is(err, "ResourceInUse") {
		return false, nil
	}
	err = failure.Ignore(err, codeNoTargetGroup)
	return err == nil, failure.Wrap(err, "deleting target group "+awssdk.ToString(g.TargetGroupName))
}

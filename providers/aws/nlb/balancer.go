package nlb

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// addBalancer adds the balancer with its attributes. Of a new one the defaults are not written.
func (p *parts) addBalancer() {
	before, after := p.change.Before.Balancer, *p.change.After
	wanted, attributes := p.balancer(after), p.attributes(after, after.ProviderFields[balancer.FieldLog] == "true")
	wanted.Needs, wanted.Fields = p.rules(), wanted.Fields.With(fieldTags.Is(p.Cluster.ObjectTags(p.change.Input.Spec)))
	if after.DualStack {
		wanted.Fields = wanted.Fields.Without(fieldStack)
	} else {
		wanted.Fields = wanted.Fields.Without(fieldStackLast)
	}
	p.Wanted = append(p.Wanted, wanted)
	if p.s.Balancer != nil {
		present := p.balancer(before)
		present.ID = p.change.Before.ID
		p.Present = append(p.Present, present, p.attributes(before, true))
		p.addTags()
	} else {
		for attribute := range attributeFields {
			if value := attribute.Of(attributes); value == "false" || value == "" {
				attributes.Fields = attributes.Fields.Without(attribute)
			}
		}
	}
	if len(attributes.Fields.All()) > 1 {
		p.Wanted = append(p.Wanted, attributes)
	}
}

// balancer is a load balancer by its portable view.
func (p *parts) balancer(b cloud.Balancer) cloud.Resource {
	stack := types.IpAddressTypeIpv4
	if b.DualStack {
		stack = types.IpAddressTypeDualstack
	}
	fields := cloud.FieldsOf(fieldStack.Is(stack), fieldStackLast.Is(stack))
	if subnets := b.ProviderFields[balancer.FieldSubnets]; subnets != "" {
		fields = fields.With(fieldSubnets.Is(subnets))
	}
	if groups := b.ProviderFields[balancer.FieldGroups]; groups != "" {
		fields = fields.With(fieldGroups.Is(balancer.Refs(groups, p.Security.NetworkName(p.change.Input.Owner))))
	}
	return cloud.Resource{Kind: kindBalancer, Key: p.lb.Key, Fields: fields, Native: nativeBalancer.Seal(b)}
}

// attributes are those of a load balancer by its portable view.
func (p *parts) attributes(b cloud.Balancer, logs bool) cloud.Resource {
	fields := cloud.FieldsOf(fieldBalancer.Is(cloud.To(p.lb)))
	for attribute, field := range attributeFields {
		if logs || field != balancer.FieldLogBucket && field != balancer.FieldLogPrefix {
			fields = fields.With(attribute.Is(b.ProviderFields[field]))
		}
	}
	return cloud.Resource{Kind: kindAttributes, Key: p.lb.Key, Fields: fields}
}

// Attributes of network balancers.
var (
	attributeCrossZone  = cloud.NewField[string]("load_balancing.cross_zone.enabled")
	attributeProtection = cloud.NewField[string]("deletion_protection.enabled")
	attributeLog        = cloud.NewField[string]("access_logs.s3.enabled")
	attributeLogBucket  = cloud.NewField[string]("access_logs.s3.bucket")
	attributeLogPrefix  = cloud.NewField[string]("access_logs.s3.prefix")
)

// attributeFields are the attributes by their fields in the portable view.
var attributeFields = map[cloud.Field[string]]string{
	attributeCrossZone: balancer.FieldCrossZone, attributeProtection: balancer.FieldProtection, attributeLog: balancer.FieldLog,
	attributeLogBucket: balancer.FieldLogBucket, attributeLogPrefix: balancer.FieldLogPrefix,
}

// addTags adds the tags of as many objects as one request takes at a time.
func (p *parts) addTags() {
	of := cloud.Resource{Kind: kindTags, Key: p.lb.Key}
	for arns := range slices.Chunk(p.tagged(), tagBatch) {
		of.Native = tag.NativeIDs.Seal(arns)
		p.Cluster.Add(&p.Resources, of, p.s.Balancer.Tags, p.change)
		of.Needs = append(slices.Clone(of.Needs), of.Ref())
		of.Key += " and on"
	}
}

// tagged are the ARNs of the balancer and of what belongs to it. The balancer comes last: it is by its tags that the work is
// known to be done.
func (p *parts) tagged() (arns []string) {
	for _, l := range p.s.Balancer.listeners {
		arns = append(arns, aws.ToString(l.ListenerArn))
		if p.Targets.IsMade(l.group) {
			arns = append(arns, aws.ToString(l.group.TargetGroupArn))
		}
	}
	return append(arns, p.change.Before.ID)
}

// rules are those that are missing: what listens must be reached.
func (p *parts) rules() (refs []cloud.IDOf) {
	for _, r := range p.Wanted {
		if r.Kind == secgroup.KindRule && !listed(p.Present, r.Ref()) {
			refs = append(refs, r.Ref())
		}
	}
	return refs
}

func listed(list []cloud.Resource, ref cloud.IDOf) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
}

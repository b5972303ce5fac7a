package nlb

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// addBalancer adds the balancer with its attributes. Of a new one the defaults are not written.
func (p *parts) addBalancer() {
	before, after := p.change.Before.Balancer, *p.change.After
	wanted, attributes := p.balancer(after), p.attributes(after, after.ProviderFields[balancer.FieldLog] == "true")
	wanted.Needs, wanted.Fields[fieldTags] = p.rules(), p.Cluster.ObjectTags(p.change.Input.Spec)
	if after.DualStack {
		delete(wanted.Fields, fieldStack)
	} else {
		delete(wanted.Fields, fieldStackLast)
	}
	p.Wanted = append(p.Wanted, wanted)
	if p.s.Balancer != nil {
		present := p.balancer(before)
		present.ID = p.change.Before.ID
		p.Present = append(p.Present, present, p.attributes(before, true))
		p.addTags()
	} else {
		maps.DeleteFunc(attributes.Fields, func(_ string, value any) bool { return value == "false" || value == "" })
	}
	if len(attributes.Fields) > 1 {
		p.Wanted = append(p.Wanted, attributes)
	}
}

// balancer is a load balancer by its portable view.
func (p *parts) balancer(b cloud.Balancer) cloud.Resource {
	fields := map[string]any{fieldStack: string(types.IpAddressTypeIpv4), fieldStackLast: string(types.IpAddressTypeIpv4)}
	if b.DualStack {
		fields[fieldStack], fields[fieldStackLast] = string(types.IpAddressTypeDualstack), string(types.IpAddressTypeDualstack)
	}
	if subnets := b.ProviderFields[balancer.FieldSubnets]; subnets != "" {
		fields[fieldSubnets] = subnets
	}
	if groups := b.ProviderFields[balancer.FieldGroups]; groups != "" {
		fields[fieldGroups] = balancer.Refs(groups, p.Security.NetworkName(p.change.Input.Owner))
	}
	return cloud.Resource{Kind: kindBalancer, Key: p.lb.Key, Fields: fields, Native: b}
}

// attributes are those of a load balancer by its portable view.
func (p *parts) attributes(b cloud.Balancer, logs bool) cloud.Resource {
	fields := map[string]any{fieldBalancer: p.lb}
	for attribute, field := range attributeFields {
		if logs || field != balancer.FieldLogBucket && field != balancer.FieldLogPrefix {
			fields[attribute] = b.ProviderFields[field]
		}
	}
	return cloud.Resource{Kind: kindAttributes, Key: p.lb.Key, Fields: fields}
}

// Attributes of network balancers and target groups.
const (
	attributeCrossZone  = "load_balancing.cross_zone.enabled"
	attributeProtection = "deletion_protection.enabled"
	attributeLog        = "access_logs.s3.enabled"
	attributeLogBucket  = "access_logs.s3.bucket"
	attributeLogPrefix  = "access_logs.s3.prefix"
)

// attributeFields are the attributes by their fields in the portable view.
var attributeFields = map[string]string{
	attributeCrossZone: balancer.FieldCrossZone, attributeProtection: balancer.FieldProtection, attributeLog: balancer.FieldLog,
	attributeLogBucket: balancer.FieldLogBucket, attributeLogPrefix: balancer.FieldLogPrefix,
}

// addTags adds the tags of as many objects as one request takes at a time.
func (p *parts) addTags() {
	of := cloud.Resource{Kind: kindTags, Key: p.lb.Key}
	for arns := range slices.Chunk(p.tagged(), tagBatch) {
		of.Native = arns
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

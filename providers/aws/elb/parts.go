package elb

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// part returns a part of the balancer.
func (p *parts) part(kind, key string, fields ...cloud.FieldValue) cloud.Resource {
	return cloud.Resource{Kind: kind, Key: key, Fields: cloud.FieldsOf(fields...).With(fieldBalancer.Is(cloud.To(p.lb)))}
}

// addShown adds what the portable views of a balancer show. Its security groups change after the rules of nodes: where one is
// refused, nodes would not be reached any more. Listeners with a certificate have a trial at a port that nobody uses, for where
// they are made again: there is one listener at each port, so that the one before has to go first, and AWS
// may refuse the certificate, which may be gone since it was given to the one before.
func (p *parts) addShown(first []cloud.IDOf) {
	before, after, tags := p.change.Before.Balancer, *p.change.After, p.Cluster.ObjectTags(p.change.Input.Spec)
	lb := cloud.Resource{Kind: kindBalancer, Key: p.lb.Key, Needs: first, Native: nativeScope.Seal(after.Scope), Fields: cloud.FieldsOf(fieldTags.Is(tags))}
	wanted := p.shown(after)
	trial := 65535
	for slices.ContainsFunc(slices.Concat(before.Listeners, after.Listeners), func(l cloud.Listener) bool { return l.Port == trial }) {
		trial--
	}
	for i, r := range wanted {
		if l := nativeListener.Open(r.Native); l.ProviderFields[balancer.FieldCertificates] != "" {
			l.Port = trial
			wanted[i].Trial = new(p.listener(l))
		}
		for _, rule := range p.Wanted {
			if r.Kind == kindGroups && rule.Kind == secgroup.KindRule && p.s.Balancer != nil {
				wanted[i].Needs = append(wanted[i].Needs, rule.Ref())
			}
		}
	}
	p.Wanted = append(append(p.Wanted, lb), wanted...)
	if p.s.Balancer != nil {
		lb = cloud.Resource{Kind: kindBalancer, Key: p.lb.Key, ID: p.lb.Key}
		p.Present = append(append(p.Present, lb), p.shown(before)...)
	}
}

// shown returns the parts that the portable view of a balancer shows. A new balancer has the default
// attributes.
func (p *parts) shown(b cloud.Balancer) (list []cloud.Resource) {
	for _, l := range b.Listeners {
		list = append(list, p.listener(l))
	}
	if b.Health != nil {
		list = append(list, p.part(kindHealth, p.lb.Key, fieldCheck.Is(*b.Health)))
	}
	if attributes := attributeFields(b.ProviderFields); p.s.Balancer != nil || !attributes.Equal(p.standard) {
		list = append(list, p.part(kindAttributes, p.lb.Key, attributes.All()...))
	}
	of := p.part(kindTarget, "")
	for _, id := range b.Targets {
		target := of // the fields are the same of all, thousands in a large cluster
		target.Key, target.Machine = string(id), id
		list = append(list, target)
	}
	list = append(list, p.subnets(balancer.List(b.ProviderFields[balancer.FieldSubnets]))...)
	groups := balancer.Refs(b.ProviderFields[balancer.FieldGroups], p.ownName)
	return append(list, p.part(kindGroups, p.lb.Key, fieldGroups.Is(groups)))
}

// subnets returns subnets by their zones: a balancer has one in each. Those of zones that it does not
// have come first, so that it is never without any.
func (p *parts) subnets(ids []string) []cloud.Resource {
	var added, others []cloud.Resource
	taken, has := map[string]string{}, map[string]bool{}
	for _, id := range p.has.Subnets {
		has[p.s.Inventory.Zone(id)] = true
	}
	for _, id := range ids {
		zone := cmp.Or(p.s.Inventory.Zone(id), id)
		r := p.part(kindSubnet, zone, fieldSubnet.Is(id))
		first, second := taken[zone]
		switch {
		case second:
			r.Key = id
			r.Problem = &cloud.Invalid{Field: option.Subnets.Name, Value: id, Want: "one subnet in each zone: " + first + " is in zone " + zone + " too"}
			others = append(others, r)
		case has[zone]:
			others = append(others, r)
		default:
			added = append(added, r)
		}
		taken[zone] = cmp.Or(first, id)
	}
	return append(added, others...)
}

// listener returns a listener of the balancer.
func (p *parts) listener(l cloud.Listener) cloud.Resource {
	r := p.part(kindListener, strconv.Itoa(l.Port),
		fieldProtocol.Is(l.Protocol), fieldTargetProtocol.Is(l.TargetProtocol), fieldTargetPort.Is(l.TargetPort),
		fieldCertificate.Is(l.ProviderFields[balancer.FieldCertificates]),
	)
	r.Native = nativeListener.Seal(l)
	return r
}

package elb

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// parts are the resources of a balancer, as it is and as it has to be.
type parts struct {
	*Snapshot
	cloud.Resources
	// lb is an empty one where there is none yet.
	lb *Balancer
	// of is the balancer, ownName the name of its own security group.
	of      cloud.IDOf
	ownName secgroup.Name
}

// part returns a part of the balancer.
func (p *parts) part(kind, key string, fields map[string]any) cloud.Resource {
	fields[fieldBalancer] = p.of
	return cloud.Resource{Kind: kind, Key: key, Fields: fields}
}

// Resources returns the resources before and after a change. What the portable view of a balancer
// shows is the same for both.
func (e *Balancers) Resources(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Resources, error) {
	if change.After == nil {
		return e.ofDeletion(ctx, s, change.Spec)
	}
	p := &parts{Snapshot: s, lb: s.Balancer, of: cloud.IDOf{Kind: kindBalancer, Key: s.Name}}
	p.ownName = secgroup.ClassicName(p.of.Key, change.Spec.Ref.Owner)
	if p.lb == nil {
		p.lb = &Balancer{}
	}
	first, err := e.addGroups(ctx, p, change)
	if err != nil {
		return cloud.Resources{}, err
	}
	lb := cloud.Resource{Kind: kindBalancer, Key: p.of.Key, Needs: first, Native: change.After.Scope}
	p.Wanted = append(append(p.Wanted, lb), p.shown(*change.After)...)
	if s.Balancer != nil {
		p.Present = append(append(p.Present, cloud.Resource{Kind: kindBalancer, Key: p.of.Key, ID: p.of.Key}), p.shown(change.Before.Balancer)...)
	}
	p.openFirst()
	p.tryCertificates(change.Before.Balancer, *change.After)
	e.Cluster.Add(&p.Resources, cloud.Resource{Kind: kindTags, Key: p.of.Key, Needs: []cloud.IDOf{p.of}}, p.lb.Tags, change)
	p.addPolicies(change.Before.Balancer, *change.After)
	return p.Resources, nil
}

// shown returns the parts that the portable view of a balancer shows. A new balancer has the default
// attributes.
func (p *parts) shown(b cloud.Balancer) []cloud.Resource {
	groups := secgroup.Refs(balancer.List(b.ProviderFields[balancer.FieldGroups]), p.ownName)
	list := []cloud.Resource{p.part(kindGroups, p.of.Key, map[string]any{fieldGroups: groups})}
	list = append(list, p.subnets(balancer.List(b.ProviderFields[balancer.FieldSubnets]))...)
	for _, l := range b.Listeners {
		list = append(list, p.listener(l))
	}
	if b.Health != nil {
		list = append(list, p.part(kindHealth, p.of.Key, map[string]any{fieldCheck: *b.Health}))
	}
	if attributes := attributeFields(b.ProviderFields); p.Balancer != nil || !reflect.DeepEqual(attributes, attributeFields(desired.Attributes(cloud.Spec{}))) {
		list = append(list, p.part(kindAttributes, p.of.Key, attributes))
	}
	for _, id := range b.Targets {
		list = append(list, p.part(kindTarget, string(id), map[string]any{}))
	}
	return list
}

// subnets returns subnets by their zones: a balancer has one in each. Those of zones that it does not
// have come first, so that it is never without any.
func (p *parts) subnets(ids []string) []cloud.Resource {
	var added, others []cloud.Resource
	taken, has := map[string]string{}, map[string]bool{}
	for _, id := range p.lb.Subnets {
		has[p.Inventory.Zone(id)] = true
	}
	for _, id := range ids {
		zone := cmp.Or(p.Inventory.Zone(id), id)
		r := p.part(kindSubnet, zone, map[string]any{fieldSubnet: id})
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

// The attributes, by their names in the API.
const (
	attributeCrossZone = "CrossZoneLoadBalancing"
	attributeLog       = "AccessLog"
	attributeDraining  = "ConnectionDraining"
	attributeIdle      = "ConnectionSettings"
)

// attributeFields are the attributes, each with the managed fields that AWS changes together.
func attributeFields(b map[string]string) map[string]any {
	return map[string]any{
		attributeCrossZone: []string{b[balancer.FieldCrossZone]},
		attributeLog:       []string{b[balancer.FieldLog], b[balancer.FieldLogInterval], b[balancer.FieldLogBucket], b[balancer.FieldLogPrefix]},
		attributeDraining:  []string{b[desired.FieldDraining], b[desired.FieldDrainingTimeout]},
		attributeIdle:      []string{b[balancer.FieldIdleTimeout]},
	}
}

// listener returns a listener of the balancer.
func (p *parts) listener(l cloud.Listener) cloud.Resource {
	r := p.part(kindListener, strconv.Itoa(l.Port), map[string]any{
		"Protocol": l.Protocol, "InstanceProtocol": l.TargetProtocol, "InstancePort": l.TargetPort,
		"SSLCertificateId": l.ProviderFields[balancer.FieldCertificates],
	})
	r.Native = l
	return r
}

// openFirst has the balancer's security groups changed after the rules of nodes: where one is refused,
// nodes would not be reached any more.
func (p *parts) openFirst() {
	if p.Balancer == nil {
		return
	}
	var rules []cloud.IDOf
	groups := 0
	for i, r := range p.Wanted {
		switch r.Kind {
		case secgroup.KindRule:
			rules = append(rules, r.Ref())
		case kindGroups:
			groups = i
		}
	}
	p.Wanted[groups].Needs = rules
}

// tryCertificates gives listeners with a certificate a trial at a port that nobody uses, for where they
// are made again: there is one listener at each port, so that the one before has to go first, and AWS
// may refuse the certificate, which may be gone since it was given to the one before.
func (p *parts) tryCertificates(before, after cloud.Balancer) {
	port := 65535
	for slices.ContainsFunc(slices.Concat(before.Listeners, after.Listeners), func(l cloud.Listener) bool { return l.Port == port }) {
		port--
	}
	for i, r := range p.Wanted {
		l, is := r.Native.(cloud.Listener)
		if is && l.ProviderFields[balancer.FieldCertificates] != "" {
			l.Port = port
			p.Wanted[i].Trial = new(p.listener(l))
		}
	}
}

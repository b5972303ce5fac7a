package elb

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// The kinds of resources that only classic balancers have.
const (
	kindBalancer   = "classic load balancer"
	kindTags       = "tags of a classic load balancer"
	kindSubnet     = "subnet of a classic load balancer"
	kindGroups     = "security groups of a classic load balancer"
	kindListener   = "listener of a classic load balancer"
	kindPolicy     = "policy of a classic load balancer"
	kindTLS        = "policies of a listener"
	kindProxy      = "policies of a node port"
	kindHealth     = "health check of a classic load balancer"
	kindAttributes = "attributes of a classic load balancer"
	kindTarget     = "instance of a classic load balancer"
)

// Fields of resources, by their names in the API. Each part names its balancer.
const (
	fieldBalancer = "LoadBalancerName"
	fieldGroups   = "SecurityGroups"
	fieldSubnet   = "SubnetId"
	fieldPolicies = "PolicyNames"
	fieldListener = "Listener" // of a node port
)

// ResourceKinds returns the kinds of resources in the order of making. Subnets, security groups,
// listeners and tags are in the request that makes a balancer. Subnets change last: targets do not wait
// for them.
func (e *Balancers) ResourceKinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{Name: kindBalancer, Anchor: true, Brings: []string{kindTags, kindSubnet, kindGroups, kindListener}, CreateBalancer: e.create, Delete: e.delete},
		written(kindTags, e.setTags),
		written(kindGroups, e.setGroups),
		{
			Name: kindListener, Together: fieldBalancer, Immutable: []string{"Protocol", "InstanceProtocol", "InstancePort"}, Takes: []string{kindTLS},
			Add: e.createListeners, Update: e.setCertificate, Remove: e.deleteListeners,
		},
		written(kindPolicy, e.createPolicy), written(kindTLS, e.setListenerPolicies), written(kindProxy, e.setNodePortPolicies),
		written(kindHealth, e.configureHealth), written(kindAttributes, e.modifyAttributes),
		{Name: kindTarget, Together: fieldBalancer, Add: e.register, Remove: e.deregister},
		{Name: kindSubnet, Together: fieldBalancer, Immutable: []string{fieldSubnet}, Add: e.attach, Remove: e.detach},
	}
}

// written is a kind of resources that one request makes, changes and takes away.
func written(kind string, write func(ctx context.Context, r cloud.Resource, fields []string) error) cloud.ResourceKind {
	k := balancer.Written(kind, "", write)
	k.Delete = func(ctx context.Context, present cloud.Resource) error { return write(ctx, present, nil) }
	return k
}

// nameOf returns the name of the balancer that a part belongs to.
func nameOf(part cloud.Resource) *string { return balancer.Text(part, fieldBalancer) }

// values returns what a field of resources holds, in all.
func values(field string, parts ...cloud.Resource) []string {
	list := []string{} // AWS wants a list, an empty one too
	for _, part := range parts {
		switch value := part.Fields[field].(type) {
		case string:
			list = append(list, value)
		case []any:
			for _, item := range value {
				list = append(list, fmt.Sprint(item))
			}
		}
	}
	return list
}

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

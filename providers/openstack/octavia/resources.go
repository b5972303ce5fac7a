package octavia

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// The kinds of resources that a balancer consists of, by the names in the APIs of Neutron and Octavia.
const (
	kindGroup      = "security group"
	kindRule       = "security group rule"
	kindMembership = "port in the security group"
	kindBalancer   = "load balancer"
	kindPool       = "pool"
	kindMember     = "member"
	kindMonitor    = "health monitor"
	kindListener   = "listener"
	kindFloatingIP = "floating IP"
)

// settles is for how long a balancer is busy with a change at the least. Octavia answers 409 to any
// other change meanwhile.
const settles = time.Second

// ResourceKinds implements cloud.Composite. A pool is made and filled before a listener leads to it,
// and deleted before the listener that it is found through.
func (d *Balancers) ResourceKinds() []cloud.ResourceKind {
	pool := d.part(kindPool, "pool", pathPools)
	pool.Immutable, pool.Takes, pool.FoundThrough = []string{"protocol"}, []string{kindMember, kindMonitor}, kindListener
	monitor := d.part(kindMonitor, "healthmonitor", pathMonitors)
	monitor.Immutable = []string{"type"}
	listener := d.part(kindListener, "listener", pathListeners)
	listener.Immutable = []string{"protocol"}
	return []cloud.ResourceKind{
		{Name: kindGroup, OfService: true, Takes: []string{kindRule, kindMembership}, Create: d.createGroup, Delete: d.deleteGroup},
		{Name: kindRule, OfService: true, Create: d.createRule, Delete: d.deleteRule},
		{Name: kindMembership, OfService: true, Create: d.joinGroup, Delete: d.leaveGroup},
		d.balancerKind(), pool, d.memberKind(), monitor, listener,
		{Name: kindFloatingIP, Create: d.createFloatingIP, Update: d.updateFloatingIP, Delete: d.deleteFloatingIP},
	}
}

// part is a kind of Octavia whose fields are sent as they are.
func (d *Balancers) part(kind, name, path string) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind, Settles: settles,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			return d.post(ctx, name, forCreation(wanted.Fields), path)
		},
		Update: func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			return d.put(ctx, name, chosen(wanted.Fields, fields), path, present.ID)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			return api.Remove(ctx, d.client, path, present.ID)
		},
	}
}

// post makes an object of Octavia. An answer that is none of the API says that nothing was made.
func (d *Balancers) post(ctx context.Context, name string, body any, path ...string) (string, error) {
	var answer map[string]reference
	_, err := d.client.Post(ctx, d.client.ServiceURL(path...), map[string]any{name: body}, &answer, api.Changed())
	return answer[name].ID, err
}

// put changes an object of Octavia.
func (d *Balancers) put(ctx context.Context, name string, body any, path ...string) error {
	_, err := d.client.Put(ctx, d.client.ServiceURL(path...), map[string]any{name: body}, nil, api.Changed())
	return err
}

// forCreation leaves out what has its default: a field of no value is only sent to take one away.
func forCreation(fields map[string]any) map[string]any {
	body := map[string]any{}
	for name, value := range fields {
		switch v := value.(type) {
		case nil:
			continue
		case string:
			if v == "" {
				continue
			}
		case []string:
			if len(v) == 0 {
				continue
			}
		case map[string]string:
			if len(v) == 0 {
				continue
			}
		}
		body[name] = value
	}
	return body
}

// chosen returns some of the fields.
func chosen(fields map[string]any, names []string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		some[name] = fields[name]
	}
	return some
}

// Resources implements cloud.Composite.
func (d *Balancers) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	s, ok := change.Before.Native.(*snapshot)
	switch {
	case !ok && change.After == nil:
		return cloud.Resources{}, nil
	case !ok:
		return cloud.Resources{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	case change.After == nil:
		return d.ofDeletion(s, change), nil
	case !change.Before.Found:
		return d.ofCreation(ctx, s, change)
	case s.lb.Provisioning == statusError:
		_, detail := lifecycle(s.lb)
		return cloud.Resources{}, fmt.Errorf("changing balancer %s: %s", s.lb.ID, detail)
	}
	return d.ofUpdate(ctx, s, change), nil
}

func (d *Balancers) ofUpdate(ctx context.Context, s *snapshot, change cloud.Change) cloud.Resources {
	r := d.listenerResources(s, change)
	present, wanted := d.presentBalancer(s, change.Spec), d.wantedBalancer(s, change)
	r.Present, r.Wanted = append(r.Present, present), append(r.Wanted, wanted)
	d.addGroupResources(&r, s, change)
	d.addFloatingResources(ctx, &r, s, change)
	return r
}

// ofCreation is a balancer with all it has.
func (d *Balancers) ofCreation(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Resources, error) {
	where, err := d.place(ctx, change.Spec)
	if err != nil {
		return cloud.Resources{}, err
	}
	other := ""
	if change.After.DualStack {
		if other, err = d.otherSubnet(ctx, where, onIPv6(change.Spec)); err != nil {
			return cloud.Resources{}, err
		}
	}
	r := d.listenerResources(&snapshot{lb: balancer{Subnet: where.MemberSubnet}}, change)
	made := d.newBalancer(change, where, other)
	if err := d.addFirstFloating(ctx, &r, s, change, &made); err != nil {
		return cloud.Resources{}, err
	}
	r.Wanted = append(r.Wanted, made)
	if change.Spec.Lookups[lookupMemberCIDR] != "" {
		d.addGroupResources(&r, s, change)
	}
	balancer := find(r.Wanted, made.Ref())
	for _, opens := range r.Wanted { // what listens must be reached
		if opens.Kind == kindGroup || opens.Kind == kindRule || opens.Kind == kindMembership {
			balancer.Needs = append(balancer.Needs, opens.Ref())
		}
	}
	return r, nil
}

// ofDeletion is what goes, and what stays in its place:
//
//	the balancer                        what goes
//	is gone                             what is left of floating IP and security group
//	has other Services, or the user's   the Service's listeners and its tags
//	has none                            floating IP, security group, the balancer as a whole
//
// What the Service has once, whatever its balancers, stays for another one of its own: the security
// group and the floating IP that is attached nowhere.
func (d *Balancers) ofDeletion(s *snapshot, change cloud.Change) (r cloud.Resources) {
	spec := change.Spec
	if s.guard.group != nil {
		r.Present = append(r.Present, groupResource(s.guard.group.ID, spec.Ref.Owner))
	}
	if s.free != nil && !change.Replaced && spec.Beside == nil {
		r = d.release(r, s.free, spec)
	}
	if !change.Before.Found {
		return r
	}
	present := d.presentBalancer(s, spec)
	r.Present = append(r.Present, present)
	switch {
	case !d.mayDelete(s, spec):
		stays := present
		stays.Fields = map[string]any{"tags": d.tagsWith(s.lb.Tags, nil, spec.Ref.Owner)}
		r.Wanted = append(r.Wanted, stays)
		r.Present = append(r.Present, d.presentListeners(s, d.tagged(s, spec), change)...)
		return r
	case change.Replaced:
		r = d.park(r, s.floating, spec)
	default:
		r = d.release(r, s.floating, spec)
	}
	if !d.config.CascadeDelete {
		r.Present = append(r.Present, s.everything()...)
	}
	return r
}

// everything is all that a balancer has, which has to be empty before it is deleted. A pool that no
// listener leads to goes when there is no listener left: a policy of one can lead to it.
func (s *snapshot) everything() (list []cloud.Resource) {
	for _, l := range s.listeners {
		list = append(list, cloud.Resource{Kind: kindListener, Key: l.key(), ID: l.ID})
	}
	for _, id := range slices.Sorted(maps.Keys(s.pools)) {
		if len(s.pools[id].Listeners) > 0 || len(s.listeners) == 0 {
			list = append(list, cloud.Resource{Kind: kindPool, Key: id, ID: id})
		}
	}
	return list
}

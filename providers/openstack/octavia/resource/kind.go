package resource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// balancerKind is the balancer itself. It is made with all it has in one request, and deleted with
// all of it, unless the provider can't.
func (c *Composite) balancerKind() cloud.ResourceKind {
	kind := c.part(kindBalancer, "loadbalancer", object.PathBalancers)
	kind.Anchor = true
	kind.Last = []string{"name", "description"} // listeners without tags are known by the balancer's name
	children := []string{kindPool, kindMember, kindMonitor, kindListener}
	if !c.Rules.Config.Serial {
		kind.Brings = children
	}
	kind.Create, kind.CreateBalancer = nil, c.createBalancer
	kind.Compares, kind.Update = true, c.changeBalancer
	if c.Rules.Config.CascadeDelete {
		kind.Takes = children
		kind.Delete = func(ctx context.Context, present cloud.Resource) error {
			_, err := c.Client.Delete(ctx, c.Client.ServiceURL(object.PathBalancers, present.ID)+"?cascade=true", nil)
			if api.IsNotFound(err) {
				return nil
			}
			return err
		}
	}
	return kind
}

// createBalancer makes a balancer together with what it brings. What is left by a crash is found
// again by its tag.
func (c *Composite) createBalancer(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (cloud.Made, error) {
	body := api.ForCreation(wanted.Fields)
	if !c.Rules.Config.Serial {
		body["listeners"] = populated(with)
	}
	var answer struct {
		LB object.Answer `json:"loadbalancer"`
	}
	err := api.Post(ctx, c.Client, "loadbalancer", body, &answer, object.PathBalancers)
	if err == nil && answer.LB.ID == "" {
		err = cloud.ErrIncomplete
	}
	made := cloud.Made{ID: answer.LB.ID, Fields: map[string]any{}}
	if port := answer.LB.Port; port != "" {
		made.Fields[floatingip.PortOfVIP] = port
	}
	if len(answer.LB.Pools) > 0 {
		made.Native = answer.LB.Snapshot()
	}
	return made, err
}

// changeBalancer changes a balancer, while its tags are what they were: they are written as a whole, and say who uses it.
func (c *Composite) changeBalancer(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	now, _, err := api.GetOne[object.Balancer](ctx, c.Client, "loadbalancer", object.PathBalancers, present.ID)
	if err != nil {
		return err
	}
	before, _ := present.Fields["tags"].([]string)
	if now.ID != present.ID || !slices.Equal(slices.Sorted(slices.Values(now.Tags)), slices.Sorted(slices.Values(before))) {
		return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "comparing its tags", Err: errors.New("somebody else has changed them")}
	}
	return api.Update(ctx, c.Client, "loadbalancer", api.Chosen(wanted.Fields, fields), object.PathBalancers, present.ID)
}

// populated are the bodies of listeners with what is behind them.
func populated(all []cloud.Resource) []map[string]any {
	var listeners []map[string]any
	for _, r := range all {
		if r.Kind != kindListener {
			continue
		}
		body := api.ForCreation(r.Fields)
		delete(body, "loadbalancer_id")
		delete(body, "default_pool_id")
		if ref, leads := r.Fields["default_pool_id"].(cloud.IDOf); leads {
			body["default_pool"] = populatedPool(Find(all, ref), all)
		}
		listeners = append(listeners, body)
	}
	return listeners
}

func populatedPool(p *cloud.Resource, all []cloud.Resource) map[string]any {
	body := api.ForCreation(p.Fields)
	delete(body, "loadbalancer_id")
	var members []map[string]any
	for _, r := range all {
		switch {
		case r.Fields["pool_id"] != p.Ref():
		case r.Kind == kindMember:
			members = append(members, api.ForCreation(memberBody(r)))
		case r.Kind == kindMonitor:
			monitor := api.ForCreation(r.Fields)
			delete(monitor, "pool_id")
			body["healthmonitor"] = monitor
		}
	}
	if members != nil {
		body["members"] = members
	}
	return body
}

// ResourceKinds implements cloud.Composite. A pool is made and filled before a listener leads to it,
// and deleted before the listener that it is found through.
func (c *Composite) ResourceKinds() []cloud.ResourceKind {
	pool := c.part(kindPool, "pool", object.PathPools)
	pool.Immutable, pool.Takes, pool.FoundThrough = []string{"protocol"}, []string{kindMember, kindMonitor}, kindListener
	monitor := c.part(kindMonitor, "healthmonitor", object.PathMonitors)
	monitor.Immutable = []string{"type"}
	listener := c.part(kindListener, "listener", object.PathListeners)
	listener.Immutable = []string{"protocol"}
	return slices.Concat(c.Groups.Kinds(), []cloud.ResourceKind{c.balancerKind(), pool, c.memberKind(), monitor, listener, c.Floating.Kind()})
}

// part is a kind of Octavia whose fields are sent as they are.
func (c *Composite) part(kind, name, path string) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind, Settles: settles,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			return api.Create(ctx, c.Client, name, api.ForCreation(wanted.Fields), path)
		},
		Update: func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			return api.Update(ctx, c.Client, name, api.Chosen(wanted.Fields, fields), path, present.ID)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			return api.Remove(ctx, c.Client, path, present.ID)
		},
	}
}

// The kinds of resources that Octavia has, by their names in its API.
const (
	kindBalancer = "load balancer"
	kindPool     = "pool"
	kindMember   = "member"
	kindMonitor  = "health monitor"
	kindListener = "listener"
)

// memberKind writes all members of a pool at once, or one by one for providers that can't take
// several.
func (c *Composite) memberKind() cloud.ResourceKind {
	kind := cloud.ResourceKind{Name: kindMember, Settles: settles}
	if !c.Rules.Config.Serial {
		kind.Batch = "pool_id"
		kind.Write = func(ctx context.Context, pool string, wanted []cloud.Resource) error {
			bodies := []map[string]any{}
			for _, m := range wanted {
				bodies = append(bodies, memberBody(m))
			}
			return api.Update(ctx, c.Client, "members", bodies, object.PathPools, pool, "members")
		}
		return kind
	}
	path := func(r cloud.Resource) []string {
		return []string{object.PathPools, fmt.Sprint(r.Fields["pool_id"]), "members"}
	}
	kind.Create = func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
		return api.Create(ctx, c.Client, "member", memberBody(wanted), path(wanted)...)
	}
	kind.Update = func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
		return api.Update(ctx, c.Client, "member", api.Chosen(wanted.Fields, fields), append(path(present), present.ID)...)
	}
	kind.Delete = func(ctx context.Context, present cloud.Resource) error {
		return api.Remove(ctx, c.Client, append(path(present), present.ID)...)
	}
	return kind
}

func memberBody(m cloud.Resource) map[string]any {
	body := maps.Clone(m.Fields)
	delete(body, "pool_id")
	if body["subnet_id"] == "" {
		delete(body, "subnet_id")
	}
	return body
}

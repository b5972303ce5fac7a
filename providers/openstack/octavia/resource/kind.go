package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// ResourceKinds implements cloud.Composite. A pool is made and filled before a listener leads to it,
// and deleted before the listener that it is found through.
func (c *Composite) ResourceKinds() []cloud.ResourceKind {
	pool := c.part(kindPool, "pool", at(object.PathPools))
	pool.Immutable, pool.Takes, pool.FoundThrough = []string{"protocol"}, []string{kindMember, kindMonitor}, kindListener
	monitor := c.part(kindMonitor, "healthmonitor", at(object.PathMonitors))
	monitor.Immutable = []string{"type"}
	listener := c.part(kindListener, "listener", at(object.PathListeners))
	listener.Immutable = []string{"protocol"}
	member := c.part(kindMember, "member", func(r cloud.Resource) []string {
		return []string{object.PathPools, fmt.Sprint(r.Fields["pool_id"]), "members"}
	})
	if !c.Rules.Config.Serial { // else the provider can't take several at once
		member.Batch, member.Create, member.Update, member.Delete = "pool_id", nil, nil, nil
		member.Write = c.writeMembers
	}
	return slices.Concat(c.Groups.Kinds(), []cloud.ResourceKind{c.balancerKind(), pool, member, monitor, listener, c.Floating.Kind()})
}

// at is the path of a kind whose resources are all at one place.
func at(path string) func(cloud.Resource) []string {
	return func(cloud.Resource) []string { return []string{path} }
}

// part is a kind of Octavia whose fields are sent as they are.
func (c *Composite) part(kind, name string, path func(cloud.Resource) []string) cloud.ResourceKind {
	return cloud.ResourceKind{
		Name: kind, Settles: settles,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			return api.Create(ctx, c.Client, name, api.ForCreation(body(wanted)), path(wanted)...)
		},
		Update: func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			return api.Update(ctx, c.Client, name, api.Chosen(wanted.Fields, fields), append(path(present), present.ID)...)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			return api.Remove(ctx, c.Client, append(path(present), present.ID)...)
		},
	}
}

// writeMembers writes all members of a pool at once.
func (c *Composite) writeMembers(ctx context.Context, pool string, wanted []cloud.Resource) error {
	bodies := []map[string]any{}
	for _, m := range wanted {
		bodies = append(bodies, body(m))
	}
	return api.Update(ctx, c.Client, "members", bodies, object.PathPools, pool, "members")
}

// body are the fields that are sent. The pool of a member is in the path.
func body(r cloud.Resource) map[string]any {
	fields := maps.Clone(r.Fields)
	if r.Kind == kindMember {
		delete(fields, "pool_id")
		maps.DeleteFunc(fields, func(name string, value any) bool { return name == "subnet_id" && value == "" })
	}
	return fields
}

// The kinds of resources that Octavia has, by their names in its API.
const (
	kindBalancer = "load balancer"
	kindPool     = "pool"
	kindMember   = "member"
	kindMonitor  = "health monitor"
	kindListener = "listener"
)

// settles is for how long a balancer is busy with a change at the least. Octavia answers 409 to any
// other change meanwhile.
const settles = time.Second

package resource

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// ResourceKinds implements cloud.Composite. A pool is made and filled before a listener leads to it,
// and deleted before the listener that it is found through.
func (c *Composite) ResourceKinds() []cloud.ResourceKind {
	pool := c.part(kindPool, "pool", object.PathPools)
	pool.Immutable, pool.Takes, pool.FoundThrough = []cloud.AnyField{fieldProtocol}, []string{kindMember, kindMonitor}, kindListener
	monitor := c.part(kindMonitor, "healthmonitor", object.PathMonitors)
	monitor.Immutable = []cloud.AnyField{fieldType}
	listener := c.part(kindListener, "listener", object.PathListeners)
	listener.Immutable = []cloud.AnyField{fieldProtocol}
	member := c.part(kindMember, "member", object.PathPools+"/{pool_id}/members")
	member.Target = true
	if !c.Rules.Config.Serial { // else the provider can't take several at once
		member.Batch, member.Create, member.Update, member.Delete = fieldPool, nil, nil, nil
		member.Write = func(ctx context.Context, pool string, wanted []cloud.Resource) error {
			bodies := []cloud.Fields{}
			for _, m := range wanted {
				bodies = append(bodies, sent(m))
			}
			return refusedMembers(api.Update(ctx, c.Client, "members", bodies, object.PathPools, pool, "members"), false)
		}
	} else {
		create := member.Create
		member.Create = func(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, error) {
			id, err := create(ctx, wanted, with)
			return id, refusedMembers(err, false)
		}
	}
	return slices.Concat(c.Groups.Kinds(), []cloud.ResourceKind{c.balancerKind(), pool, member, monitor, listener, c.Floating.Kind()})
}

// refusedMembers marks the error of a request that writes members, where it is for them or their number: Octavia refuses all for
// one. Of a request that makes a load balancer with everything in it that is not known.
func refusedMembers(err error, makes bool) error {
	class := api.Classify(err).Class
	if err == nil || class != cloud.FailureInvalid && class != cloud.FailureQuota || makes && class == cloud.FailureQuota {
		return err
	}
	return &cloud.TargetsRefused{TooMany: class == cloud.FailureQuota, Perhaps: makes, Text: err.Error(), Err: err}
}

// part is a kind of Octavia whose fields are sent as they are, with its name in requests and its path.
func (c *Composite) part(kind, name, path string) cloud.ResourceKind {
	at := func(r cloud.Resource) string {
		return strings.Replace(path, "{pool_id}", fieldPool.Of(r).ID, 1)
	}
	return cloud.ResourceKind{
		Name: kind, Settles: settles,
		Create: func(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
			return api.Create(ctx, c.Client, name, api.ForCreation(sent(wanted)), at(wanted))
		},
		Update: func(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
			return api.Update(ctx, c.Client, name, wanted.Fields.Only(fields...), at(present), present.ID)
		},
		Delete: func(ctx context.Context, present cloud.Resource) error {
			return api.Remove(ctx, c.Client, at(present), present.ID)
		},
	}
}

// sent are the fields that are sent. The pool of a member is in the path.
func sent(r cloud.Resource) cloud.Fields {
	switch {
	case r.Kind != kindMember:
		return r.Fields
	case fieldSubnet.Of(r) == "":
		return r.Fields.Without(fieldPool, fieldSubnet)
	}
	return r.Fields.Without(fieldPool)
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

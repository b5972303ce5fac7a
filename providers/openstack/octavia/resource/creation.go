package resource

import (
	"context"
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// balancerKind is the balancer itself. It is made with all it has in one request, and deleted with
// all of it, unless the provider can't.
func (c *Composite) balancerKind() cloud.ResourceKind {
	kind := c.part(kindBalancer, "loadbalancer", object.PathBalancers)
	kind.Anchor = true
	kind.Last = []cloud.AnyField{fieldName, fieldDescription} // listeners without tags are known by the balancer's name
	children := []string{kindPool, kindMember, kindMonitor, kindListener}
	if !c.Rules.Config.Serial {
		kind.Brings = children
	}
	kind.Compares, kind.Update = true, c.changeBalancer
	kind.Create, kind.CreateBalancer = nil, c.createBalancer
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
	fields := api.ForCreation(wanted.Fields)
	if !c.Rules.Config.Serial {
		fields["listeners"] = populated(with)
	}
	var answer struct {
		LB object.Answer `json:"loadbalancer"`
	}
	err := api.Post(ctx, c.Client, "loadbalancer", fields, &answer, object.PathBalancers)
	if !c.Rules.Config.Serial {
		err = refusedMembers(err, true)
	}
	if err == nil && answer.LB.ID == "" {
		err = cloud.ErrIncomplete
	}
	if err == nil {
		asked := cloud.NameAndTags{Name: fieldName.Of(wanted), Tags: fieldTags.Of(wanted)}
		err = cloud.AnswersCreation(answer.LB.ID, asked, cloud.NameAndTags{Name: answer.LB.Name, Tags: answer.LB.Tags})
	}
	if err != nil {
		return cloud.Made{}, err
	}
	made := cloud.Made{ID: answer.LB.ID, Chosen: map[string]string{fieldVIPPort.Name(): answer.LB.Port}}
	if len(answer.LB.Pools) > 0 {
		made.Native = object.Native.Seal(answer.LB.Snapshot())
	}
	return made, nil
}

// changeBalancer changes a balancer, while its tags are what they were: they are written as a whole, and say who uses it.
func (c *Composite) changeBalancer(ctx context.Context, present, wanted cloud.Resource, fields []string) error {
	now, _, err := api.GetOne[object.Balancer](ctx, c.Client, "loadbalancer", object.PathBalancers, present.ID)
	if err != nil {
		return err
	}
	if !slices.Equal(slices.Sorted(slices.Values(now.Tags)), slices.Sorted(slices.Values(fieldTags.Of(present)))) {
		return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureConflict}, Op: "comparing its tags", Err: errors.New("somebody else has changed them")}
	}
	return api.Update(ctx, c.Client, "loadbalancer", wanted.Fields.Only(fields...), object.PathBalancers, present.ID)
}

// populated are the bodies of listeners with what is behind them.
func populated(all []cloud.Resource) []map[string]any {
	var listeners []map[string]any
	for _, r := range all {
		if r.Kind != kindListener {
			continue
		}
		listener := api.ForCreation(r.Fields.Without(fieldBalancer, fieldDefaultPool))
		if pool := fieldDefaultPool.Of(r); !pool.IsKnown() {
			listener["default_pool"] = populatedPool(Find(all, pool.Of), all)
		}
		listeners = append(listeners, listener)
	}
	return listeners
}

func populatedPool(p *cloud.Resource, all []cloud.Resource) map[string]any {
	pool := api.ForCreation(p.Fields.Without(fieldBalancer))
	var members []map[string]any
	for _, r := range all {
		switch {
		case fieldPool.Of(r) != cloud.To(p.Ref()):
		case r.Kind == kindMember:
			members = append(members, api.ForCreation(sent(r)))
		case r.Kind == kindMonitor:
			pool["healthmonitor"] = api.ForCreation(r.Fields.Without(fieldPool))
		}
	}
	if members != nil {
		pool["members"] = members
	}
	return pool
}

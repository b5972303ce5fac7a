package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// ResourceKinds implements cloud.Composite.
func (bs *Balancers) ResourceKinds() []cloud.ResourceKind {
	return slices.Concat(bs.Security.Kinds(), bs.Classic.ResourceKinds(), bs.Network.ResourceKinds())
}

// Resources implements cloud.Composite.
func (bs *Balancers) Resources(ctx context.Context, change cloud.Change) (r cloud.Resources, err error) {
	s, ok := change.Before.Native.(*snapshot)
	if !ok {
		return r, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	}
	deletes := change.After == nil
	if s.classic != nil || s.network == nil && !deletes && change.After.ProviderFields[balancer.FieldType] == balancer.KindClassic {
		r, err = bs.Classic.Resources(ctx, s.forClassic(change.Spec), change)
	} else {
		r, err = bs.Network.Resources(ctx, s.forNetwork(change.Spec), change)
	}
	if err == nil && deletes {
		err = bs.addRemains(ctx, &r, s, change.Spec)
	}
	return r, err
}

// absent is the observation when there is no balancer. When the Service leaves, what a broken
// deletion left is looked for.
func (bs *Balancers) absent(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) (o cloud.Observed, err error) {
	groups, err := bs.targetGroups(ctx, s, v)
	if err != nil {
		return o, err
	}
	if err := bs.Targets.ReadSpares(ctx, &s.groups, groups, spec); err != nil || !spec.Deleting {
		return o, err
	}
	left, err := bs.Resources(ctx, cloud.Change{Spec: spec, Before: cloud.Observed{Native: s}})
	o.Orphans = len(left.Present) > 0
	return o, err
}

// addRemains adds what is found without the balancer, of which perhaps only that is left: its own
// security groups, which get our mark where the Service does not lead to them, and the rules for it in
// those of nodes, which have its name. Those of a classic one name a security group: where it is its
// own they go with it, else they went before the balancer did.
func (bs *Balancers) addRemains(ctx context.Context, r *cloud.Resources, s *snapshot, spec cloud.Spec) error {
	us := spec.Ref.Owner
	own := bs.Security.Own(s.inventory, us, balancer.Name(spec), s.seen().name)
	bs.Security.MarkOwn(r, own, us, balancer.Name(cloud.Spec{Ref: spec.Ref, Options: spec.Options}))
	bs.Security.DropOwn(r, s.inventory, own...)
	return bs.Security.NodeRules(r, s.inventory, bs.Network.RemovedRules(ctx, s.forNetwork(spec)), nil, false)
}

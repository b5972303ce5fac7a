package service

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// remains are the resources of a balancer that goes, and what is found without it, of which perhaps only that is left: its own
// security groups, which get our ownership tag where the Service does not lead to them, and the rules for it in
// those of nodes, which have its name. Those of a classic one name a security group: where it is its
// own they go with it, else they went before the balancer did.
func (bs *Balancers) remains(ctx context.Context, s *snapshot, change cloud.Change) (r cloud.Resources, err error) {
	in, us, network := change.Input, change.Input.Owner, s.forNetwork()
	group := s.groupName(us)
	present, again := change.Before.Balancer.Name, balancer.Name(cloud.Input{Spec: cloud.Spec{Owner: in.Owner, Options: in.Options}, Known: cloud.Known{ID: in.ID}})
	if err = network.Protected(); err != nil {
		return r, err
	}
	if s.classic != nil {
		if r, err = bs.Classic.Remove(ctx, s.forClassic(), in.Spec); err != nil {
			return r, err
		}
	}
	own := bs.Security.Own(s.inventory, us, group)
	bs.Security.TagOwn(&r, own, us)
	before := len(r.Present)
	bs.Security.DropOwn(&r, s.inventory, own...)
	err = bs.Security.NodeRules(&r, s.inventory, bs.Network.RemovedRules(ctx, network), nil, false)
	if err != nil || s.classic != nil {
		return r, err
	}
	// What is found again by the name stays where AWS refuses to delete the balancer.
	var after []cloud.Resource
	if again == present {
		after = r.Present[before:]
	}
	bs.Network.Remove(&r, network, change, after)
	return r, nil
}

// provesDeletion reports whether the deletion of a balancer ends with one that AWS refuses while the balancer is there: of
// its own security group, or of a target group behind it (DeleteSecurityGroup: DependencyViolation, DeleteTargetGroup: ResourceInUse).
func (bs *Balancers) provesDeletion(s *snapshot, us cloud.Owner) bool {
	return s.network != nil && bs.Network.HasOwnTargetGroups(s.network) || len(bs.Security.Own(s.inventory, us, s.groupName(us))) > 0
}

// groupName is the name of the own security group of the classic balancer that is present, if one is.
func (s *snapshot) groupName(us cloud.Owner) secgroup.Name {
	if s.classic == nil {
		return secgroup.Name{}
	}
	return s.forClassic().GroupName(us)
}

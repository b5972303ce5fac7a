package service

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Check implements cloud.Checker:
//
//	name               is taken by another load balancer, of any type
//	Elastic IPs        exist and are free
//	private addresses  are in their subnets
//
// Subnets and security groups are checked by Normalize. Whether a certificate exists, and a quota is
// used up, only the creation tells.
func (bs *Balancers) Check(ctx context.Context, spec cloud.Spec, before cloud.Observed) error {
	spec.Lookups = maps.Clone(spec.Lookups)
	for _, fact := range balancer.LookupsOfBalancer {
		delete(spec.Lookups, fact)
	}
	wanted, _, err := bs.Normalize(spec)
	if err != nil {
		return err
	}
	s, _ := before.Native.(*snapshot)
	if s == nil {
		s = &snapshot{}
	}
	if !before.Found || before.Balancer.Name != wanted.Name {
		if err := bs.checkName(ctx, s, spec, wanted.Name); err != nil {
			return err
		}
	}
	if wanted.ProviderFields[balancer.FieldType] != balancer.KindNetwork {
		return nil
	}
	return errors.Join(bs.Network.CheckAddresses(ctx, s.network, wanted), nlb.CheckPrivate(s.inventory, wanted))
}

// checkName refuses the name of a balancer there is: AWS has each once for classic balancers, and once
// for all others.
func (bs *Balancers) checkName(ctx context.Context, s *snapshot, spec cloud.Spec, name string) (err error) {
	var found bool
	kind := balancer.Kind(spec)
	switch {
	case s.names != nil:
		found = slices.Contains(s.names[kind], name)
	case kind == balancer.KindNetwork:
		found, err = bs.Network.IsNameTaken(ctx, name)
	default:
		var lb *elb.Balancer
		lb, err = bs.Classic.Find(ctx, name)
		found = lb != nil
	}
	if found && err == nil {
		err = &cloud.Invalid{Field: option.Name.Name, Value: name, Want: "a load balancer of this name is there: choose another"}
	}
	return err
}

package octavia

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
)

// OperationStates implements cloud.Operations. Octavia works at a balancer as a whole:
//
//	its status                   a change     its deletion
//	is pending                   goes on      goes on
//	ERROR                        has failed   has failed
//	DELETED, or it is not there  is unknown   is done
//	ACTIVE                       is done      is unknown
//
// A token of another project would be none of this session, so what is not there is gone.
func (d *Balancers) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	of := map[string]string{} // balancers by operation
	var balancers []string
	for _, id := range ids {
		of[id] = strings.TrimPrefix(id, resource.Deletion)
		balancers = append(balancers, of[id])
	}
	slices.Sort(balancers)
	statuses, err := d.reader.Statuses(ctx, slices.Compact(balancers)...)
	if err != nil {
		return nil, fmt.Errorf("reading the statuses of balancers: %w", err)
	}
	states := map[string]cloud.OperationState{}
	for id, balancer := range of {
		status, found := statuses[balancer]
		state, detail := object.Lifecycle(object.Balancer{Provisioning: status})
		gone, leaves := !found || status == object.StatusDeleted, id != balancer
		switch {
		case gone && leaves, state == cloud.BalancerActive && !leaves:
			states[id] = cloud.OperationState{}
		case gone, state == cloud.BalancerActive:
		case state == cloud.BalancerFailed:
			states[id] = cloud.OperationState{Err: errors.New(detail)}
		default:
			states[id] = cloud.OperationState{Running: true}
		}
	}
	return states, nil
}

// Resources implements cloud.Composite. The answers to a creation say what the balancer is reached at. Any other change leaves that as it
// is, unless it is about the floating IP.
func (d *Balancers) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	r, err := d.Composite.Resources(ctx, change)
	s, ok := change.Before.Native.(*object.Snapshot)
	if err != nil || !ok {
		return r, err
	}
	floats := slices.ContainsFunc(slices.Concat(r.Present, r.Wanted), func(r cloud.Resource) bool { return r.Kind == floatingip.KindFloatingIP })
	r.Told = func(o *cloud.Observed) bool {
		switch {
		case change.Before.Found:
			return !floats
		case floats && (s.Floating == nil || s.Floating.Address == ""):
			return false
		case d.Config.ManageSecurityGroups && change.Spec.Lookups[desired.LookupMemberCIDR] == "":
			return false // what the group lets in is known by the balancer's subnet
		}
		d.addReached(o, s, change.Spec)
		return true
	}
	return r, nil
}

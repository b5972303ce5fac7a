package octavia

import (
	"context"
	"fmt"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

var _ cloud.Operations = (*Balancers)(nil)

// OperationStates implements cloud.Operations: Octavia works at a balancer as a whole, whose id is the operation. Of any other
// status, and of a balancer that is not there, nothing is told: then it is looked at.
func (d *Balancers) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	statuses, err := d.reader.Statuses(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the statuses of balancers: %w", err)
	}
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		switch status := statuses[id]; {
		case status == object.StatusActive:
			states[id] = cloud.OperationState{}
		case strings.HasPrefix(status, object.StatusPending):
			states[id] = cloud.OperationState{Running: true}
		}
	}
	return states, nil
}

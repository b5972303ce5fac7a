package loadbalancer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Desired returns what the firewall in front of the nodes has to let through: the balancer as
// the next Ensure leaves it, and its id, "" while it does not exist. It only reads.
//
//	Service                         balancer
//	not ours, or being deleted      as it is
//	asks for something possible     as it will be
//	asks for something impossible   as it is; an error when there is none
//	wants another balancer instead  as it is, until that one exists
func (m *Manager) Desired(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (b cloud.Balancer, id string, err error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return b, "", err
	}
	defer p.end()
	c := p.candidates(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return b, "", err
	}
	b, id = f.Observed.Balancer, f.Observed.ID
	if p.Untouched() || svc.DeletionTimestamp != nil {
		return b, id, nil
	}
	switch d := p.policy.Choose(f, c); {
	case d.Change.After != nil:
		return *d.Change.After, id, nil
	case !f.Observed.Found && d.Err != nil && !tooEarly(d.Err):
		return b, "", d.Err
	}
	return b, id, nil
}

// tooEarly reports whether the error only says that it is not yet time.
func tooEarly(err error) bool {
	pending, ok := errors.AsType[*Pending](err)
	return ok && pending.Err == nil
}

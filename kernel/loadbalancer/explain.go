package loadbalancer

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Explanation is what is known of a Service's balancer and of the nodes it could use. It is for
// people: nothing is decided by it.
type Explanation struct {
	// Spec is what the Service asks for, as it is given to the driver.
	Spec cloud.Spec
	// Observed is what was found. Found is false when there is none that the Service may have.
	Observed cloud.Observed
	Standing safety.Ownership
	// Evidence says what led to it, and why it is the Service's.
	Evidence []string
	// Conflicts are what the Service names and may not have.
	Conflicts []string
	// Nodes are those that were named, by name.
	Nodes []NodeRole
	// Err says why the nodes are not known whole.
	Err error
}

// NodeRole is what becomes of a node.
type NodeRole = target.Role

// Explain reads what the Service has. It records no event and changes nothing.
func (m *Manager) Explain(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Explanation, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Explanation{}, err
	}
	defer p.end()
	c := p.candidates(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Spec: p.Spec, Observed: f.Observed, Standing: m.owners.Judge(p.Request, p.state.Created, f.Observed), Evidence: owner.Evidence(p.Request, f.Observed), Err: c.Err}
	for _, conflict := range f.Conflicts {
		e.Conflicts = append(e.Conflicts, conflict.Err.Error())
	}
	shape := f.Observed.Balancer
	if d := p.policy.Choose(f, c); d.Change.After != nil {
		shape = *d.Change.After
	}
	e.Nodes = target.Roles(nodes, shape, f.Observed.Resolve(c.Targets).Balancer.Targets, c, target.Rules{Balancers: m.cloud.Balancers, Limit: m.cloud.MaxTargets(shape)})
	return e, nil
}

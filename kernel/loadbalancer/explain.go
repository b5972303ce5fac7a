package loadbalancer

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
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
type NodeRole struct {
	Node    string
	Machine cloud.InstanceID // "" when none was found
	// Target says that it is, or will be, a target; Attached that it is one in the cloud now.
	Target, Attached bool
	// Reason says why it is none, or how it came to be one.
	Reason string
}

// Explain reads what the Service has. It records no event and changes nothing.
func (m *Manager) Explain(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Explanation, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Explanation{}, err
	}
	defer p.end()
	c := p.resolveNodes(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Spec: p.Spec, Observed: f.observed, Standing: p.judge(f.observed), Evidence: p.evidence(f.observed), Err: c.err}
	for _, conflict := range f.conflicts {
		e.Conflicts = append(e.Conflicts, conflict.Err.Error())
	}
	shape := f.observed.Balancer
	if d := p.choose(f, c); d.change.After != nil {
		shape = *d.change.After
	}
	e.Nodes = p.roles(nodes, shape, f.observed.Resolve(c.targets), c)
	return e, nil
}

// evidence lists what connects the balancer with the Service.
func (p *pipeline) evidence(o cloud.Observed) []string {
	if !o.Found {
		return nil
	}
	us := p.Spec.Ref.Owner
	var all []string
	add := func(says string, holds bool) {
		if holds {
			all = append(all, says)
		}
	}
	add("its marks have the UID of the Service", o.Owner.UID != "" && o.Owner.UID == us.UID)
	add("its marks name the Service", o.Owner.Name == us.Name && o.Owner.Namespace == us.Namespace && us.Name != "")
	add("its marks name the cluster "+us.Cluster, o.Owner.Cluster != "" && o.Owner.Cluster == us.Cluster)
	add("its name holds the UID of the Service", o.Named || o.Balancer.Name == safety.DerivedName(us.UID))
	add("an annotation of the Service has its id", slices.Contains(p.Named(), o.ID))
	add("the status of the Service has one of its addresses", status.Publishes(p.Service, o))
	add("only its name led to it", o.ByName)
	add("the cloud lets several Services share it", o.Shared)
	return all
}

// roles says what becomes of each node.
func (p *pipeline) roles(nodes []*corev1.Node, shape cloud.Balancer, observed cloud.Observed, c candidates) []NodeRole {
	targets, skipped := targetsOf(shape, c, observed.Balancer.Targets, p.manager.cloud.Balancers, p.manager.cloud.Descriptor.Capabilities.MaxTargets)
	machines, reasons := map[string]cloud.InstanceID{}, map[string]string{}
	for _, t := range c.targets {
		machines[t.NodeName] = t.InstanceID
	}
	for _, u := range c.unknown {
		machines[u.node], reasons[u.node] = u.id, cmp.Or(u.reason, "its machine could not be read: one that is a target stays one")
	}
	for _, s := range skipped {
		reasons[s.node] = s.reason
	}
	var roles []NodeRole
	for _, node := range nodes {
		id := machines[node.Name]
		r := NodeRole{
			Node: node.Name, Machine: id, Reason: reasons[node.Name],
			Target: id != "" && slices.Contains(targets, id), Attached: id != "" && slices.Contains(observed.Balancer.Targets, id),
		}
		switch {
		case r.Reason != "":
		case !c.offered[node.Name]:
			r.Reason = "multicloud-ccm.io/node-selector does not match its labels"
		case joining(node):
			r.Reason = "it waits for its cloud: it has no provider-ID yet"
		case id == "":
			r.Reason = "it has no provider-ID, and not exactly one machine has its name"
		case node.Spec.ProviderID == "":
			r.Reason = "found by name, as it has no provider-ID"
		}
		roles = append(roles, r)
	}
	return roles
}

package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// A process that has just started, or taken over, knows a balancer's targets only from the cloud.
// Where its idea of the nodes and that of whoever put the targets there differ, most would go at
// once, and with them the traffic. So they stay until there is proof for each that it may go.

// keptTargets are targets that were kept, and the request that was made then.
type keptTargets struct {
	targets []cloud.InstanceID
	request string
}

// hold returns the targets that stay although no node asks for them. It is pure.
//
//	this process                   that would go  a target without proof
//	has brought the targets once   any number     goes, but not one that was kept before
//	has not                        half or fewer  goes
//	has not                        more, or all   stays
//
// What was kept is let go when there is proof (see prove), when a node asks for it and later does
// not, and when the Service asks for something else than then.
func (p *pipeline) hold(observed cloud.Observed, targets []cloud.InstanceID, c candidates) []cloud.InstanceID {
	wanted, kept := setOf(targets), map[cloud.InstanceID]bool{}
	if k := p.state.kept; k != nil && k.request == p.Fingerprint {
		kept = setOf(k.targets)
	}
	served := map[string]bool{}
	for _, candidate := range c.targets {
		for _, a := range candidate.Addresses {
			served[a.Address] = wanted[candidate.InstanceID]
		}
	}
	var going []cloud.InstanceID
	for _, id := range observed.Balancer.Targets {
		if !wanted[id] && (!id.Unknown() || !served[addressOf(id)]) {
			going = append(going, id)
		}
	}
	news := p.state.brought != observed.ID && p.state.created != observed.ID
	most := 2*len(going) > len(observed.Balancer.Targets)
	return slices.DeleteFunc(going, func(id cloud.InstanceID) bool {
		return c.free[id] || !kept[id] && (!news || !most)
	})
}

// addressOf is the address of an unknown target.
func addressOf(id cloud.InstanceID) string {
	address, _, _ := strings.Cut(id.Address(), "#")
	return address
}

// rememberKept remembers what the decision holds. It is known before the change begins, which may take
// several passes.
func (p *pipeline) rememberKept() {
	p.state.kept = nil
	if len(p.held) > 0 {
		p.state.kept = &keptTargets{p.held, p.Fingerprint}
	}
}

// rememberBrought remembers that the balancer has the targets a decision gave it. Where something could not
// be read, the next pass is like the first one.
func (m *serviceState) rememberBrought(d decision) {
	if d.change.After != nil && d.change.Before.Found && d.err == nil {
		m.brought = d.change.Before.ID
	}
}

// proven decides, and looks for proof where targets would stay for want of it, which the candidates
// keeps.
func (p *pipeline) proven(ctx context.Context, c *candidates, decide func(candidates) decision) decision {
	d := decide(*c)
	if len(p.held) == 0 {
		return d
	}
	c.free = p.prove(ctx, *c, p.held)
	return decide(*c)
}

// prove returns those of the targets that may go:
//
//	target                                          may go
//	of a Node that balancers must not have: it is   yes
//	 excluded by label, being deleted, opted out,
//	 another cloud's, or not selected
//	of a machine that the cloud certainly has not,  yes
//	 seen with the right credentials
//	at an address that no machine has, in a list    yes
//	 that is believed, with the right credentials
//	of a machine that is there, without a Node      no: nothing says that it does not serve
//	of a Node that asks for it but is not eligible  no: it serves in spite of that
//	while the cloud does not answer                 no
//
// It costs at most one batch of direct reads or one list, and a look at the credentials.
func (p *pipeline) prove(ctx context.Context, c candidates, targets []cloud.InstanceID) map[cloud.InstanceID]bool {
	free, others := map[cloud.InstanceID]bool{}, p.others(c)
	asking := map[cloud.InstanceID]bool{}
	for _, candidate := range c.targets {
		asking[candidate.InstanceID] = true
	}
	var ids, addresses []cloud.InstanceID
	for _, id := range targets {
		switch {
		case asking[id]:
		case others.has(id, ""):
			free[id] = true
		case id.Unknown():
			addresses = append(addresses, id)
		default:
			ids = append(ids, id)
		}
	}
	gone := p.absent(ctx, ids, addresses, func(id cloud.InstanceID, name string) {
		if others.has(id, name) {
			free[id] = true
		}
	})
	if len(gone) > 0 && p.manager.trust(ctx) == nil {
		for _, id := range gone {
			free[id] = true
		}
	}
	return free
}

// absent returns the targets whose machine the cloud has not, and shows those it has.
func (p *pipeline) absent(ctx context.Context, ids, addresses []cloud.InstanceID, shows func(id cloud.InstanceID, name string)) []cloud.InstanceID {
	var gone []cloud.InstanceID
	if len(ids) > 0 {
		if found, err := p.manager.machines.Lookup(ctx, ids); err == nil {
			for _, id := range ids {
				if machine, ok := found[id]; ok {
					shows(id, machine.Name)
				} else {
					gone = append(gone, id)
				}
			}
		}
	}
	if len(addresses) > 0 {
		if taken, err := p.manager.machines.Addresses(ctx); err == nil {
			for _, id := range addresses {
				if !taken[addressOf(id)] {
					gone = append(gone, id)
				}
			}
		}
	}
	return gone
}

// others are the Nodes that were not offered to the balancer.
type others struct {
	ids              map[cloud.InstanceID]bool
	names, addresses map[string]bool
}

func (p *pipeline) others(c candidates) others {
	o := others{map[cloud.InstanceID]bool{}, map[string]bool{}, map[string]bool{}}
	for _, node := range p.manager.nodes() {
		if c.offered[node.Name] {
			continue
		}
		if id, err := p.manager.machines.ProviderID(node); err == nil {
			o.ids[id] = true
		}
		if node.Spec.ProviderID == "" {
			o.names[strings.ToLower(node.Name)] = true
		}
		for _, a := range node.Status.Addresses {
			if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
				o.addresses[a.Address] = true
			}
		}
	}
	return o
}

// has reports whether a target is one of the Nodes; name is that of its machine, "" when not known.
func (o others) has(id cloud.InstanceID, name string) bool {
	return o.ids[id] || id.Unknown() && o.addresses[addressOf(id)] || name != "" && o.names[strings.ToLower(name)]
}

// heldWarnings say which targets are kept and why.
func (p *pipeline) heldWarnings(present int, skipped []skip, c candidates) []problem.Warning {
	if len(p.held) == 0 {
		return nil
	}
	nodes, reasons := map[cloud.InstanceID]string{}, map[string]string{}
	for _, candidate := range c.targets {
		nodes[candidate.InstanceID] = candidate.NodeName
	}
	for _, s := range skipped {
		reasons[s.node] = s.reason
	}
	var texts []string
	for _, id := range p.held {
		text := strings.TrimPrefix(string(id), "?") + " (no Node is known for it)"
		if node := nodes[id]; node != "" {
			text = fmt.Sprintf("%s (node %s: %s)", id, node, reasons[node])
		}
		texts = append(texts, text)
	}
	return []problem.Warning{problem.Warn(event.TargetsKept, fmt.Sprintf("%d of %s stay until something proves that they may go: %s", len(p.held), difference.Count(present, "target"), firstOf(texts)))}
}

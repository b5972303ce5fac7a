package target

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Role is what becomes of a node.
type Role struct {
	Node    string
	Machine cloud.InstanceID // "" when none was found
	// Target says that it is, or will be, a target; Attached that it is one in the cloud now.
	Target, Attached bool
	// Reason says why it is none, or how it came to be one.
	Reason string
}

// Roles says what becomes of each node, where the balancer has these targets.
func Roles(nodes []*corev1.Node, shape cloud.Balancer, attached []cloud.InstanceID, c Candidates, r Rules) []Role {
	targets, skipped := targetsOf(shape, c, attached, r)
	machines, reasons := map[string]cloud.InstanceID{}, map[string]string{}
	for _, t := range c.Targets {
		machines[t.NodeName] = t.InstanceID
	}
	for _, u := range c.unknown {
		machines[u.node], reasons[u.node] = u.id, cmp.Or(u.reason, "its machine could not be read: one that is a target stays one")
	}
	for _, s := range skipped {
		reasons[s.node] = s.reason
	}
	var all []Role
	for _, node := range nodes {
		id := machines[node.Name]
		found := Role{
			Node: node.Name, Machine: id, Reason: reasons[node.Name],
			Target: id != "" && slices.Contains(targets, id), Attached: id != "" && slices.Contains(attached, id),
		}
		switch {
		case found.Reason != "":
		case !c.offered[node.Name]:
			found.Reason = "multicloud-ccm.io/node-selector does not match its labels"
		case joining(node):
			found.Reason = "it waits for its cloud: it has no provider-ID yet"
		case id == "":
			found.Reason = "it has no provider-ID, and not exactly one machine has its name"
		case node.Spec.ProviderID == "":
			found.Reason = "found by name, as it has no provider-ID"
		}
		all = append(all, found)
	}
	return all
}

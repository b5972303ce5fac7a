package target

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
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
	machines, reasons, skipped := map[string]cloud.InstanceID{}, map[string]string{}, map[string]string{}
	targets := targetsOf(shape, c, attached, r, func(node, reason string) { skipped[node] = reason })
	for _, t := range c.Targets {
		machines[t.NodeName] = t.InstanceID
	}
	for _, u := range c.unknown {
		machines[u.node], reasons[u.node] = u.id, cmp.Or(u.reason, "its machine could not be read: one that is a target stays one")
	}
	maps.Copy(reasons, skipped)
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

// LeftOut says why a Node is not handed to balancers of a cloud that these provider-IDs concern, "" when it is.
func LeftOut(node *corev1.Node, concerns func(providerID string) bool) string {
	switch owner := instance.Owner(node, concerns); {
	case owner == instance.Foreign:
		return "its provider-ID belongs to another cloud"
	case owner == instance.OptedOut:
		return "it has a label that keeps cloud controllers away"
	case Excluded(node):
		return "it has the label " + corev1.LabelNodeExcludeBalancers
	case Leaving(node):
		return "it is being deleted"
	}
	return ""
}

// Excluded reads the label as upstream does: "false" includes, nonsense excludes.
func Excluded(node *corev1.Node) bool {
	value, ok := node.Labels[corev1.LabelNodeExcludeBalancers]
	if !ok {
		return false
	}
	exclude, err := strconv.ParseBool(value)
	return err != nil || exclude
}

// Leaving reports whether a Node is being deleted, or is about to be: upstream does not ask when that was announced.
func Leaving(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == instance.Announcement })
}

// WhyNone adds to a text why none of the cluster's nodes can be a target of a balancer of that shape, which has none. Where
// there is no node it adds nothing.
func (c Candidates) WhyNone(text string, shape cloud.Balancer, r Rules) string {
	left := skips{}
	for _, role := range Roles(c.nodes, shape, nil, c, r) {
		left.add(role.Node, role.Reason)
	}
	if c.leftOut != nil {
		for _, s := range c.leftOut() {
			left.add(s.node, s.reason)
		}
	}
	if len(left) == 0 {
		return text
	}
	return text + ": " + left.String()
}

// leftOut are the cluster's Nodes that were not handed to the balancer, and why. One of which nothing speaks against it
// has just come.
func (s Nodes) leftOut(handed map[string]bool) []skip {
	var out []skip
	for _, node := range s.Nodes() {
		if _, named := handed[node.Name]; named {
			continue
		}
		if reason := LeftOut(node, s.Concerns); reason != "" {
			out = append(out, skip{node.Name, reason})
		}
	}
	return out
}

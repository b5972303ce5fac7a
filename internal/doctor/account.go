package doctor

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

func judgeAccountKnown(f *facts) Outcome {
	if f.sky.err != nil {
		return cannot(f.sky.unknown())
	}
	if err := f.sky.accountErr; err != nil {
		return warning("the credentials may not ask which account they see: "+err.Error(), "")
	}
	if f.sky.account.Unknown {
		return fine("nothing that the credentials can read tells one account of %s from another: the machines of Ready Nodes show that it is the right one", f.Cloud.Name)
	}
	return fine("%s", accountText(f))
}

func accountText(f *facts) string {
	text := fmt.Sprintf("%s account %s", f.Cloud.Name, f.sky.account.Account)
	if f.sky.account.Unknown {
		text = fmt.Sprintf("an account of %s that has no name", f.Cloud.Name)
	}
	if f.sky.account.Region != "" { // some accounts are not in one
		text += ", region " + f.sky.account.Region
	}
	return text
}

// judgeAccount says whether credentials and configuration are about this cluster at all. The first
// row that fits decides:
//
//	machines of our Nodes in the cloud's list        outcome
//	the account is not the one on record             failure
//	at least one, by id or by name                   ok
//	none, of Nodes with our provider-IDs             failure
//	none, of new Nodes, and none has a similar name  failure
//	no Node is ours yet, no machine                  warning: nothing proves the account
//	no Node is ours yet                              ok
func judgeAccount(f *facts) Outcome {
	if err := f.sky.unknown(); err != nil {
		return cannot(err)
	}
	if f.nodes.err != nil {
		return cannot(f.nodes.err)
	}
	if accountChanged(f) {
		return failure("the credentials see another account than the one that had this cluster's machines", "", "they see "+accountText(f), "the record is on lease "+f.Lease.String())
	}
	initialised, fresh := f.mine()
	seen := fmt.Sprintf("%s in the cloud", plural(len(f.sky.machines), "machine"))
	if slices.ContainsFunc(slices.Concat(initialised, fresh), func(n *corev1.Node) bool { _, has := f.sky.of[n.Name]; return has }) {
		return fine("%s, those of this cluster among them", seen)
	}
	evidence := []string{"the credentials see " + accountText(f), seen + mentioned(f.sky.machines)}
	switch {
	case len(initialised) > 0:
		return failure(fmt.Sprintf("none of the machines of %s is among the %d in the cloud's list", plural(len(initialised), "Node"), len(f.sky.machines)), "",
			append(evidence, "Nodes: "+names(nodeNames(initialised)))...)
	case len(fresh) > 0 && !slices.ContainsFunc(fresh, func(n *corev1.Node) bool { return len(f.sky.similar(n)) > 0 }):
		return failure(fmt.Sprintf("no machine resembles any of the %s that wait for theirs", plural(len(fresh), "Node")), "",
			append(evidence, "Nodes: "+names(nodeNames(fresh)))...)
	case len(fresh) == 0 && len(f.sky.machines) == 0:
		return warning("the account has no machine, and the cluster no Node of it: nothing shows that the credentials are those of this cluster",
			"if machines exist, the credentials are those of another account, project or region", evidence...)
	}
	return fine("%s", seen)
}

// mine are the Nodes of this cloud: those with a provider-ID, and those that wait for one.
func (f *facts) mine() (initialised, fresh []*corev1.Node) {
	for _, node := range f.nodes.value {
		switch {
		case f.Cloud == nil || instance.Owner(node, f.Cloud.Concerns) != instance.Mine:
		case node.Spec.ProviderID == "":
			fresh = append(fresh, node)
		default:
			initialised = append(initialised, node)
		}
	}
	return initialised, fresh
}

func nodeNames(nodes []*corev1.Node) []string {
	var list []string
	for _, node := range nodes {
		list = append(list, node.Name)
	}
	return list
}

// mentioned are the names of a few machines.
func mentioned(machines map[cloud.InstanceID]cloud.Instance) string {
	var list []string
	for _, machine := range machines {
		list = append(list, machine.Name)
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return ": " + names(list)
}

// similar returns the machines whose names or addresses make one think of the Node, the most
// similar first.
func (s *sky) similar(node *corev1.Node) []cloud.Instance {
	type candidate struct {
		machine  cloud.Instance
		distance int
	}
	var found []candidate
	for _, machine := range s.machines {
		if d := unlike(node, machine); d >= 0 {
			found = append(found, candidate{machine, d})
		}
	}
	// For each type of value, package slices has code of its own: 20 kB for one of this size.
	sort.Slice(found, func(n, m int) bool {
		a, b := &found[n], &found[m]
		return a.distance < b.distance || a.distance == b.distance && a.machine.Name < b.machine.Name
	})
	var list []cloud.Instance
	for _, c := range found[:min(len(found), 3)] {
		list = append(list, c.machine)
	}
	return list
}

// unlike is how different the names of a Node and of a machine are, -1 when they have nothing in
// common. A shared address is as good as the same name.
func unlike(node *corev1.Node, machine cloud.Instance) int {
	for _, a := range machine.Addresses {
		if slices.ContainsFunc(node.Status.Addresses, func(n corev1.NodeAddress) bool { return n.Address == a.Address && n.Type != corev1.NodeHostName }) {
			return 0
		}
	}
	a, b := strings.ToLower(node.Name), strings.ToLower(machine.Name)
	if short(a) == short(b) || strings.Contains(b, string(machine.ID)) && strings.Contains(a, string(machine.ID)) {
		return 1
	}
	d := annotation.Distance(a, b)
	if d <= max(2, min(len(a), len(b))/4) {
		return 1 + d
	}
	return -1
}

func short(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

package judge

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// Reason is what was decided about a request, and why.
type Reason string

// The reasons. Every request but one that is approved stays as it is, so that others may approve it.
const (
	Approved Reason = "approved"
	// NotOurs is for a Node of another cloud or of nobody. Nothing is said about it.
	NotOurs Reason = "not_ours"
	// Early is for a Node that is not there yet, or that has no machine yet.
	Early Reason = "early"
	// Unknown is for a fact that is missing. Decision.Missing names it.
	Unknown Reason = "unknown"
	// The next ones are about the request, the Node and the machine. Kept is for what is reserved.
	Malformed     Reason = "malformed"
	NodeGoing     Reason = "node_going"
	NodeYounger   Reason = "node_younger"
	NodeDescribed Reason = "node_described"
	MachineShared Reason = "machine_shared"
	MachineGone   Reason = "machine_gone"
	MachineOff    Reason = "machine_off"
	MachineNamed  Reason = "machine_named"
	Kept          Reason = "reserved"
	// Taken is for a name or an address that somebody else has too.
	Taken Reason = "taken"
	// Unproven is for an address that only the Node tells, and with which the driver completes its machine.
	Unproven Reason = "unproven"
	// Contradiction is for a name or an address that is certainly not the machine's.
	Contradiction Reason = "contradiction"
	// Overtaken is for a request that is gone, or that somebody else decided. Failed is for one that could not be read, and for a decision
	// that could not be written.
	Overtaken Reason = "overtaken"
	Failed    Reason = "failed"
)

// Decision is what was decided about a request.
type Decision struct {
	Reason  Reason
	Message string
	// Missing is the fact that an Unknown lacks.
	Missing Fact
}

func decided(reason Reason, format string, args ...any) *Decision {
	return &Decision{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func missing(kind Kind, of string) *Decision {
	fact := Fact{kind, of}
	return &Decision{Reason: Unknown, Message: fact.String() + " is not known yet", Missing: fact}
}

// doubt is how much younger than the request its Node may seem: the times of both have a resolution of a second, and two API servers
// may have written them.
const doubt = 2 * time.Second

// Judge judges a request. The first row that fits decides:
//
//	the Node                                            see Before; Malformed, NodeGoing, NodeYounger, MachineShared
//	the Node shows an address that is reserved          Kept, before the cloud is asked anything
//	the machine                                         MachineGone, MachineOff, MachineNamed
//	the account of what was read is not proved          Unknown
//	the machine has something that is reserved          Kept
//	a name or an address is not the machine's           Contradiction, Unproven
//	is everybody's                                      Kept
//	another Node or machine has it too                  Taken
//	everything holds                                    Approved
func (f *Facts) Judge(r Request) Decision {
	if no := f.Before(r.Node); no != nil {
		return *no
	}
	node := f.Nodes.Named(r.Node)
	id, no := f.judgeNode(node, r)
	if no != nil {
		return *no
	}
	if no := f.judgeShown(node); no != nil {
		return *no
	}
	machine, no := f.judgeMachine(node, id)
	if no != nil {
		return *no
	}
	if part := f.Cloud.PartOf(id); !f.Accounts[part] {
		return *missing(Account, part)
	}
	if no := f.judgeReserved(node, machine); no != nil {
		return *no
	}
	for _, name := range r.Names {
		if no := f.judgeName(node, machine, name); no != nil {
			return *no
		}
	}
	for _, address := range r.Addresses {
		if no := f.judgeAddress(node, machine, address); no != nil {
			return *no
		}
	}
	return *decided(Approved, "cloud %s proves that machine %s is the Node's, and nobody else has a name or an address in it", f.Cloud.Name, id)
}

// Before decides about all requests of a Node that is not there, that is not ours, or that has no machine: Early, NotOurs or NodeDescribed.
// It returns nil where the request has to be read.
func (f *Facts) Before(name string) *Decision {
	node := f.Nodes.Named(name)
	switch {
	case node == nil:
		return decided(Early, "there is no Node %s yet", name)
	case instance.Owner(node, f.Cloud.Concerns) != instance.Mine:
		return decided(NotOurs, "Node %s is not one of %s", name, f.Cloud.Name)
	}
	if _, described := instance.FromNode(f.Cloud, node); described {
		return decided(NodeDescribed, "only the Node describes its machine: no cloud says which names and addresses it has")
	}
	if node.Spec.ProviderID == "" {
		return decided(Early, "the Node waits for its cloud")
	}
	return nil
}

// judgeNode returns the machine that the Node of a request names.
func (f *Facts) judgeNode(node *corev1.Node, r Request) (cloud.InstanceID, *Decision) {
	switch {
	case r.Problem != nil:
		return "", decided(Malformed, "%v", r.Problem)
	case len(r.Names)+len(r.Addresses) == 0:
		return "", decided(Malformed, "it asks for neither a name nor an address")
	case node.DeletionTimestamp != nil:
		return "", decided(NodeGoing, "the Node is being deleted")
	case node.CreationTimestamp.After(r.Created.Add(doubt)):
		return "", decided(NodeYounger, "the Node is younger than the request, which may be of another machine of that name")
	}
	id, err := instance.ID(f.Cloud, node)
	if err != nil || id == "" || id.Described() {
		return "", decided(MachineGone, "the provider-ID %s names no machine", quoted(node.Spec.ProviderID))
	}
	if other := f.Nodes.machines.other(string(id), node.Name); other != "" {
		return "", decided(MachineShared, "Node %s names the machine %s too", other, id)
	}
	return id, nil
}

// judgeShown judges what the Node shows: one beside an API server waits for somebody, for as long as it asks, and costs the cloud nothing.
func (f *Facts) judgeShown(node *corev1.Node) *Decision {
	if f.Reserved == nil {
		return missing(Reservation, "")
	}
	for _, a := range node.Status.Addresses {
		if f.Reserved.has(a.Address) {
			return decided(Kept, "the Node shows %s, which is %s", quoted(a.Address), f.Reserved.whose(a.Address))
		}
	}
	return nil
}

// judgeMachine returns the machine of a Node. A kubelet chooses its provider-ID: the cloud has to find the machine by the Node's name too,
// and no other one.
func (f *Facts) judgeMachine(node *corev1.Node, id cloud.InstanceID) (machine cloud.Instance, no *Decision) {
	if f.Machines == nil {
		return machine, missing(List, "")
	}
	machine, found := f.Machines.byID[id]
	if !found {
		return machine, decided(MachineGone, "the cloud lists no machine %s", id)
	}
	if no := f.judgeFound(node, id); no != nil {
		return machine, no
	}
	state := machine.State
	if state == cloud.StateUnknown {
		var known bool
		if state, known = f.States[id]; !known {
			return machine, missing(State, string(id))
		}
	}
	switch state {
	case cloud.StateRunning, cloud.StatePending:
		return machine, nil
	case cloud.StateUnknown:
		return machine, decided(MachineOff, "the cloud does not say whether machine %s runs", id)
	}
	return machine, decided(MachineOff, "machine %s is shut down", id)
}

// judgeFound judges what the cloud finds by the Node's name.
func (f *Facts) judgeFound(node *corev1.Node, id cloud.InstanceID) *Decision {
	if f.Cloud.Namer != nil {
		if named := f.Cloud.Namer.NameID(node.Name); named == id {
			return nil
		} else if named != "" {
			return decided(MachineNamed, "the Node's name is that of machine %s, its provider-ID names %s", named, id)
		}
	}
	listed := f.Machines.names[normal(node.Name)]
	switch {
	case listed[1] != "":
		return decided(MachineNamed, "more than one machine has the Node's name, such as %s and %s", listed[0], listed[1])
	case listed[0] != "" && listed[0] != string(id):
		return decided(MachineNamed, "machine %s has the Node's name, its provider-ID names %s", listed[0], id)
	case listed[0] == string(id) && f.Machines.byID[id].Name == node.Name:
		return nil
	}
	found, read := f.Named[node.Name]
	switch {
	case !read:
		return missing(Name, node.Name)
	case len(found) != 1 || found[0].ID != id:
		return decided(MachineNamed, "by the Node's name the cloud finds %d machines, and not machine %s alone, which its provider-ID names", len(found), id)
	}
	return nil
}

// judgeReserved judges the machine: of one that has something reserved, such as a load balancer of the API server, nobody gets anything.
func (f *Facts) judgeReserved(node *corev1.Node, machine cloud.Instance) *Decision {
	texts := []string{node.Name, machine.Name}
	for _, a := range machine.Addresses {
		texts = append(texts, a.Address)
	}
	if n := slices.IndexFunc(texts, f.Reserved.has); n >= 0 {
		return decided(Kept, "machine %s has %s, which is %s", machine.ID, texts[n], f.Reserved.whose(texts[n]))
	}
	return nil
}

// judgeName judges a name of DNS. One with letters in upper case is as the cloud writes it.
func (f *Facts) judgeName(node *corev1.Node, machine cloud.Instance, name string) *Decision {
	lower := normal(name)
	switch own := name == node.Name || tells(machine, name); {
	case !own && (lower == node.Name || tells(machine, lower)):
		return decided(Malformed, "the name %s is in upper case where neither the Node's nor the cloud's is", name)
	case !own:
		return decided(Contradiction, "the name %s is neither the Node's nor one that the cloud tells of machine %s", name, machine.ID)
	case f.Reserved.name(name):
		return decided(Kept, "the name %s is %s", name, f.Reserved.whose(name))
	}
	return f.judgeOthers(node, machine, "the name", name)
}

// judgeAddress judges an address. One that no cloud knows has to be one that the Node shows, so that other Nodes cannot get it either.
func (f *Facts) judgeAddress(node *corev1.Node, machine cloud.Instance, address netip.Addr) *Decision {
	text := address.String()
	told := tells(machine, text)
	within := slices.ContainsFunc(f.Networks, func(p netip.Prefix) bool { return p.Contains(address) })
	switch {
	case !told && !within && tells(instance.Complete(f.Cloud, machine, node), text):
		return decided(Unproven, "only the Node says that machine %s has the address %s", machine.ID, text)
	case !told && !within:
		return decided(Contradiction, "the address %s is none that the cloud tells of machine %s (it tells %s); one that no cloud knows, such as a VPN's, needs --kubelet-certificate-networks",
			text, machine.ID, addressesOf(machine))
	case f.Reserved.address(address):
		return decided(Kept, "the address %s is %s", text, f.Reserved.whose(text))
	case !told && !shows(node, text):
		return decided(Taken, "the address %s is in a network of which no cloud knows, and the Node does not show it", text)
	}
	return f.judgeOthers(node, machine, "the address", text)
}

// judgeOthers judges who else has a name or an address.
func (f *Facts) judgeOthers(node *corev1.Node, machine cloud.Instance, what, text string) *Decision {
	if other := f.Machines.claims.other(text, string(machine.ID)); other != "" {
		return decided(Taken, "machine %s has %s %s too", other, what, text)
	}
	if other := f.Nodes.claims.other(text, node.Name); other != "" {
		return decided(Taken, "Node %s has %s %s too", other, what, text)
	}
	return nil
}

// mostTold bounds the addresses of a machine in a message.
const mostTold = 4

// addressesOf are the first addresses of a machine, for a message.
func addressesOf(machine cloud.Instance) string {
	var all []string
	for _, a := range machine.Addresses {
		if _, err := netip.ParseAddr(a.Address); err == nil {
			all = append(all, a.Address)
		}
	}
	switch more := len(all) - mostTold; {
	case len(all) == 0:
		return "none"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostTold], ", "), more)
	}
	return strings.Join(all, ", ")
}

// tells reports whether the cloud tells a name or an address of a machine, in this form or in another one of what is in its normal form.
func tells(machine cloud.Instance, text string) bool {
	return slices.ContainsFunc(machine.Addresses, func(a cloud.Address) bool { return a.Address == text || normal(a.Address) == text })
}

// shows reports whether a Node shows an address.
func shows(node *corev1.Node, text string) bool {
	return slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return normal(a.Address) == text })
}

package judge

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Kind is a kind of facts that the cloud or the cluster is asked for, as messages name it.
type Kind string

const (
	// Reservation is what is reserved.
	Reservation Kind = "what is reserved"
	// List are all machines.
	List Kind = "all machines"
	// Name are the machines that the cloud finds by the name of a Node that no machine of the list has.
	Name Kind = "the machine by the name"
	// State is the power state of a machine, where the list does not tell it.
	State Kind = "the state of machine"
	// Account is whether it is proved which account the credentials of a part of the cloud see.
	Account Kind = "the account of these credentials"
)

// Fact names a fact: what it is about is the name of a Node, the id of a machine, the part of a cloud, or nothing.
type Fact struct {
	Kind Kind
	Of   string
}

func (f Fact) String() string { return strings.TrimSpace(string(f.Kind) + " " + f.Of) }

// Facts are what requests are compared with. All that is read from the cloud was read after the requests were made.
type Facts struct {
	Cloud *run.Cloud
	Nodes *Nodes
	// Machines are those of a complete list, nil until it is read.
	Machines *Machines
	// Named, States and Accounts are the facts of these kinds that were read.
	Named    map[string][]cloud.Instance
	States   map[cloud.InstanceID]cloud.State
	Accounts map[string]bool
	// Reserved is nil until it is read.
	Reserved *Reserved
	// Networks are those of which no cloud knows the addresses, such as a VPN's, and of which a kubelet may have one.
	Networks []netip.Prefix
}

// Reserved are names, addresses and networks that no kubelet gets, whatever the cloud tells of its machine: those of the API server, of
// Services, and what the operator lists. The zero value has those that every cluster has.
type Reserved struct {
	// texts are the entries of names and addresses, as they were listed and without what may be in a URL beside its host.
	texts    map[string]string
	networks []netip.Prefix
}

// Reserve reserves names, addresses, networks, and the host of a URL or of host:port, each in any form. What is none of them is an error, and so is
// what has a user before its host: the error does not show it.
func Reserve(all ...string) (Reserved, error) {
	r := Reserved{texts: map[string]string{}}
	for _, text := range all {
		if network, err := netip.ParsePrefix(text); err == nil && !network.Addr().Is4In6() {
			r.networks = append(r.networks, network)
			continue
		}
		host, entry, shown := text, text, text
		if at := strings.LastIndexByte(text, '@'); at >= 0 {
			shown = "…" + text[at:]
		}
		if server, err := url.Parse(text); err == nil && server.Host != "" {
			host, entry = server.Hostname(), server.Host
		} else if before, port, err := net.SplitHostPort(text); err == nil && isNumber(port) {
			host = before
		}
		host = normal(host)
		if _, err := netip.ParseAddr(host); shown != text || err != nil && checkName(host) != nil {
			return r, fmt.Errorf("%s is no name, address, network or server that can be reserved: want one such as api.example.com, 10.20.0.0/24 or https://api.example.com:6443",
				quoted(shown))
		}
		r.texts[host] = entry
	}
	return r, nil
}

func isNumber(port string) bool { return port != "" && strings.Trim(port, "0123456789") == "" }

// has leaves out what every cluster has.
func (r Reserved) has(text string) bool { return r.entry(text) != "" }

// entry returns the entry that reserves a name or an address, "" for none.
func (r Reserved) entry(text string) string {
	text = normal(text)
	if entry := r.texts[text]; entry != "" {
		return entry
	}
	if address, err := netip.ParseAddr(text); err == nil {
		for _, network := range r.networks {
			if network.Contains(address) {
				return network.String()
			}
		}
	}
	return ""
}

// whose says for a message whose a reserved name or address is, and which entry reserves it where that is another text.
func (r Reserved) whose(text string) string {
	const listed = "the API server's, a Service's, or reserved by the operator"
	switch entry := r.entry(text); entry {
	case "":
		return "the API server's, a Service's, or everybody's"
	case text:
		return listed
	default:
		return listed + " as " + cloud.Shorten(entry, cloud.MostOfValue)
	}
}

// name adds the names that every cluster has.
func (r Reserved) name(name string) bool {
	name = normal(name)
	first, _, _ := strings.Cut(name, ".")
	return r.has(name) || first == "kubernetes" || first == "localhost" || strings.HasSuffix(name, ".localhost") ||
		name == "svc" || strings.HasSuffix(name, ".svc") || strings.Contains(name, ".svc.")
}

// address adds those at which no other host reaches a machine.
func (r Reserved) address(a netip.Addr) bool {
	return r.has(a.String()) || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast()
}

// holders are up to two of those that have something: two are enough to know another one.
type holders [2]string

// claims are who has names and addresses, in their normal form.
type claims map[string]holders

func (c claims) add(text, holder string) {
	text = normal(text)
	if h := c[text]; text != "" && h[1] == "" && h[0] != holder {
		if h[0] == "" {
			h[0] = holder
		} else {
			h[1] = holder
		}
		c[text] = h
	}
}

// other returns who else has it, "" for nobody.
func (c claims) other(text, holder string) string {
	for _, h := range c[normal(text)] {
		if h != holder && h != "" {
			return h
		}
	}
	return ""
}

// normal is the one form of a name or of an address.
func normal(text string) string {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap().WithZone("").String()
	}
	return strings.TrimSuffix(strings.ToLower(text), ".")
}

// Nodes are those of the cluster, of whatever cloud.
type Nodes struct {
	byName   map[string]*corev1.Node
	machines claims // by id
	claims   claims // what they show, and what their kubelets were given
}

// NodesOf returns what Nodes say, seen from a cloud.
func NodesOf(c *run.Cloud, all []*corev1.Node) *Nodes {
	n := &Nodes{make(map[string]*corev1.Node, len(all)), claims{}, claims{}}
	for _, node := range all {
		n.byName[node.Name] = node
		if node.Spec.ProviderID != "" && c.Concerns(node.Spec.ProviderID) {
			if id, err := instance.ID(c, node); err == nil {
				n.machines.add(string(id), node.Name)
			}
		}
		n.claims.add(node.Name, node.Name)
		for _, a := range node.Status.Addresses {
			n.claims.add(a.Address, node.Name)
		}
		for _, a := range given(node) {
			n.claims.add(a.String(), node.Name)
		}
	}
	return n
}

// given are the addresses of the kubelet's --node-ip.
func given(node *corev1.Node) []netip.Addr {
	return cloud.NodeIPs(node.Annotations["alpha.kubernetes.io/provided-node-ip"])
}

// Named returns the Node of that name, nil where there is none.
func (n *Nodes) Named(name string) *corev1.Node { return n.byName[name] }

// Machines are all those of a cloud.
type Machines struct {
	byID   map[cloud.InstanceID]cloud.Instance
	names  claims
	claims claims // names too
}

// MachinesOf returns what a complete list says.
func MachinesOf(list []cloud.Instance) *Machines {
	m := &Machines{make(map[cloud.InstanceID]cloud.Instance, len(list)), claims{}, claims{}}
	for _, machine := range list {
		m.byID[machine.ID] = machine
		m.names.add(machine.Name, string(machine.ID))
		m.claims.add(machine.Name, string(machine.ID))
		for _, a := range machine.Addresses {
			m.claims.add(a.Address, string(machine.ID))
		}
	}
	return m
}

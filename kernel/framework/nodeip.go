package framework

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
	nodehelpers "k8s.io/cloud-provider/node/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// NodeIPs decides whether an address that a kubelet was given with --node-ip is its machine's. One that the cloud has of the
// machine is. The zero value knows no others.
type NodeIPs struct {
	// Networks are those of which no cloud knows, such as that of a VPN: --node-networks.
	Networks []netip.Prefix
	// Nodes returns all Nodes of the cluster, of whatever cloud.
	Nodes func() []*corev1.Node
	// Machines returns the machines that have these addresses, "" for nobody; what is missing is not known.
	Machines func(context.Context, []netip.Addr) (map[netip.Addr]cloud.InstanceID, error)
}

// Complete adds the addresses of --node-ip to a machine that are in one of the networks, and that nobody else has. It is for what is
// written to the Node: no load balancer and no route leads to such an address, and no machine is found by it.
//
//	an address of --node-ip                            answer
//	the cloud has it of the machine                    the machine as it is
//	in none of the networks                            *NodeIPError
//	another machine of the cloud has it                *NodeIPError, with its id
//	another Node says that it has it, see before       *NodeIPError, with its name
//	not known whether another machine has it           an error that says so, or why the machines cannot be listed
//	any other                                          the machine with it, as an InternalIP
//
// Of a machine that only its Node describes each InternalIP is one of the kubelet: none of them may be another Node's. With an error
// the machine is returned as it is.
func (n *NodeIPs) Complete(ctx context.Context, node *corev1.Node, machine cloud.Instance) (cloud.Instance, error) {
	if err := n.described(node, machine); err != nil {
		return machine, err
	}
	_, err := NodeAddresses(node, machine)
	if err == nil || len(n.Networks) == 0 {
		return machine, err
	}
	own := addressesOf(machine)
	completed := machine
	completed.Addresses = slices.Clone(machine.Addresses)
	for _, address := range given(node) {
		if own[address] || !n.has(address) {
			continue
		}
		taken, lookup := n.taken(ctx, node, machine.ID, address)
		switch {
		case lookup != nil:
			return machine, fmt.Errorf("finding out who has the address %s of the kubelet's --node-ip: %w", address, lookup)
		case taken != "":
			return machine, &NodeIPError{Given: address.String(), Has: Metadata(machine).NodeAddresses, Taken: "in --node-networks, and " + taken}
		}
		completed.Addresses = append(completed.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: address.String()})
	}
	if _, err := NodeAddresses(node, completed); err != nil {
		return machine, err
	}
	return completed, nil
}

// described returns an error where a machine that only its Node describes has an InternalIP of another Node.
func (n *NodeIPs) described(node *corev1.Node, machine cloud.Instance) error {
	if !machine.ID.Described() || n.Nodes == nil {
		return nil
	}
	for _, a := range machine.Addresses {
		address, err := netip.ParseAddr(a.Address)
		if err != nil || a.Type != cloud.AddressInternalIP {
			continue
		}
		if holder := n.holder(node, address.Unmap(), corev1.NodeInternalIP); holder != "" {
			return &NodeIPError{
				Given: a.Address, Has: Metadata(machine).NodeAddresses, Taken: "an address that Node " + holder + " has", Holder: holder,
				Described: !slices.Contains(given(node), address.Unmap()),
			}
		}
	}
	return nil
}

// holder returns the name of another Node that claims an address as one of these types, of any without, and comes before this one; ""
// where there is none.
func (n *NodeIPs) holder(node *corev1.Node, address netip.Addr, types ...corev1.NodeAddressType) string {
	text := address.String()
	for _, other := range n.Nodes() {
		if other.UID != node.UID && claims(other, address, text, types) && before(other, node, address) {
			return other.Name
		}
	}
	return ""
}

// has reports whether an address is in one of the networks.
func (n *NodeIPs) has(address netip.Addr) bool {
	return slices.ContainsFunc(n.Networks, func(p netip.Prefix) bool { return p.Contains(address) })
}

// taken says who else has an address, "" for nobody.
func (n *NodeIPs) taken(ctx context.Context, node *corev1.Node, own cloud.InstanceID, address netip.Addr) (string, error) {
	if holder := n.holder(node, address); holder != "" {
		return "Node " + holder + " has it", nil
	}
	machines, err := n.Machines(ctx, []netip.Addr{address})
	if err != nil {
		return "", err
	}
	switch holder, known := machines[address]; {
	case !known:
		return "", errUnknownHolder
	case holder != "" && holder != own:
		return fmt.Sprintf("machine %s has it", holder), nil
	}
	return "", nil
}

// claims reports whether a Node shows an address, or its kubelet was given it. It is asked for each pair of Nodes.
func claims(node *corev1.Node, address netip.Addr, text string, types []corev1.NodeAddressType) bool {
	switch said := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]; {
	case said == "":
	case !strings.Contains(said, ","):
		if is(said, address, text) {
			return true
		}
	case slices.Contains(given(node), address):
		return true
	}
	return shows(node, address, text, types)
}

// shows reports whether a Node shows an address as one of these types, of any without.
func shows(node *corev1.Node, address netip.Addr, text string, types []corev1.NodeAddressType) bool {
	return slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool {
		return is(a.Address, address, text) && (len(types) == 0 || slices.Contains(types, a.Type))
	})
}

// is reports whether what a Node says is an address, of which the usual form is given too. Clouds and kubelets write IPv6 in several
// forms, and IPv4 in that of IPv6.
func is(said string, address netip.Addr, text string) bool {
	if said == text || !strings.Contains(said, ":") {
		return said == text
	}
	parsed, err := netip.ParseAddr(said)
	return err == nil && parsed.Unmap() == address
}

// before reports whether a Node comes before another one that claims the same address: what one has it keeps, whatever the other
// one's kubelet says later.
//
//	the first              the other               the first comes before it
//	initialised, shows it  initialised, shows it   yes, and the other way round: neither gets more than it has
//	initialised, shows it  any other               yes
//	initialised            new                     yes
//	alike in that                                  where it is older
func before(a, b *corev1.Node, address netip.Addr) bool {
	rank := func(node *corev1.Node) int {
		switch {
		case instance.Uninitialized(node) || node.Spec.ProviderID == "":
			return 2
		case shows(node, address, address.String(), nil):
			return 0
		}
		return 1
	}
	if rank(a) != rank(b) || rank(a) == 0 {
		return rank(a) <= rank(b)
	}
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// given are the addresses of a kubelet's --node-ip.
func given(node *corev1.Node) []netip.Addr {
	return cloud.NodeIPs(node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr])
}

func addressesOf(machine cloud.Instance) map[netip.Addr]bool {
	all := map[netip.Addr]bool{}
	for _, a := range machine.Addresses {
		if address, err := netip.ParseAddr(a.Address); err == nil {
			all[address.Unmap()] = true
		}
	}
	return all
}

// The widest networks that --node-networks takes, in bits. A wider one would hold networks of clouds and of users.
const (
	widest4 = 8
	widest6 = 32
)

// unreachable are networks with addresses at which no other machine reaches a Node: RFC 6890, section 2.2, and RFC 4291, section 2.4.
var unreachable = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("224.0.0.0/4"),
	netip.MustParsePrefix("::/127"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("ff00::/8"),
}

// errUnknownHolder says that the list of machines is not believed, or that two machines have an address.
var errUnknownHolder = errors.New("it is not known which machine has it")

// ParseNodeNetworks reads networks of which no cloud knows, such as 100.64.0.0/10.
func ParseNodeNetworks(texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		switch address := network.Addr(); {
		case err != nil:
			return nil, fmt.Errorf("%q is no network, want one such as 100.64.0.0/10 or fd7a:115c:a1e0::/48", cloud.Shorten(text, cloud.MostOfValue))
		case address.Is4In6():
			return nil, fmt.Errorf("%s is an IPv4 network in the form of IPv6, want %s", text, netip.PrefixFrom(address.Unmap(), max(0, network.Bits()-96)).Masked())
		case network != network.Masked():
			return nil, fmt.Errorf("%s has bits behind its prefix, want %s, or %s for that address alone", text, network.Masked(), netip.PrefixFrom(address, address.BitLen()))
		case address.Is4() && network.Bits() < widest4, address.Is6() && network.Bits() < widest6:
			return nil, fmt.Errorf("%s is too wide, want /%d or narrower for IPv4 and /%d for IPv6: a kubelet may choose any address in it", text, widest4, widest6)
		case slices.ContainsFunc(unreachable, network.Overlaps):
			return nil, fmt.Errorf("%s has addresses at which nobody reaches a Node, want the network of a VPN such as 100.64.0.0/10", text)
		}
		all = append(all, network)
	}
	return all, nil
}

// NodeIPError says that the kubelet's --node-ip is none of the machine's addresses: the Node can
// neither be initialised nor get new addresses.
type NodeIPError struct {
	// Given is the kubelet's, Has are the machine's.
	Given string
	Has   []corev1.NodeAddress
	// Taken says who has the address, "" where nobody is known to.
	Taken string
	// Holder is the name of the Node that has it, "" where it is no Node.
	Holder string
	// Described says that the address is no --node-ip: only the Node or an inventory says that it is the machine's.
	Described bool
}

// Subject is what Given is.
func (e *NodeIPError) Subject() string {
	if e.Described {
		return "the InternalIP"
	}
	return "the kubelet's --node-ip"
}

func (e *NodeIPError) Error() string {
	has := AddressText(e.Has)
	if has == "" {
		has = "none"
	}
	if e.Taken != "" {
		text := fmt.Sprintf("%s %s is %s; the machine has: %s; set --node-ip to an address of its own", e.Subject(), e.Given, e.Taken, has)
		if e.Holder != "" {
			text += ", or, where the machine of that Node is gone: kubectl delete node " + e.Holder
		}
		return text
	}
	return fmt.Sprintf("the kubelet's --node-ip %s is not an address of the machine, which has: %s; set --node-ip to one of these, or leave it out; "+
		"where it is of a VPN, which no cloud knows, name the VPN's network in --node-networks of the controller manager (chart: nodes.networks)", e.Given, has)
}

// NodeAddresses are those that the framework gives a Node with this machine: the machine's, the
// Node's own host name, and of each type only the one that the kubelet was given with --node-ip.
func NodeAddresses(node *corev1.Node, machine cloud.Instance) ([]corev1.NodeAddress, error) {
	all := Metadata(machine).NodeAddresses
	if !slices.ContainsFunc(all, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeHostName }) {
		for _, a := range node.Status.Addresses {
			if a.Type == corev1.NodeHostName {
				all = append(all, a)
			}
		}
	}
	given := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]
	if given == "" {
		return all, nil
	}
	chosen, err := nodehelpers.GetNodeAddressesFromNodeIP(given, all)
	if err != nil {
		return nil, &NodeIPError{Given: given, Has: Metadata(machine).NodeAddresses}
	}
	return chosen, nil
}

// AddressText shows addresses in an order of its own, because the framework compares them without one.
func AddressText(all []corev1.NodeAddress) string {
	var texts []string
	for _, a := range all {
		texts = append(texts, string(a.Type)+" "+a.Address)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

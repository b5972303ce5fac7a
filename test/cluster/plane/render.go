package plane

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// The chains are of this table. It is replaced as a whole, in one transaction; conntrack keeps the flows that there are.
const table = "balancers"

// sketch is what of the network the table has to know.
type sketch struct {
	// nodes is the network of the nodes and of the machine, clients that of clients.
	nodes, clients netip.Prefix
	// balancers has the addresses of load balancers.
	balancers netip.Prefix
	// machine is the address where the API server is. It has no route to clients.
	machine netip.Addr
}

// render returns the table for a list of listeners, as nft reads it:
//
//	chain    does                                              for
//	allow    drops new flows of sources that may not get in    listeners with sources
//	pass     marks a flow with its target, for routing         listeners without a node port
//	choose   gives a flow its target and node port             the others
//	close    says that a port is closed                        what nobody took
//	hide     gives a flow the address of the switch            flows of nodes and pods, to the machine, and where the client is hidden
func (s sketch) render(listeners []Listener) string {
	var allow, pass, choose, hide []string
	for _, l := range sorted(listeners) {
		match := fmt.Sprintf("ip daddr %s %s dport %d", l.Address, l.Protocol, l.Port)
		if len(l.Sources) > 0 {
			allow = append(allow, fmt.Sprintf("%s ct state new ip saddr != { %s } drop", match, networks(l.Sources)))
		}
		healthy := l.healthy()
		if len(healthy) == 0 {
			continue
		}
		if l.NodePort == 0 {
			pass = append(pass, fmt.Sprintf("%s ct mark 0 ct mark set %s map { %s }", match, l.pick(len(healthy)), marks(healthy)))
			continue
		}
		choose = append(choose, fmt.Sprintf("%s dnat to %s map { %s }", match, l.pick(len(healthy)), doors(healthy, l.NodePort)))
		if l.HidesClient {
			hide = append(hide, fmt.Sprintf("meta l4proto %s ct original ip daddr %s ct original proto-dst %d masquerade", l.Protocol, l.Address, l.Port))
		}
	}
	pass = append(pass, "ct direction original meta mark set ct mark")
	hide = append(hide,
		fmt.Sprintf("ip saddr %s ip daddr %s ct status dnat masquerade", s.nodes, s.nodes),
		fmt.Sprintf("ip saddr %s ip daddr %s masquerade", s.clients, s.machine))
	var b strings.Builder
	fmt.Fprintf(&b, "table ip %s {}\ndelete table ip %s\ntable ip %s {\n", table, table, table)
	chain(&b, "allow", "type filter hook prerouting priority -160;", allow)
	chain(&b, "pass", "type filter hook prerouting priority -150;", pass)
	chain(&b, "choose", "type nat hook prerouting priority -100;", choose)
	// TCP gets a reset, because Linux may lose an ICMP message: it can come back while connect holds the socket.
	chain(&b, "close", "type filter hook prerouting priority -90;", []string{
		fmt.Sprintf("ip daddr %s meta mark 0 meta l4proto tcp reject with tcp reset", s.balancers),
		fmt.Sprintf("ip daddr %s meta mark 0 reject with icmp port-unreachable", s.balancers),
	})
	chain(&b, "hide", "type nat hook postrouting priority 100;", hide)
	b.WriteString("}\n")
	return b.String()
}

// sorted leaves out what has no IPv4 address.
func sorted(listeners []Listener) []Listener {
	list := slices.DeleteFunc(slices.Clone(listeners), func(l Listener) bool { return !l.Address.Is4() })
	slices.SortFunc(list, func(a, b Listener) int {
		return cmp.Or(a.Address.Compare(b.Address), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	return list
}

// pick chooses one of n targets for a flow: in turn, or always the same for the same client. Without a seed, each table would have another one.
func (l Listener) pick(n int) string {
	if l.Affinity {
		return fmt.Sprintf("jhash ip saddr mod %d seed 1", n)
	}
	return fmt.Sprintf("numgen inc mod %d", n)
}

func networks(sources []netip.Prefix) string {
	var list []string
	for _, s := range sources {
		if s.Addr().Is4() {
			list = append(list, s.Masked().String())
		}
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) == 0 {
		return "127.0.0.1" // nobody: all sources are of the other family
	}
	return strings.Join(list, ", ")
}

func marks(targets []netip.Addr) string {
	var list []string
	for i, t := range targets {
		list = append(list, fmt.Sprintf("%d : %d", i, mark(t)))
	}
	return strings.Join(list, ", ")
}

// mark is the routing mark of a node: the last byte of its address.
func mark(node netip.Addr) int { return int(node.As4()[3]) }

func doors(targets []netip.Addr, port int) string {
	var list []string
	for i, t := range targets {
		list = append(list, fmt.Sprintf("%d : %s . %d", i, t, port))
	}
	return strings.Join(list, ", ")
}

func chain(b *strings.Builder, name, hook string, rules []string) {
	fmt.Fprintf(b, "  chain %s {\n    %s\n", name, hook)
	for _, rule := range rules {
		fmt.Fprintf(b, "    %s\n", rule)
	}
	b.WriteString("  }\n")
}

package desired

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Findings are what Observe finds out for Normalize and Apply. The zero value says that there is no balancer, and that nothing more was
// looked for or nothing is wrong with it.
type Findings struct {
	// HasAddress says that the balancer has an address of its own, IPv6 that this is one of IPv6, and Both that there is one of the other
	// family, too. Without HasAddress it is not known yet which there will be, and the others say nothing.
	HasAddress, IPv6, Both bool
	// FloatingNetwork is the network to take a floating IP from, "" where none was looked for. NoNetwork says that the cloud has none.
	FloatingNetwork string
	NoNetwork       bool
	// MemberCIDR is the network from which the balancer reaches the nodes, "" where it was not looked for or is not there.
	MemberCIDR string
	// NoSubnet is the id of a subnet that is asked for and not there, "" for none.
	NoSubnet string
	// Tenant says that the balancer was made for another Service or by the user. Scope is then that of the balancer, else "".
	Tenant bool
	Scope  cloud.Scope
	// Taken are the keys of listeners that belong to somebody else.
	Taken []string
	// Full is how many Services share the balancer that we would be too much for, 0 where we are not.
	Full int
	// Unguarded are the names of the nodes at which no security group enforces source ranges.
	Unguarded []string
	// WrongTLS says what is wrong with the certificate, "" when nothing is.
	WrongTLS string
}

// Found makes and opens findings.
var Found cloud.FindingsOf[Findings]

package balancer

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Findings are what Observe finds out for Normalize. The zero value is nothing: no balancer was there.
type Findings struct {
	// Name is that of the balancer there is, "" for none.
	Name string
	// Network is what the network balancer there is looks like, nil for none.
	Network *Network
	// Subnets are those that the balancer shall have, in the order in which addresses are given to them. SubnetProblem says what is wrong
	// with the annotation, or with the VPC, "" for nothing.
	Subnets       []string
	SubnetProblem string
	// IPv6 says that all of them have an IPv6 network.
	IPv6 bool
	// GroupProblem is the first of the security groups on the Service that it may not have, "" for none.
	GroupProblem string
	// Shut are the names of nodes of which no security group can be opened.
	Shut []string
}

// Network is what a network balancer looks like.
type Network struct {
	// Places are its subnets with the address that it was given in each, "" where AWS chose.
	Places map[string]string
	// Groups are its security groups, as in FieldGroups, "" for none. One that was made without any can't get one.
	Groups string
	// DualStack says that it has IPv6 addresses too.
	DualStack bool
	// Foreign says that it has no ownership tags of ours: it was there before. Held is the value of its tag.Held.
	Foreign bool
	Held    string
	// Timed says that its listeners were given an idle timeout, see tag.Timed.
	Timed bool
	// Listeners are sorted by the texts of their ports: "443" comes before "80".
	Listeners []Listener
}

// Listener is what a listener of a network balancer leads to.
type Listener struct {
	Port int
	// TargetType and Check, the protocol of the health check, are those of its target group.
	TargetType, Check string
}

// At returns the listener at a port, or where there is none any other.
func (n Network) At(port int) (l Listener, exists bool) {
	for _, l := range n.Listeners {
		if l.Port == port {
			return l, true
		}
	}
	if len(n.Listeners) > 0 {
		return n.Listeners[0], true
	}
	return Listener{}, false
}

// Found makes and opens findings.
var Found cloud.FindingsOf[Findings]

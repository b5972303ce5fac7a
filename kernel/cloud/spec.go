package cloud

import (
	"context"
	"net/netip"
	"slices"
	"strings"
)

// Input is all that a driver is given about a Service and its balancer. What the Service asks for, what was read for it
// and what the kernel remembers are three types: a function takes the one it needs.
type Input struct {
	Spec
	Environment
	Known
}

// Spec is what a Service asks for, in neutral terms.
type Spec struct {
	// Owner is the Service that asks, and that the balancer belongs to.
	Owner Owner
	Ports []Port
	// SourceRanges are the client networks that may connect, masked, sorted and each once;
	// empty means everyone.
	SourceRanges []netip.Prefix
	// Local is externalTrafficPolicy: Local.
	Local bool
	// HealthPort is where each node answers HTTP GET /healthz for this Service:
	// kube-proxy's 10256, or healthCheckNodePort when Local.
	HealthPort int
	// DualStack says that the Service has an IPv4 and an IPv6 family.
	DualStack bool
	// IPv6 says that the Service's first family is IPv6.
	IPv6 bool
	// ClientIP is sessionAffinity: ClientIP.
	ClientIP bool
	// LoadBalancerIP is the deprecated spec.loadBalancerIP, "" when unset.
	LoadBalancerIP string
	// Options are the validated values of the annotations the driver declared, by the
	// declared name; absent keys have their default.
	Options map[string]string
}

// Environment is what was read of the cloud and the cluster for a Service.
type Environment struct {
	// Candidates are the machines that may become targets, sorted by InstanceID. Observe has
	// them too, except when the balancer is to be deleted.
	Candidates []Target
	// Findings are what Observe found out.
	Findings Findings
	// Network returns what NetworkReader has read for all Services. Observe alone has it, and asks by NetworkOf.Of where it needs it; nil
	// when it has to ask the cloud.
	Network func(context.Context) (Network, error) `json:"-"`
}

// Known is what the kernel knows of a Service's balancer, and what is to become of it.
type Known struct {
	// ID is the recorded or adopted id of the balancer; "" when none is known.
	ID string
	// Last is what Observe last said of this Service's balancer, nil when that is not known. Without Capabilities.VersionStamps
	// it has the ID only. After a creation its Native is Made.Native.
	// A cloud whose objects have version stamps need not read again what has the same stamp, nor look again for what
	// nobody makes any more. After a creation it need not read what the answer had, where that has the same ids. Nothing else
	// may be taken from it.
	Last *Observed
	// Deleting says that the Service gives its balancer up: one that has nothing of it is not found.
	Deleting bool
	// Retained says, with Deleting, that the balancer stays and only loses its ownership tags. Of any other one that is to be
	// deleted, Observe need not say more than the deletion takes.
	Retained bool
	// JustTargets says that the run changes nothing but targets. Observe need not read fields that take a request of their own where no
	// target depends on them: what it leaves out is neither compared nor changed.
	JustTargets bool
	// Removed says that the balancer, or what was left of it, was deleted a moment ago. What could not
	// be deleted with it, and harms nobody, is not reported as Observed.Orphans: the Service would wait
	// for it for ever.
	Removed bool
	// Refused are the ids of balancers that the Service may not have. The search by name passes
	// over them, except in a cloud where names are unique, where another one cannot be made.
	Refused []string
	// Preserved are immutable fields (by Field name) whose present value has to stay;
	// Normalize must build the balancer with these values. Where no balancer is there, it is one
	// that was replaced and has to be made again, because the cloud refused the new one: a value
	// that cannot be asked for, such as an address the cloud chose, is left out then.
	Preserved map[string]string
	// Beside is the balancer that serves while this one is made to take its place, nil when there
	// is none. See Replacer.
	Beside *Observed
}

// Port is a port of the Service.
type Port struct {
	Name     string
	Protocol Protocol
	Port     int
	// NodePort is 0 when the Service allocates none.
	NodePort    int
	AppProtocol string
}

// Listener returns the plain listener of the port: what comes in goes to the node port.
func (p Port) Listener() Listener {
	return Listener{Protocol: p.Protocol, Port: p.Port, TargetProtocol: p.Protocol, TargetPort: p.NodePort}
}

// Target is a machine behind a balancer, or a candidate for it.
type Target struct {
	InstanceID InstanceID
	NodeName   string
	// Zone is that of the Instance.
	Zone      string
	Addresses []Address
	// Attributes are those of the Instance.
	Attributes map[string]string
}

// Target returns the machine as a target, or a candidate for one.
func (i Instance) Target(node string) Target {
	return Target{InstanceID: i.ID, NodeName: node, Zone: i.Zone, Addresses: i.Addresses, Attributes: i.Attributes}
}

// Families says in which address families the machine has an address of these types.
func (t Target) Families(types ...AddressType) (ipv4, ipv6 bool) {
	for _, a := range t.Addresses {
		switch {
		case !slices.Contains(types, a.Type):
			continue // before a name is taken for an address, which makes an error for each machine
		case ipv4 && !strings.Contains(a.Address, ":"):
			continue // it could only be another IPv4 address
		}
		if ip, err := netip.ParseAddr(a.Address); err == nil {
			ipv4 = ipv4 || ip.Unmap().Is4()
			ipv6 = ipv6 || !ip.Unmap().Is4()
		}
	}
	return ipv4, ipv6
}

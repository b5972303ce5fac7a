package desired

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Shape is the part of a balancer that is fixed when it is created.
type Shape struct {
	Kind     string
	Internal bool
	Dual     bool
}

// ShapeOf decides the shape. For each part the first of these that says something counts:
// preserved by the kernel, annotated, what the existing balancer has, the default.
func (r Rules) ShapeOf(in cloud.Input) (Shape, error) {
	s := Shape{Kind: cmp.Or(in.Preserved[object.FieldType], option.Type.In(in.Options), Found.Open(in.Findings).Type, r.DefaultType)}
	if s.Kind != config.TypeRegional && s.Kind != config.TypeNetwork {
		return s, &cloud.Invalid{Field: option.Type.Name, Value: s.Kind, Want: option.Type.Want}
	}
	s.Internal = option.Internal.Bool(in.Options)
	if scope, ok := in.Preserved[cloud.FieldScope]; ok {
		s.Internal = scope == string(cloud.ScopeInternal)
	}
	if preserved, ok := in.Preserved[cloud.FieldDualStack]; ok {
		s.Dual, _ = strconv.ParseBool(preserved)
		return s, nil
	}
	var err error
	s.Dual, err = dualStack(in, s)
	return s, err
}

// dualStack decides the network stack.
//
//	annotation  exists with  scope     type              dual-stack
//	IPV4        any          any       any               no
//	DUALSTACK   any          internal  any               refused
//	DUALSTACK   nothing      external  REGIONAL_NETWORK  yes; refused when a usable node has no public IPv6
//	DUALSTACK   otherwise                                yes
//	none        a stack      any       any               as it exists
//	none        nothing      internal  any               no
//	none        nothing      external  REGIONAL          yes
//	none        nothing      external  REGIONAL_NETWORK  if the Service has both families, and every usable node public IPv4 and IPv6
func dualStack(in cloud.Input, s Shape) (bool, error) {
	given, existing := option.Stack.In(in.Options), Found.Open(in.Findings).Stack
	switch {
	case given == option.StackIPv4:
		return false, nil
	case given == option.StackDual && s.Internal:
		return false, internalDual()
	case given == option.StackDual && s.Kind == config.TypeNetwork && existing == "":
		return true, refuseSingleStack(in.Candidates)
	case given == option.StackDual:
		return true, nil
	case existing != "":
		return existing == option.StackDual, nil
	case s.Internal:
		return false, nil
	case s.Kind == config.TypeRegional:
		return true, nil
	case !in.DualStack: // kube-proxy would not answer at the other address
		return false, nil
	}
	single, usable := singleStack(in.Candidates)
	return usable > 0 && len(single) == 0, nil
}

// checkStack refuses a network stack that no balancer of its scope has.
func checkStack(options map[string]string) error {
	if option.Stack.In(options) == option.StackDual && option.Internal.Bool(options) {
		return internalDual()
	}
	return nil
}

func internalDual() error {
	return &cloud.Invalid{Field: option.Stack.Name, Value: option.StackDual, Want: "an internal balancer has IPv4 only"}
}

// refuseSingleStack refuses a new dual-stack network balancer in front of nodes that its
// IPv6 clients could not reach: the choice can't be changed later.
func refuseSingleStack(candidates []cloud.Target) error {
	single, _ := singleStack(candidates)
	if len(single) == 0 {
		return nil
	}
	return &cloud.Invalid{
		Field: option.Stack.Name, Value: option.StackDual,
		Want: "these nodes have no public IPv6 address: " + few(single),
	}
}

// singleStack returns the names of the nodes with a public IPv4 address but no public IPv6
// one, and how many have a public IPv4 address at all.
func singleStack(candidates []cloud.Target) (names []string, usable int) {
	for _, t := range candidates {
		ipv4, ipv6 := t.Families(cloud.AddressExternalIP)
		if !ipv4 {
			continue
		}
		usable++
		if !ipv6 {
			names = append(names, t.NodeName)
		}
	}
	return names, usable
}

// few joins names for people: three of them and how many more there are.
func few(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:3], ", ") + " and " + strconv.Itoa(len(names)-3) + " more"
}

// Families implements cloud.Reach. No balancer has IPv6 alone.
//
//	balancer                                targets reached at
//	REGIONAL, internal                      IPv4, over the VPC
//	REGIONAL_NETWORK, external, dual-stack  the family of the packet
//	REGIONAL_NETWORK, external              IPv4
func (r Rules) Families(_ cloud.Input, b cloud.Balancer) (clients, targets cloud.Families) {
	passes := b.ProviderFields[object.FieldType] == config.TypeNetwork && b.Scope == cloud.ScopeExternal
	return cloud.Families{IPv4: true, IPv6: b.DualStack}, cloud.Families{IPv4: true, IPv6: b.DualStack && passes}
}

// Eligible implements cloud.Balancers.
//
//	balancer                        a node needs
//	internal                        nothing
//	REGIONAL                        a private or public IPv4 address, since it connects over the VPC
//	REGIONAL_NETWORK                a public IPv4 address
//	REGIONAL_NETWORK, dual-stack    public IPv4 and IPv6 addresses
func (r Rules) Eligible(b cloud.Balancer, t cloud.Target) string {
	if b.Scope == cloud.ScopeInternal {
		return ""
	}
	if b.ProviderFields[object.FieldType] == config.TypeRegional {
		if ipv4, _ := t.Families(cloud.AddressExternalIP, cloud.AddressInternalIP); !ipv4 {
			return "it has no IPv4 address"
		}
		return ""
	}
	switch ipv4, ipv6 := t.Families(cloud.AddressExternalIP); {
	case !ipv4:
		return "a REGIONAL_NETWORK balancer needs a public IPv4 address on every node"
	case b.DualStack && !ipv6:
		return "a dual-stack REGIONAL_NETWORK balancer needs a public IPv6 address on every node"
	}
	return ""
}

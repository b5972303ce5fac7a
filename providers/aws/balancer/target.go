package balancer

import (
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Eligible says why a machine can't be a target, "" when it can:
//
//	in the VPC  cluster's tag  Fargate  registered as  can be a target
//	no          –              –        –              no
//	yes         no             no       –              no: upstream does not use it either
//	yes         –              yes      instance       no: it is none
//	yes         –              yes      ip             yes
//	yes         yes            no       –              yes
func Eligible(c tag.Cluster, b cloud.Balancer, t cloud.Target) string {
	fargate := t.Attributes[instance.AttributeFargate] == "true"
	addresses := slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.ProviderFields[FieldTargetType] == option.TargetIP })
	switch {
	case t.Attributes[instance.AttributeVPC] != c.VPC:
		return fmt.Sprintf("it is in VPC %q and the balancer in %s", t.Attributes[instance.AttributeVPC], c.VPC)
	case fargate && !addresses:
		return "it is no instance; " + option.TargetType.Name + ": " + option.TargetIP + " would do"
	case !fargate && t.Attributes[instance.AttributeTagged] != "true":
		return "it has no tag " + tag.ClusterPrefix + c.ID
	}
	return ""
}

// Registered returns the candidates that are among the balancer's targets.
func Registered(candidates []cloud.Target, b cloud.Balancer) []cloud.Target {
	return slices.DeleteFunc(slices.Clone(candidates), func(c cloud.Target) bool {
		return !slices.ContainsFunc(b.Targets, func(id cloud.InstanceID) bool { return Is(id, c) })
	})
}

// Doubtful reports whether a target is none of the candidates.
func Doubtful(candidates []cloud.Target, b cloud.Balancer) bool {
	return slices.ContainsFunc(b.Targets, func(id cloud.InstanceID) bool {
		return !slices.ContainsFunc(candidates, func(c cloud.Target) bool { return Is(id, c) })
	})
}

// Is reports whether a target is the machine, by id or by one of its addresses.
func Is(id cloud.InstanceID, c cloud.Target) bool {
	return id == c.InstanceID || id.Unknown() && slices.ContainsFunc(c.Addresses, func(a cloud.Address) bool { return a.Address == id.Address() })
}

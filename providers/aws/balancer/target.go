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

// Behind returns the candidates that are among the balancer's targets, by id or by one of their addresses, and whether a target
// is none of the candidates.
func Behind(candidates []cloud.Target, b cloud.Balancer) (behind []cloud.Target, doubt bool) {
	targets, known := map[string]bool{}, map[string]bool{}
	for _, id := range b.Targets {
		targets[id.Address()] = true
	}
	for _, c := range candidates {
		is := false
		for _, name := range Names(c) {
			if targets[name] {
				is, known[name] = true, true
			}
		}
		if is {
			behind = append(behind, c)
		}
	}
	return behind, len(known) < len(targets)
}

// Names are what a machine can be registered as: its id, and each of its addresses.
func Names(c cloud.Target) []string {
	all := []string{string(c.InstanceID)}
	for _, a := range c.Addresses {
		all = append(all, a.Address)
	}
	return all
}

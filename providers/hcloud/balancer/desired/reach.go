package desired

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// IsInternal reports whether no public address is asked for.
func IsInternal(spec cloud.Spec) bool { return internal.Bool(spec.Options) }

// WantsPrivate reports whether targets are reached by their private address.
func WantsPrivate(spec cloud.Spec) bool {
	if usePrivateIP.Has(spec.Options) {
		return usePrivateIP.Bool(spec.Options)
	}
	return internal.Bool(spec.Options)
}

// MaxTargets implements cloud.TargetLimit.
func (Configuration) MaxTargets(v cloud.Balancer) int {
	return Number(v.ProviderFields[FieldMaxTargets])
}

// Families implements cloud.Reach: a public interface always has addresses of both families, one of which the Service may want left
// out, and a private network has IPv4. Targets are reached at IPv4 addresses, see Eligible.
func (Configuration) Families(in cloud.Input, v cloud.Balancer) (clients, targets cloud.Families) {
	return cloud.Families{IPv4: true, IPv6: v.Scope == cloud.ScopeExternal && !NoIPv6.Bool(in.Options)}, cloud.Families{IPv4: true}
}

// Eligible implements cloud.BalancerReader.
//
//	reached at        a machine needs
//	private address   an IPv4 address in the network; a dedicated server has its public one in its place where the load
//	                   balancer is external
//	public address    a public IPv4 address, whether or not it is in the network: the API says missing_ipv4 otherwise
func (Configuration) Eligible(v cloud.Balancer, t cloud.Target) string {
	private := v.ProviderFields[FieldPrivateTargets] != "false"
	if ReachedAt(v, t, private) != "" {
		return ""
	}
	if private {
		return "it has no private address, which use-private-ip needs"
	}
	return "it has no public IPv4 address"
}

// IsServer reports whether a machine is a cloud server.
func IsServer(id cloud.InstanceID) bool {
	_, ok := api.ID(string(id))
	return ok
}

// ReachedAt returns the address at which a machine is a target, "" when there is none: a dedicated server without a
// private address is reached at its public one, as upstream has it.
func ReachedAt(v cloud.Balancer, t cloud.Target, private bool) string {
	ip := AddressOf(t, private)
	if ip == "" && private && v.Scope == cloud.ScopeExternal && !IsServer(t.InstanceID) {
		return AddressOf(t, false)
	}
	return ip
}

// AddressOf returns the address of a machine of that kind, "" when it has none.
func AddressOf(t cloud.Target, private bool) string {
	kind := cloud.AddressExternalIP
	if private {
		kind = cloud.AddressInternalIP
	} else if ip := t.Attributes[server.PublicIPv4]; ip != "" {
		return ip
	}
	for _, a := range t.Addresses {
		if a.Type == kind && strings.Contains(a.Address, ".") {
			return a.Address
		}
	}
	return ""
}

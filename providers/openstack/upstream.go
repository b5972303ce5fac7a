package openstack

import (
	"net/netip"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Upstream says what is otherwise here than in OpenStack's own controller manager.
func Upstream() cloud.Upstream {
	return cloud.Upstream{
		Name:  "openstack-cloud-controller-manager",
		Guide: "docs/how-to/migrate-openstack.md",
		Differences: []cloud.Difference{
			{
				ID: "openstack-shared", Anchor: "shared-load-balancers", Service: shared,
				Text: "it shares its load balancer with other Services: each has a tag of its own there, and only its own parts are touched for it",
			},
			{
				ID: "openstack-dual-stack", Anchor: "two-address-families", Service: dualStack,
				Text: "it has two address families and its load balancer an address of one: that stays so, a new load balancer has both",
			},
			{
				ID: "openstack-session-affinity", Anchor: "session-affinity", Service: clientIP,
				Text: "its session affinity follows the Service: upstream sets it when the load balancer is made, and never again",
			},
			{
				ID: "openstack-source-ranges", Anchor: "client-networks", Service: otherFamily,
				Text: "it names client networks of an address family that its load balancer does not have: Octavia refuses them from upstream, here they are left out",
			},
			{
				ID: "openstack-listener-replaced", Anchor: "listeners-that-are-replaced", Service: protocolChoice,
				Text: "its listeners terminate TLS or add X-Forwarded-For: switched on or off later they are replaced, where upstream fails with 409",
			},
		},
	}
}

func shared(_ cloud.Spec, b cloud.Observed) bool { return b.Found && b.Shared }

func dualStack(spec cloud.Spec, b cloud.Observed) bool {
	return b.Found && spec.DualStack && !b.Balancer.DualStack
}

func clientIP(spec cloud.Spec, b cloud.Observed) bool { return b.Found && spec.ClientIP }

func otherFamily(spec cloud.Spec, b cloud.Observed) bool {
	return b.Found && !b.Balancer.DualStack && slices.ContainsFunc(spec.SourceRanges, func(p netip.Prefix) bool { return p.Addr().Is6() != spec.IPv6 })
}

func protocolChoice(spec cloud.Spec, b cloud.Observed) bool {
	return b.Found && (option.TLS.In(spec.Options) != "" || option.ForwardedFor.Bool(spec.Options))
}

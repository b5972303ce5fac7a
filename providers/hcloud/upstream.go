package hcloud

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// Upstream says what is otherwise here than in Hetzner's own controller manager.
func Upstream() cloud.Upstream {
	return cloud.Upstream{
		Name:  "hcloud-cloud-controller-manager",
		Guide: "docs/how-to/migrate-hcloud.md",
		Differences: []cloud.Difference{
			{
				ID: "hcloud-http-check", Anchor: "health-checks", Service: desired.IdleCheck,
				Text: "it says how its nodes are checked over HTTP, which has no effect upstream without a protocol, port or interval; here it has",
			},
			{
				ID: "hcloud-local-check", Anchor: "health-checks", Service: func(spec cloud.Spec, _ cloud.Observed) bool { return spec.Local },
				Text: "its traffic stays on the node (externalTrafficPolicy: Local): here its health check port is checked, so that nodes without a Pod get nothing",
			},
			{
				ID: "hcloud-managed-certificate", Anchor: "managed-certificates", Service: func(spec cloud.Spec, _ cloud.Observed) bool { return desired.IsManaged(spec) },
				Text: "its certificate is managed: here it follows its domains, and is deleted with the Service",
			},
			{
				ID: "hcloud-dedicated-name", Anchor: "dedicated-servers", Node: otherName,
				Text: "its dedicated server has another name in Robot: upstream deletes it when it is not Ready, here it stays",
			},
		},
	}
}

// otherName reports whether a Node is a dedicated server of another name.
func otherName(name, providerID string, machine cloud.Instance) bool {
	return strings.HasPrefix(providerID, server.DedicatedScheme+"://") && machine.Name != "" && machine.Name != name
}

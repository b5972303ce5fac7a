package gce

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Upstream says what is otherwise here than in Google's own controller manager.
func Upstream() cloud.Upstream {
	return cloud.Upstream{
		Name:  "cloud-provider-gcp",
		Guide: "docs/how-to/migrate-gce.md",
		Differences: []cloud.Difference{{
			ID: "gce-load-balancer", Anchor: "services",
			Text:    "it asks for a load balancer: nobody looks after that when Google's controller manager is gone, so leave it in place",
			Service: func(cloud.Spec, cloud.Observed) bool { return true },
		}},
	}
}

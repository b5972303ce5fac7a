package openstack

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Each difference is about those that it is said of, and about no others.
func TestUpstreamDifferences(t *testing.T) {
	type service struct {
		spec     cloud.Spec
		balancer cloud.Observed
	}
	ranges := []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")}
	found, both := cloud.Observed{Found: true}, cloud.Observed{Found: true, Balancer: cloud.Balancer{DualStack: true}}
	examples := map[string]map[bool]service{
		"openstack-shared":            {true: {balancer: cloud.Observed{Found: true, Shared: true}}, false: {balancer: found}},
		"openstack-dual-stack":        {true: {cloud.Spec{DualStack: true}, found}, false: {cloud.Spec{DualStack: true}, both}},
		"openstack-session-affinity":  {true: {cloud.Spec{ClientIP: true}, found}, false: {cloud.Spec{ClientIP: true}, cloud.Observed{}}},
		"openstack-source-ranges":     {true: {cloud.Spec{SourceRanges: ranges}, found}, false: {cloud.Spec{SourceRanges: ranges, IPv6: true}, found}},
		"openstack-listener-replaced": {true: {cloud.Spec{Options: map[string]string{option.ForwardedFor.Name: "true"}}, found}, false: {cloud.Spec{Options: map[string]string{option.ForwardedFor.Name: "false"}}, found}},
	}
	for _, d := range Upstream().Differences {
		for want, s := range examples[d.ID] {
			if got := d.Service(s.spec, s.balancer); got != want {
				t.Errorf("%s: %v, want %v for %+v", d.ID, got, want, s)
			}
		}
		if len(examples[d.ID]) != 2 {
			t.Errorf("%s has no examples", d.ID)
		}
	}
}

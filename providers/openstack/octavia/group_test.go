package octavia

import (
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// TestStepsOfALeavingGroup: a security group that goes is taken from each port in a step of its own, also from ports of no machine. Each
// step is one request. For another balancer of the Service it stays.
func TestStepsOfALeavingGroup(t *testing.T) {
	answers := map[string]string{"GET /ports": `{"ports": [
		{"id": "p1", "security_groups": ["default", "group"], "device_owner": "compute:az1", "device_id": "m"}, {"id": "p2", "security_groups": ["group"]}]}`}
	in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{Deleting: true}}
	for name, test := range map[string]struct {
		change        cloud.Change
		steps, writes []string
	}{
		"the Service goes": {
			change: cloud.Change{Input: in},
			steps: []string{
				"delete port in the security group p1 in shop/web", "delete port in the security group p2 in shop/web", "delete security group shop/web", "delete load balancer shop/web",
			},
			writes: []string{
				`PUT /ports/p1 {"port":{"security_groups":["default"]}}`, `PUT /ports/p2 {"port":{"security_groups":[]}}`, "DELETE /security-groups/group", "DELETE /lbaas/loadbalancers/lb",
			},
		},
		"another balancer follows": {
			change: cloud.Change{Input: in, Replaced: true},
			steps:  []string{"delete load balancer shop/web"}, writes: []string{"DELETE /lbaas/loadbalancers/lb"},
		},
	} {
		c := newCase(t, answers)
		c.driver.Config.CascadeDelete, c.driver.Config.ManageSecurityGroups = true, true
		s := &object.Snapshot{
			LB:       object.Balancer{ID: "lb", Name: c.driver.OwnershipTags.Name(web), Tags: c.driver.OwnershipTags.WantedOwnershipTags(web)},
			Security: object.Security{Groups: []object.SecurityGroup{{ID: "group", Rules: []object.SecurityGroupRule{{ID: "rule", Direction: "ingress"}}}}},
		}
		test.change.Before = cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}
		b, _ := composite.Balancers(cloudtest.Driver(driver{failures{}, c.driver}))
		planned, err := b.(composite.Planner).Steps(t.Context(), test.change)
		if err != nil {
			t.Fatal(err)
		}
		var steps []string
		for _, op := range planned {
			steps = append(steps, string(op.Verb)+" "+string(op.Kind)+" "+op.Key)
		}
		if !slices.Equal(steps, test.steps) {
			t.Errorf("%s: planned %q, want %q", name, steps, test.steps)
		}
		if _, err := apply(t, c.driver, test.change); err != nil {
			t.Fatal(err)
		}
		c.wrote(name, test.writes...)
	}
}

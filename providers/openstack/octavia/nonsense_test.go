package octavia

import (
	"errors"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// TestSubnetOfNonsense: the rules of the security group are made of the subnet. One that is answered with nothing in it must not
// take them all away.
func TestSubnetOfNonsense(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":        `{"subnet": {}}`,
		"another":        `{"subnet": {"id": "` + idPublicV4 + `", "cidr": "172.24.0.0/16"}}`,
		"half of it":     `{"subnet": {"id": "` + idNode + `"}}`,
		"another object": `{"port": {"id": "` + idNode + `"}}`,
	} {
		c := newCase(t, map[string]string{"GET /subnets/" + idNode: answer})
		c.driver.Config.ManageSecurityGroups = true
		var found desired.Findings
		err := c.driver.exploreMembers(t.Context(), &object.Snapshot{}, &found, specOf(map[string]string{option.Subnet.Name: idNode}))
		if !errors.Is(err, cloud.ErrIncomplete) {
			t.Errorf("%s: %v, found %+v", name, err, found)
		}
	}
}

// TestSecondSubnetOfNonsense: a balancer that is made with one address keeps it for ever, also where nobody knows whether there is a
// subnet of the other family.
func TestSecondSubnetOfNonsense(t *testing.T) {
	c := newCase(t, map[string]string{"GET /subnets/" + idNode: `{"subnet": {"id": "` + idNode + `"}}`})
	in := specOf(map[string]string{option.Subnet.Name: idNode, option.Internal.Name: "true"})
	change := cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &cloud.Balancer{Scope: cloud.ScopeInternal, DualStack: true}}
	if made, err := c.driver.Resources(t.Context(), change); !errors.Is(err, cloud.ErrIncomplete) {
		t.Errorf("%v, wanted %v", err, made.Wanted)
	}
}

// TestTwoGroups: Neutron takes two security groups of one name, such as those of two processes that were leaders at the same
// time. Both go.
func TestTwoGroups(t *testing.T) {
	c := newCase(t, checked())
	c.driver.Config.ManageSecurityGroups, c.driver.Config.CascadeDelete = true, true
	in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{Deleting: true}}
	name := "lb-sg-" + web.UID + "-" + web.Namespace + "-" + web.Name
	bulk := &object.BulkList{Groups: []object.SecurityGroup{{ID: "one", Name: name}, {ID: "theirs", Name: "theirs"}, {ID: "two", Name: name}}}
	s := &object.Snapshot{}
	if err := c.driver.groups.Find(t.Context(), s, bulk, in); err != nil {
		t.Fatal(err)
	}
	if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(s)}}); err != nil {
		t.Fatal(err)
	}
	c.wrote("two groups", "DELETE /security-groups/one", "DELETE /security-groups/two")
}

// TestMadeForAnother: an answer to a creation that is about another Service's balancer is an error, and nothing of it is recorded. Older
// APIs answer without tags.
func TestMadeForAnother(t *testing.T) {
	tags := unconnected().OwnershipTags.WantedOwnershipTags
	quoted := func(tags []string) string { return `["` + strings.Join(tags, `", "`) + `"]` }
	for name, test := range map[string]struct {
		lb      string
		another bool
	}{
		"its own":                 {lb: `"name": "web", "tags": ` + quoted(tags(web))},
		"without tags":            {lb: `"name": "web"`},
		"without anything":        {lb: `"provider": "amphora"`},
		"another Service's":       {lb: `"name": "web", "tags": ` + quoted(tags(shopAPI)), another: true},
		"without tags, not named": {lb: `"name": "api"`, another: true},
	} {
		c := newCase(t, map[string]string{"POST /lbaas/loadbalancers": `{"loadbalancer": {"id": "lb", "vip_port_id": "port", ` + test.lb + `}}`})
		in := specOf(map[string]string{option.Subnet.Name: idNode, option.Internal.Name: "true"})
		change := cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &cloud.Balancer{Name: "web", Scope: cloud.ScopeInternal, OwnershipTags: tags(web)}}
		progress, err := apply(t, c.driver, change)
		if (err != nil) != test.another || (progress.Observed == nil) != test.another || len(c.writes) != 1 {
			t.Errorf("%s: %+v, %v, wrote %q", name, progress, err, c.writes)
		}
	}
}

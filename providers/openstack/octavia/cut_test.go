package octavia

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// TestCutDescriptions: an older version cut the cluster's name in descriptions, and named no id. Such a description is the Service's
// where it is exactly what the Service would have got.
func TestCutDescriptions(t *testing.T) {
	name := strings.Repeat("k", 240)
	long := cloud.Owner{Cluster: name, Namespace: "shop", Name: "web", UID: "u-1", Cloud: "openstack"}
	const proof = " (uid u-1)"
	ip := "Floating IP for Kubernetes external service shop/web from cluster " + name
	group := "Security Group for shop/web Service LoadBalancer in cluster " + name
	cut := func(text, proof string) string { return text[:tag.MaxText-len(proof)] + proof }
	for what, test := range map[string]struct {
		description string
		ours        bool
	}{
		"cut":                     {cut(ip, proof), true},
		"cut sooner":              {cut(ip, proof+"x")[:tag.MaxText-len(proof)-1] + proof, false},
		"another Service's":       {cut(strings.Replace(ip, "web", "api", 1), proof), false},
		"another UID":             {cut(ip, " (uid u-9)"), false},
		"of a name like it":       {cut(strings.Replace(ip, "kkk", "kkj", 1), proof), false},
		"cut by the present form": {cut(ip, " (uid u-1, cluster "+tag.Hashed(name)+")"), true},
		"the same, of another id": {cut(ip, " (uid u-1, cluster restored)"), false},
	} {
		if len(test.description) > tag.MaxText {
			t.Fatalf("%s: %d bytes", what, len(test.description))
		}
		c := prodCase(t, nil)
		c.driver.OwnershipTags.ClusterName = name
		free := object.FloatingIP{ID: "fip", Address: "172.24.0.8", Description: test.description}
		in := cloud.Input{Spec: cloud.Spec{Owner: long, Options: map[string]string{option.FloatingNetwork.Name: idPublic}}}
		s := &object.Snapshot{LB: object.Balancer{ID: "lb", Port: idVIP}}
		if err := c.driver.floating.Find(t.Context(), s, &object.BulkList{Floating: []object.FloatingIP{free}}, in); err != nil || (s.Free != nil) != test.ours {
			t.Errorf("%s: %v, free %v", what, err, s.Free)
		}
		if why := owner.Obstacle(c.driver.Rules, free, idVIP, in); (why == "") != test.ours {
			t.Errorf("%s: obstacle %q", what, why)
		}
	}
	for description, ours := range map[string]bool{
		cut(group, ""):       true,
		cut(group, "")[:200]: false,
		cut(group, proof):    true,
		"Security Group for shop/web Service LoadBalancer in cluster k": false,
	} {
		c := prodCase(t, nil)
		c.driver.OwnershipTags.ClusterName, c.driver.Config.ManageSecurityGroups = name, true
		in := cloud.Input{Spec: cloud.Spec{Owner: long}}
		bulk := &object.BulkList{Groups: []object.SecurityGroup{{ID: "g", Name: "lb-sg-u-1-shop-web", Description: description}}}
		s := &object.Snapshot{LB: object.Balancer{ID: "lb"}}
		if err := c.driver.groups.Find(t.Context(), s, bulk, in); err != nil || (len(s.Security.Groups) == 1) != ours {
			t.Errorf("%s: %v, groups %v", description, err, s.Security.Groups)
		}
	}
}

// TestDescriptionsToLookFor: Neutron is asked for the cut description too, where there may be one.
func TestDescriptionsToLookFor(t *testing.T) {
	d := unconnected()
	if got := d.OwnershipTags.OwnDescriptions(tag.FloatingIP, web); len(got) != 1 {
		t.Errorf("of a short name %q", got)
	}
	d.OwnershipTags.ClusterName = strings.Repeat("k", 240)
	for i, got := range d.OwnershipTags.OwnDescriptions(tag.FloatingIP, web) {
		if len(got) != tag.MaxText || strings.HasSuffix(got, " (uid u-1)") != (i == 1) {
			t.Errorf("%d: %d bytes, %s", i, len(got), got)
		}
	}
}

package octavia

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

const ipOfKubernetes = "Floating IP for Kubernetes external service shop/web from cluster kubernetes (uid u-1)"

// webOnce is the Service in a cluster that had other ids.
func webOnce() cloud.Owner {
	once := web
	once.Former = cloud.NewFormerClusters("old", "kubernetes")
	return once
}

// reidentified is a case of the cluster "prod" of the name "kubernetes", and a balancer of its Service from the time when the
// cluster had another id. Its floating IP names that id.
func reidentified(t *testing.T, former string) (*table, *object.Snapshot) {
	t.Helper()
	c := prodCase(t, nil)
	c.driver.OwnershipTags.ClusterName = "kubernetes"
	was := web
	was.Cluster = former
	s := &object.Snapshot{
		LB:       object.Balancer{ID: "lb", Name: "kube_service_kubernetes_shop_web", Tags: c.driver.OwnershipTags.WantedOwnershipTags(was), Port: "port"},
		Floating: &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: "port", Description: ipOfKubernetes},
	}
	if former != "kubernetes" {
		s.Floating.Description = strings.TrimSuffix(ipOfKubernetes, ")") + ", cluster " + former + ")"
	}
	c.answers = map[string]string{"GET /lbaas/loadbalancers/lb": `{"loadbalancer": {"id": "lb", "tags": ["` + strings.Join(s.LB.Tags, `","`) + `"]}}`}
	return c, s
}

// TestClusterOfAnotherID: what has a former id is the Service's. A crash at any step leaves the
// floating IP the Service's: its description changes before the tag.
func TestClusterOfAnotherID(t *testing.T) {
	description := strings.TrimSuffix(ipOfKubernetes, ")") + ", cluster prod)"
	for _, former := range []string{"old", "kubernetes"} {
		c, s := reidentified(t, former)
		in := cloud.Input{Spec: cloud.Spec{Owner: webOnce()}, Known: cloud.Known{ID: "lb"}}
		after := cloud.Balancer{Name: s.LB.Name, OwnershipTags: c.driver.OwnershipTags.WantedOwnershipTags(web), Scope: cloud.ScopeExternal}
		ends := func(when string) {
			t.Helper()
			leaves := in
			leaves.Deleting = true
			if _, err := apply(t, c.driver, cloud.Change{Input: leaves, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}}); err != nil {
				t.Fatal(err)
			}
			c.wrote(former+", deleted "+when, "DELETE /floatingips/fip", "DELETE /lbaas/loadbalancers/lb")
		}
		ends("before")
		p, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}, After: &after})
		if err != nil || p.Again == 0 {
			t.Errorf("%s: %+v, %v", former, p, err)
		}
		c.wrote(former+", at first", `PUT /floatingips/fip {"floatingip":{"description":"`+description+`","port_id":"port"}}`)
		s.Floating.Description = description
		ends("between")
		p, err = apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}, After: &after})
		if err != nil || p.Again != 0 || len(c.writes) != 1 || !strings.HasPrefix(c.writes[0], `PUT /lbaas/loadbalancers/lb {"loadbalancer":{"tags":`) {
			t.Errorf("%s, then: %+v, %v, wrote %q", former, p, err, c.writes)
		}
		c.writes, s.LB.Tags = nil, after.OwnershipTags
		ends("afterwards")
	}
}

// TestInternalWithAnotherID: a floating IP that is kept for later names the cluster by its present id.
func TestInternalWithAnotherID(t *testing.T) {
	c, s := reidentified(t, "old")
	in := cloud.Input{Spec: cloud.Spec{Owner: webOnce(), Options: map[string]string{option.KeepFloatingIP.Name: "true"}}, Known: cloud.Known{ID: "lb"}}
	after := cloud.Balancer{Name: s.LB.Name, OwnershipTags: c.driver.OwnershipTags.WantedOwnershipTags(web), Scope: cloud.ScopeInternal}
	if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}, After: &after}); err != nil {
		t.Fatal(err)
	}
	c.wrote("made internal", `PUT /floatingips/fip {"floatingip":{"description":"`+strings.TrimSuffix(ipOfKubernetes, ")")+`, cluster prod)","port_id":null}}`)
}

// TestGroupOfAnotherID: a security group from the time when the cluster's id was its name is the Service's, whatever id the balancer's tag has. Without the
// former id it is another cluster's.
func TestGroupOfAnotherID(t *testing.T) {
	group := object.SecurityGroup{ID: "g", Name: "lb-sg-u-1-shop-web", Description: "Security Group for shop/web Service LoadBalancer in cluster kubernetes (uid u-1)"}
	c, s := reidentified(t, "kubernetes")
	c.driver.Config.ManageSecurityGroups = true
	in := cloud.Input{Spec: cloud.Spec{Owner: webOnce()}, Known: cloud.Known{ID: "lb"}}
	for _, present := range []bool{false, true} {
		if present {
			s.LB.Tags = c.driver.OwnershipTags.WantedOwnershipTags(web)
		}
		for owner, want := range map[cloud.Owner]int{webOnce(): 1, web: 0} {
			in.Owner = owner
			if err := c.driver.groups.Find(t.Context(), s, &object.BulkList{Groups: []object.SecurityGroup{group}}, in); err != nil || len(s.Security.Groups) != want {
				t.Errorf("with a tag of the present id %t, former ids %q: %v, %v", present, owner.Former, err, s.Security.Groups)
			}
		}
	}
}

// TestFreeIPWithTheClusterName: what a free floating IP says with --cluster-name beside the UID is also what a cluster says of which that
// name is the id. One that was restored from its backup, with the same name and an id of its own, leaves it alone, whatever its balancer says.
func TestFreeIPWithTheClusterName(t *testing.T) {
	c, s := reidentified(t, "prod")
	theirs := *s.Floating
	theirs.Port, theirs.Description, s.Floating = "", ipOfKubernetes, nil
	for _, leaves := range []bool{false, true} {
		in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: "lb", Deleting: leaves}}
		if err := c.driver.floating.Find(t.Context(), s, &object.BulkList{Floating: []object.FloatingIP{theirs}}, in); err != nil || s.Free != nil {
			t.Errorf("leaves %t: %v, free %v", leaves, err, s.Free)
		}
		if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}}); err != nil {
			t.Fatal(err)
		}
		c.wrote("given up", "DELETE /lbaas/loadbalancers/lb")
	}
}

package octavia

import (
	"fmt"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// The descriptions of floating IPs and security groups of the Service web, with its UID, of this cluster and of one that was restored
// from the same backup.
const (
	ipOfProd        = "Floating IP for Kubernetes external service shop/web from cluster prod (uid u-1)"
	ipOfRestored    = "Floating IP for Kubernetes external service shop/web from cluster restored (uid u-1)"
	groupOfProd     = "Security Group for shop/web Service LoadBalancer in cluster prod"
	groupOfRestored = "Security Group for shop/web Service LoadBalancer in cluster restored"
)

// prodCase is a case of the cluster "prod".
func prodCase(t *testing.T, answers map[string]string) *table {
	t.Helper()
	c := newCase(t, answers)
	c.driver.OwnershipTags.ClusterName, c.driver.Config.CascadeDelete = "prod", true
	return c
}

// groups are the answers of a cloud with these security groups "id: description" of the Service's UID and name, and no balancers.
func groups(descriptions ...string) map[string]string {
	var list []string
	for _, one := range descriptions {
		id, text, _ := strings.Cut(one, ": ")
		list = append(list, fmt.Sprintf(`{"id": %q, "name": "lb-sg-u-1-shop-web", "description": %q}`, id, text))
	}
	return map[string]string{
		"GET /security-groups": `{"security_groups": [` + strings.Join(list, ",") + `]}`, "GET /floatingips": `{"floatingips": []}`,
		"GET /lbaas/loadbalancers": `{"loadbalancers": []}`, "GET /ports": `{"ports": []}`,
	}
}

// TestGroupOfARestoredCluster: the name of a security group holds the Service's UID, which the Service of a cluster that was restored from
// the same backup has too. Its description tells them apart.
func TestGroupOfARestoredCluster(t *testing.T) {
	for name, test := range map[string]struct {
		groups   []string
		balancer []string // its tags
		deletes  string
	}{
		"ours":                           {groups: []string{"g: " + groupOfProd}, deletes: "g"},
		"with the UID":                   {groups: []string{"g: " + groupOfProd + " (uid u-1)"}, deletes: "g"},
		"by the id of the cluster":       {groups: []string{"g: " + groupOfRestored + " (uid u-1, cluster prod)"}, deletes: "g"},
		"without a description":          {groups: []string{"g: "}, deletes: "g"},
		"the restored cluster's":         {groups: []string{"r: " + groupOfRestored}},
		"the same, of the same name":     {groups: []string{"r: " + groupOfProd + " (uid u-1, cluster restored)"}},
		"both":                           {groups: []string{"r: " + groupOfRestored, "g: " + groupOfProd}, deletes: "g"},
		"the cluster got another id":     {groups: []string{"g: Security Group for shop/web Service LoadBalancer in cluster old"}, balancer: []string{"ccm:cluster=old&uid=u-1"}, deletes: "g"},
		"the same, and the balancer not": {groups: []string{"g: Security Group for shop/web Service LoadBalancer in cluster old"}, balancer: []string{"ccm:cluster=prod&uid=u-1"}},
	} {
		c := prodCase(t, groups(test.groups...))
		in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{Deleting: true}}
		want := []string{"DELETE /security-groups/" + test.deletes}
		if test.deletes == "" {
			want = nil
		}
		if test.balancer != nil {
			c.answers["GET /lbaas/loadbalancers"] = `{"loadbalancers": [{"id": "` + idLB + `", "name": "kube_service_prod_shop_web", "provisioning_status": "ACTIVE", "tags": ["` + strings.Join(test.balancer, `","`) + `"]}]}`
			in.ID = idLB
			if strings.Contains(test.balancer[0], "=old") {
				in.Owner.Former = "old"
			}
			c.driver.Config.ManageSecurityGroups, want = true, append(want, "DELETE /lbaas/loadbalancers/"+idLB)
		}
		o, err := c.driver.Observe(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if left := test.deletes != ""; !o.Found && o.Orphans != left {
			t.Errorf("%s: orphans %t", name, o.Orphans)
		}
		if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: o}); err != nil {
			t.Fatal(err)
		}
		c.wrote(name, want...)
	}
}

// TestGroupIsTaken: a security group that is wanted is this cluster's, or is made. One of upstream's gets the UID and the cluster.
func TestGroupIsTaken(t *testing.T) {
	const made, proof = `POST /security-groups {"security_group":{"description":"` + groupOfProd + ` (uid u-1)","name":"lb-sg-u-1-shop-web"}}`, `PUT /security-groups/g {"security_group":{"description":"` + groupOfProd + ` (uid u-1)"}}`
	for name, test := range map[string]struct{ group, want string }{
		"ours":                   {"g: " + groupOfProd + " (uid u-1)", ""},
		"upstream's":             {"g: " + groupOfProd, proof},
		"none":                   {"g2: of nobody", made},
		"the restored cluster's": {"g: " + groupOfRestored, made},
	} {
		c := prodCase(t, groups(test.group))
		c.driver.Config.ManageSecurityGroups = true
		if name == "none" {
			c.answers["GET /security-groups"] = `{"security_groups": []}`
		}
		s := &object.Snapshot{LB: object.Balancer{ID: "lb", Tags: c.driver.OwnershipTags.WantedOwnershipTags(web)}}
		in := cloud.Input{Spec: cloud.Spec{Owner: web, Options: map[string]string{option.Internal.Name: "true"}}, Known: cloud.Known{ID: "lb"}}
		if err := c.driver.groups.Find(t.Context(), s, nil, in); err != nil {
			t.Fatal(err)
		}
		after := cloud.Balancer{OwnershipTags: c.driver.OwnershipTags.WantedOwnershipTags(web), Scope: cloud.ScopeInternal}
		if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(s)}, After: &after}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.writes, "\n"); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: wrote\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// TestFreeIPOfARestoredCluster: a free floating IP that a restored cluster made or kept is neither attached nor deleted.
func TestFreeIPOfARestoredCluster(t *testing.T) {
	for description, ours := range map[string]bool{
		ipOfProd:     true,
		ipOfRestored: false,
		strings.TrimSuffix(ipOfProd, ")") + ", cluster restored)": false,
		strings.TrimSuffix(ipOfRestored, ")") + ", cluster prod)": true,
		strings.TrimSuffix(ipOfProd, " (uid u-1)"):                false, // upstream's: many clusters have the same name
	} {
		ip := object.FloatingIP{ID: "fip", Address: "172.24.0.8", Description: description}
		bulk := &object.BulkList{Floating: []object.FloatingIP{ip}}
		c := prodCase(t, checked())
		c.driver.Config.Placement.FloatingNetwork = idPublic
		o, err := c.driver.observe(t.Context(), bulk, cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{Deleting: true, Removed: true}})
		if err != nil || o.Orphans != ours {
			t.Errorf("%s: %v, is left %t, want %t", description, err, o.Orphans, ours)
		}
		in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic})
		s := &object.Snapshot{LB: object.Balancer{ID: "lb", Port: idVIP}}
		if err := c.driver.floating.Find(t.Context(), s, bulk, in); err != nil || (s.Free != nil) != ours {
			t.Errorf("%s: %v, free %v", description, err, s.Free)
		}
		if ours || !strings.Contains(description, "(uid") {
			continue
		}
		c.answers["GET /floatingips?172.24.0.8"] = `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.8", "description": "` + description + `"}]}`
		in.LoadBalancerIP = ip.Address
		if err := c.driver.Check(t.Context(), in, cloud.Observed{}); !check.IsInvalid(err) || !strings.Contains(fmt.Sprint(err), "another Service") {
			t.Errorf("%s, asked for: %v", description, err)
		}
		_, err = apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(s)}, After: &cloud.Balancer{Scope: cloud.ScopeExternal}})
		if c.wrote(description); !check.IsInvalid(err) {
			t.Errorf("%s, attached: %v", description, err)
		}
	}
}

// TestAttachedIPWithTheClusterName: descriptions had --cluster-name before they had the cluster's id.
func TestAttachedIPWithTheClusterName(t *testing.T) {
	c := prodCase(t, nil)
	c.driver.OwnershipTags.ClusterName = "kubernetes"
	s := &object.Snapshot{
		LB:       object.Balancer{ID: "lb", Name: "kube_service_kubernetes_shop_web", Tags: []string{"ccm:cluster=prod&uid=u-1"}, Port: "port"},
		Floating: &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: "port", Description: "Floating IP for Kubernetes external service shop/web from cluster kubernetes (uid u-1)"},
	}
	in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: "lb", Deleting: true}}
	if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(c.writes, "\n"), "DELETE /floatingips/fip") {
		t.Errorf("wrote %q, want the floating IP to be deleted", c.writes)
	}
}

// TestAttachedIPOfARestoredCluster: a floating IP that somebody attached to the balancer is detached when that goes, unless it was made
// for the Service, or for one that shared the balancer.
func TestAttachedIPOfARestoredCluster(t *testing.T) {
	const of = "Floating IP for Kubernetes external service "
	for description, deleted := range map[string]bool{
		ipOfProd:     true,
		ipOfRestored: false,
		of + "shop/web from cluster old (uid u-1)":                      true,  // a former id
		of + "shop/api from cluster prod (uid u-2)":                     true,  // it has left
		of + "shop/api from cluster restored (uid u-2)":                 false, //
		of + "shop/web from cluster prod (uid u-9)":                     true,  // an earlier Service's
		of + "shop/web from cluster prod":                               true,  // upstream's
		of + "shop/web from cluster kubernetes (uid u-1, cluster x)":    false,
		of + "shop/web from cluster kubernetes (uid u-1, cluster prod)": true,
		"the office": false,
	} {
		c := prodCase(t, nil)
		s := &object.Snapshot{
			LB:       object.Balancer{ID: "lb", Name: "kube_service_prod_shop_web", Tags: []string{"ccm:cluster=old&uid=u-1"}, Port: "port"},
			Floating: &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: "port", Description: description},
		}
		in := cloud.Input{Spec: cloud.Spec{Owner: webOnce()}, Known: cloud.Known{ID: "lb", Deleting: true}}
		if _, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, ID: "lb", Native: object.Native.Seal(s)}}); err != nil {
			t.Fatal(err)
		}
		first := `PUT /floatingips/fip {"floatingip":{"port_id":null}}`
		if deleted {
			first = "DELETE /floatingips/fip"
		}
		c.wrote(description, first, "DELETE /lbaas/loadbalancers/lb")
	}
}

// TestBalancerOfThisClusterFirst: of two balancers with the Service's UID the one with this cluster in its tag is the Service's. Another
// cluster's leads to nothing but a conflict, where its id is recorded.
func TestBalancerOfThisClusterFirst(t *testing.T) {
	d := unconnected()
	theirs, ours := object.Balancer{ID: "1", Tags: d.OwnershipTags.WantedOwnershipTags(twin)}, object.Balancer{ID: "2", Tags: d.OwnershipTags.WantedOwnershipTags(web)}
	in := cloud.Input{Spec: cloud.Spec{Owner: web}}
	if f := d.choose(object.BulkList{Balancers: []object.Balancer{theirs, ours}}, in); f.lb == nil || f.lb.ID != "2" || len(f.duplicates) > 0 {
		t.Errorf("chosen %+v", f)
	}
	alone := object.BulkList{Balancers: []object.Balancer{theirs}}
	if f := d.choose(alone, in); f.lb != nil {
		t.Errorf("without one of this cluster: %+v", f)
	}
	in.ID = "1"
	if f := d.choose(alone, in); f.lb == nil || f.lb.ID != "1" {
		t.Errorf("by id: %+v", f)
	}
	in.ID, in.Owner.Former = "", cloud.FormerClusters(twin.Cluster)
	if f := d.choose(alone, in); f.lb == nil || f.lb.ID != "1" {
		t.Errorf("of a former id: %+v", f)
	}
}

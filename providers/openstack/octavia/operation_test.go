package octavia

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// One balancer is read by its id, several are one list. What is not there was deleted, if that was asked for.
func TestOperationStates(t *testing.T) {
	const one = "/lbaas/loadbalancers/active"
	c := newCase(t, map[string]string{
		"GET " + one: `{"loadbalancer": {"id": "active", "provisioning_status": "ACTIVE"}}`,
		"GET /lbaas/loadbalancers": `{"loadbalancers": [{"id": "active", "provisioning_status": "ACTIVE"}, {"id": "busy", "provisioning_status": "PENDING_UPDATE"},
			{"id": "failed", "provisioning_status": "ERROR"}, {"id": "leaves", "provisioning_status": "PENDING_DELETE"}, {"id": "left", "provisioning_status": "DELETED"}]}`,
	})
	done, runs, failed, unknown := "done", "runs", "failed", "unknown"
	for _, want := range []map[string]string{
		{"active": done}, {"gone": unknown}, {resource.Deletion + "gone": done}, {resource.Deletion + "active": unknown},
		{
			"active": done, "busy": runs, "failed": failed, "leaves": runs, "left": unknown, "gone": unknown,
			resource.Deletion + "leaves": runs, resource.Deletion + "left": done, resource.Deletion + "gone": done, resource.Deletion + "failed": failed,
		},
	} {
		c.reads = nil
		states, err := c.driver.OperationStates(t.Context(), slices.Collect(maps.Keys(want)))
		if err != nil || len(c.reads) != 1 {
			t.Fatalf("%v, asked for %q", err, c.reads)
		}
		for id, want := range want {
			state, known := states[id]
			is := unknown
			switch {
			case state.Running:
				is = runs
			case state.Err != nil:
				is = failed
			case known:
				is = done
			}
			if is != want {
				t.Errorf("%s: %s, want %s", id, is, want)
			}
		}
	}
}

// Tags of others that came or went since the balancer was looked at stay so.
func TestTagsOfOthers(t *testing.T) {
	for name, test := range map[string]struct{ now, was, wanted, want []string }{
		"joins":          {[]string{"a", "c"}, []string{"a"}, []string{"a", "b"}, []string{"a", "c", "b"}},
		"leaves":         {[]string{"a", "b", "c"}, []string{"a", "b"}, []string{"a"}, []string{"a", "c"}},
		"the other left": {[]string{"b"}, []string{"a", "b"}, []string{"a"}, []string{}},
		"is there":       {[]string{"a", "b"}, []string{"a"}, []string{"a", "b"}, []string{"a", "b"}},
	} {
		c := newCase(t, map[string]string{"GET /lbaas/loadbalancers/lb": `{"loadbalancer": {"id": "lb", "tags": ["` + strings.Join(test.now, `", "`) + `"]}}`})
		kind := kindOf(c.driver, "load balancer")
		present := cloud.Resource{ID: "lb", Fields: map[string]any{"tags": test.was}}
		if err := kind.Update(t.Context(), present, cloud.Resource{Fields: map[string]any{"tags": test.wanted}}, []string{"tags"}); err != nil {
			t.Fatal(err)
		}
		var tags []string
		for _, tag := range fieldsOf(t, c.writes[0])["tags"].([]any) {
			tags = append(tags, tag.(string))
		}
		if !slices.Equal(tags, test.want) {
			t.Errorf("%s: tags %q, want %q", name, tags, test.want)
		}
	}
}

// The answers to a creation say what the balancer is reached at: its floating IP, or its own address.
func TestAnswersToACreation(t *testing.T) {
	c := newCase(t, map[string]string{
		"POST /lbaas/loadbalancers": `{"loadbalancer": {"id": "made", "vip_port_id": "port", "vip_address": "10.0.0.9"}}`,
		"POST /floatingips":         `{"floatingip": {"id": "ip", "floating_ip_address": "172.24.0.9", "port_id": "port"}}`,
	})
	for options, want := range map[string]string{"false": "172.24.0.9", "true": "10.0.0.9"} {
		c.writes = nil
		spec := specOf(map[string]string{option.Internal.Name: options, option.Subnet.Name: idNode, option.FloatingNetwork.Name: idPublic})
		change := cloud.Change{Spec: spec, Before: cloud.Observed{Native: &object.Snapshot{}}, After: &cloud.Balancer{OwnershipTags: []string{"ours"}}}
		progress, err := apply(t, c.driver, change)
		if change.Rest = progress.Rest; change.Rest != nil {
			progress, err = apply(t, c.driver, change)
			progress.Told = progress.Observed
			if body := fieldsOf(t, c.writes[len(c.writes)-1]); body["port_id"] != "port" {
				t.Errorf("made %v", body)
			}
		}
		if o := progress.Told; err != nil || o == nil || o.ID != "made" || o.State != cloud.BalancerActive || o.Addresses[0].IP != want || o.Record[option.Address.Name] != want {
			t.Errorf("internal %s: told %+v, %v", options, o, err)
		}
		if len(c.reads) > 0 {
			t.Errorf("internal %s: asked for %q", options, c.reads)
		}
	}
}

func kindOf(d *Balancers, name string) cloud.ResourceKind {
	kinds := d.ResourceKinds()
	return kinds[slices.IndexFunc(kinds, func(k cloud.ResourceKind) bool { return k.Name == name })]
}

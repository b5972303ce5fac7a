package octavia

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// One balancer is read by its id, several are one list. Nothing is told of one in any other state, or that is not there.
func TestOperationStates(t *testing.T) {
	one := func(id, status string) string {
		return `{"loadbalancer": {"id": "` + id + `", "provisioning_status": "` + status + `"}}`
	}
	c := newCase(t, map[string]string{
		"GET /lbaas/loadbalancers/active":  one("active", "ACTIVE"),
		"GET /lbaas/loadbalancers/busy":    one("busy", "PENDING_CREATE"),
		"GET /lbaas/loadbalancers/blank":   one("blank", ""),
		"GET /lbaas/loadbalancers/foreign": one("another", "ACTIVE"),
		"GET /lbaas/loadbalancers": `{"loadbalancers": [{"id": "active", "provisioning_status": "ACTIVE"}, {"id": "busy", "provisioning_status": "PENDING_UPDATE"}, {"id": "blank"},
			{"id": "failed", "provisioning_status": "ERROR"}, {"id": "leaves", "provisioning_status": "PENDING_DELETE"}, {"id": "left", "provisioning_status": "DELETED"}]}`,
	})
	const done, runs, unknown = "done", "runs", "unknown"
	for _, want := range []map[string]string{
		{"active": done}, {"busy": runs}, {"blank": unknown}, {"foreign": unknown}, {"gone": unknown},
		{"active": done, "busy": runs, "leaves": runs, "failed": unknown, "left": unknown, "gone": unknown, "blank": unknown},
	} {
		var ids []string
		for id := range want {
			ids = append(ids, id)
		}
		c.reads = nil
		states, err := c.driver.OperationStates(t.Context(), ids)
		if err != nil || len(c.reads) != 1 {
			t.Fatalf("%v, asked for %q", err, c.reads)
		}
		for id, want := range want {
			is := unknown
			if state, known := states[id]; state.Running {
				is = runs
			} else if known {
				is = done
			}
			if is != want {
				t.Errorf("%s: %s, want %s", id, is, want)
			}
		}
	}
}

// A look reads nothing that is behind the listeners of others, and a deletion no more than it depends on.
func TestPartsThatAreRead(t *testing.T) {
	d := unconnected()
	both := append(d.OwnershipTags.WantedOwnershipTags(web), d.OwnershipTags.WantedOwnershipTags(shopAPI)...)
	parts := func(of cloud.Owner) map[string]string {
		tag := `"` + d.OwnershipTags.Name(of) + `"`
		return map[string]string{
			"GET /lbaas/listeners":            `{"listeners": [{"id": "ours", "protocol_port": 80, "default_pool_id": "p", "tags": ["` + d.OwnershipTags.Name(web) + `"]}, {"id": "theirs", "protocol_port": 81, "default_pool_id": "q", "tags": [` + tag + `]}]}`,
			"GET /lbaas/pools":                `{"pools": [{"id": "p", "members": [{"id": "m"}], "listeners": [{"id": "ours"}], "healthmonitor_id": "h"}, {"id": "q", "members": [{"id": "n"}], "listeners": [{"id": "theirs"}]}]}`,
			"GET /lbaas/pools/p/members":      `{"members": [{"id": "m"}]}`,
			"GET /lbaas/pools/q/members":      `{"members": [{"id": "n"}]}`,
			"GET /lbaas/healthmonitors":       `{"healthmonitors": [{"id": "h", "pools": [{"id": "p"}]}]}`,
			"GET /lbaas/pools/unused/members": `{"members": []}`,
		}
	}
	const listeners, pools, ours, theirs, monitors = "/lbaas/listeners", "/lbaas/pools", "/lbaas/pools/p/members", "/lbaas/pools/q/members", "/lbaas/healthmonitors"
	for name, test := range map[string]struct {
		made            cloud.Owner
		tags            []string
		others          cloud.Owner
		deleting, keeps bool
		oneByOne        bool
		want            []string
	}{
		"shared":                     {made: shopAPI, tags: both, others: shopAPI, want: []string{listeners, pools, ours, monitors}},
		"its own":                    {made: web, tags: d.OwnershipTags.WantedOwnershipTags(web), others: web, want: []string{listeners, pools, ours, theirs, monitors}},
		"its own goes":               {made: web, tags: d.OwnershipTags.WantedOwnershipTags(web), others: web, deleting: true},
		"its own goes, part by part": {made: web, tags: d.OwnershipTags.WantedOwnershipTags(web), others: web, deleting: true, oneByOne: true, want: []string{listeners, pools}},
		"its own is kept":            {made: web, tags: d.OwnershipTags.WantedOwnershipTags(web), others: web, deleting: true, keeps: true, want: []string{listeners, pools, ours, theirs, monitors}},
		"it leaves":                  {made: web, tags: both, others: shopAPI, deleting: true, want: []string{listeners, pools}},
		"the last one leaves":        {made: shopAPI, tags: d.OwnershipTags.WantedOwnershipTags(web), others: web, deleting: true, want: []string{listeners}},
		"another one is there still": {made: shopAPI, tags: d.OwnershipTags.WantedOwnershipTags(web), others: shopAPI, deleting: true, want: []string{listeners, pools}},
	} {
		c := newCase(t, parts(test.others))
		c.driver.Config.CascadeDelete = !test.oneByOne
		lb := object.Balancer{ID: "lb", Name: d.OwnershipTags.Name(test.made), Tags: test.tags, Updated: "2026-11-21T10:00:00"}
		in := cloud.Input{Spec: cloud.Spec{Owner: web, Options: map[string]string{}}, Known: cloud.Known{ID: "lb", Deleting: test.deleting, Retained: test.keeps}}
		at := time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)
		s, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, in)
		if err != nil || !slices.Equal(c.reads, test.want) {
			t.Errorf("%s: read %q, %v; want %q", name, c.reads, err, test.want)
		}
		// The next look takes what has the same stamp, but nothing that was not read.
		c.reads, in.Deleting, in.Last = nil, false, &cloud.Observed{Native: object.Native.Seal(s)}
		again, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, in)
		if whole := !test.deleting || test.keeps; err != nil || (len(c.reads) == 0) != whole || len(again.Members["p"]) != 1 || again.Monitors["p"].ID != "h" {
			t.Errorf("%s: then read %q, %v; members %v, monitors %v", name, c.reads, err, again.Members, again.Monitors)
		}
		if test.deleting {
			continue
		}
		c.reads, in.Options[annotation.Adopt.Name] = nil, "lb" // all that has no other ownership tag is the Service's then
		lb.Tags = d.OwnershipTags.WantedOwnershipTags(web)
		if _, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, in); err != nil || len(c.reads) > 1 {
			t.Errorf("%s: adopted, read %q, %v", name, c.reads, err)
		}
	}
}

// A security group that is left of a time when they were managed is looked for until there is none. Another process may have made
// one meanwhile, which still managed groups: it is looked for once more when the Service has left.
func TestLeftGroup(t *testing.T) {
	const path = "GET /lbaas/loadbalancers"
	tag := unconnected().OwnershipTags.Tag(web)
	for _, left := range []bool{true, false} {
		c := newCase(t, map[string]string{
			"GET /security-groups": `{"security_groups": []}`, "GET /floatingips": `{"floatingips": []}`,
			"GET /lbaas/listeners": `{"listeners": []}`, "GET /lbaas/pools": `{"pools": []}`,
		})
		c.driver.Config.Internal = true
		if left {
			c.answers["GET /security-groups"] = `{"security_groups": [{"id": "g", "name": "lb-sg-u-1-shop-web"}]}`
		}
		in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: idLB}}
		for _, look := range []struct {
			at, status string
			leaves     bool
			asks       bool
		}{
			{at: "nothing", asks: false},
			{at: "the balancer", status: "ACTIVE", asks: true},
			{at: "one that is busy", status: "PENDING_UPDATE"},
			{at: "the balancer again", status: "ACTIVE", asks: left},
			{at: "a balancer that is given up", status: "ACTIVE", leaves: true},
			{at: "one that is being deleted", status: "PENDING_DELETE", leaves: true},
			{at: "what is left", leaves: true, asks: true},
		} {
			lb := `{"id": "` + idLB + `", "provisioning_status": "` + look.status + `", "tags": ["` + tag + `"]}`
			if c.reads, in.Deleting = nil, look.leaves; look.status == "" {
				c.answers[path] = `{"loadbalancers": []}`
				delete(c.answers, path+"/"+idLB)
			} else {
				c.answers[path], c.answers[path+"/"+idLB] = `{"loadbalancers": [`+lb+`]}`, `{"loadbalancer": `+lb+`}`
			}
			o, err := c.driver.Observe(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			s := object.Native.Open(o.Native)
			asked := slices.Contains(c.reads, "/security-groups")
			if asked != look.asks || (len(s.Security.Groups) > 0) != (left && asked) || look.leaves && !o.Found && o.Orphans != left {
				t.Errorf("left %t, a look at %s: asked %q, group %v, found %t, orphans %t", left, look.at, c.reads, s.Security.Groups, o.Found, o.Orphans)
			}
			if in.Last = nil; o.Found {
				in.Last = &o
			}
		}
	}
}

// Before its balancer is deleted a Service is looked for in a list, which shows whether it has another one. Then the id is enough.
func TestSoleBalancer(t *testing.T) {
	const list, other = "/lbaas/loadbalancers", "8b6cbd6b-2f3c-4f0e-9d59-3b8a5b0c1a33"
	type look struct {
		status string // "" for gone
		lists  bool
		names  string // the id that the Service has, idLB when empty
	}
	for name, test := range map[string]struct {
		second string
		looks  []look
	}{
		"alone":                {looks: []look{{"ACTIVE", true, ""}, {"PENDING_DELETE", false, ""}, {"PENDING_DELETE", false, ""}, {"", false, ""}}},
		"gone at once":         {looks: []look{{"ACTIVE", true, ""}, {"", false, ""}}},
		"it does not go":       {looks: []look{{"ACTIVE", true, ""}, {"ACTIVE", false, ""}, {"ACTIVE", true, ""}, {"", false, ""}}},
		"with a second one":    {second: "tags", looks: []look{{"ACTIVE", true, ""}, {"PENDING_DELETE", true, ""}, {"", true, ""}}},
		"with one of its name": {second: "name", looks: []look{{"ACTIVE", true, ""}, {"PENDING_DELETE", true, ""}, {"", true, ""}}},
		"gone by itself":       {looks: []look{{"", true, ""}}},
		"another id is named":  {looks: []look{{"PENDING_UPDATE", true, ""}, {"PENDING_UPDATE", true, other}}},
	} {
		c := newCase(t, map[string]string{"GET /security-groups": `{"security_groups": []}`, "GET /floatingips": `{"floatingips": []}`})
		c.driver.Config.CascadeDelete = true
		in := cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: idLB, Deleting: true}}
		show := func(id, status string) string {
			return fmt.Sprintf(`{"id": %q, "provisioning_status": %q, "name": %q, "tags": [%q]}`, id, status, c.driver.OwnershipTags.Name(web), c.driver.OwnershipTags.Tag(web))
		}
		for n, look := range test.looks {
			var all []string
			if delete(c.answers, "GET "+list+"/"+idLB); look.status != "" {
				all = append(all, show(idLB, look.status))
				c.answers["GET "+list+"/"+idLB] = `{"loadbalancer": ` + all[0] + `}`
			}
			switch test.second {
			case "tags":
				all = append(all, show(other, "ACTIVE"))
			case "name":
				all = append(all, fmt.Sprintf(`{"id": %q, "provisioning_status": "ACTIVE", "name": %q}`, other, c.driver.OwnershipTags.Name(web)))
			}
			c.answers["GET "+list], c.reads = `{"loadbalancers": [`+strings.Join(all, ", ")+`]}`, nil
			in.ID = cmp.Or(look.names, idLB)
			o, err := c.driver.Observe(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if listed := slices.Contains(c.reads, list); listed != look.lists || o.Found != (len(all) > 0) {
				t.Errorf("%s, look %d: asked %q, found %q; want a list: %t", name, n, c.reads, o.ID, look.lists)
			}
			if in.Last = nil; o.Found {
				in.Last = &o
			}
		}
	}
}

// The look after a creation takes from its answer what is behind the listeners, where the pools have the same members still. The next
// look reads all.
func TestAnswerToACreation(t *testing.T) {
	const lb = `"id": "lb", "vip_port_id": "port"`
	const behind = `"members": [{"id": "m", "address": "10.0.0.1", "protocol_port": 30080}], "healthmonitor": {"id": "h", "type": "TCP"}`
	const members, monitors = "/lbaas/pools/p/members", "/lbaas/healthmonitors"
	for name, test := range map[string]struct {
		answer, pool, port string
		want               []string
	}{
		"the same members": {answer: lb + `, "pools": [{"id": "p", ` + behind + `}]`, pool: `"members": [{"id": "m"}], "healthmonitor_id": "h"`, port: "port"},
		"another member":   {answer: lb + `, "pools": [{"id": "p", ` + behind + `}]`, pool: `"members": [{"id": "m"}, {"id": "n"}], "healthmonitor_id": "h"`, port: "port", want: []string{members, monitors}},
		"other members":    {answer: lb + `, "pools": [{"id": "p", ` + behind + `}]`, pool: `"members": [{"id": "n"}], "healthmonitor_id": "h"`, port: "port", want: []string{members, monitors}},
		"another monitor":  {answer: lb + `, "pools": [{"id": "p", ` + behind + `}]`, pool: `"members": [{"id": "m"}], "healthmonitor_id": "i"`, port: "port", want: []string{members, monitors}},
		"another pool":     {answer: lb + `, "pools": [{"id": "q", ` + behind + `}]`, pool: `"members": [{"id": "m"}], "healthmonitor_id": "h"`, port: "port", want: []string{members, monitors}},
		"a silent answer":  {answer: `"id": "lb"`, pool: `"members": [{"id": "m"}], "healthmonitor_id": "h"`, want: []string{members, monitors}},
		"another balancer": {answer: `"id": "other", "pools": [{"id": "p", ` + behind + `}]`, pool: `"members": [{"id": "m"}], "healthmonitor_id": "h"`, want: []string{members, monitors}},
	} {
		c := newCase(t, map[string]string{
			"POST /lbaas/loadbalancers": `{"loadbalancer": {` + test.answer + `}}`,
			"GET /lbaas/listeners":      `{"listeners": [{"id": "l", "protocol_port": 80, "default_pool_id": "p"}]}`,
			"GET /lbaas/pools":          `{"pools": [{"id": "p", "listeners": [{"id": "l"}], ` + test.pool + `}]}`,
			"GET " + members:            `{"members": [{"id": "m"}]}`,
			"GET " + monitors:           `{"healthmonitors": [{"id": "h", "pools": [{"id": "p"}]}]}`,
		})
		kinds := c.driver.ResourceKinds()
		made, err := kinds[slices.IndexFunc(kinds, func(k cloud.ResourceKind) bool { return k.Anchor })].CreateBalancer(t.Context(), cloud.Resource{}, nil)
		if err != nil || made.Chosen["vip_port_id"] != test.port {
			t.Fatalf("%s: made %+v, %v", name, made, err)
		}
		in := cloud.Input{Spec: cloud.Spec{Owner: web, Options: map[string]string{annotation.Adopt.Name: "lb"}}, Known: cloud.Known{ID: "lb", Last: &cloud.Observed{ID: made.ID, Native: made.Native}}}
		now := found{lb: &object.Balancer{ID: "lb", Updated: "2026-11-21T10:00:00"}, read: time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)}
		c.reads = nil
		s, err := c.driver.parts(t.Context(), now, in)
		if err != nil || !slices.Equal(c.reads, append([]string{"/lbaas/listeners", "/lbaas/pools"}, test.want...)) || test.want == nil && s.Members["p"][0].Port != 30080 {
			t.Errorf("%s: read %q, %v; members %+v", name, c.reads, err, s.Members)
		}
		c.reads, in.Last = nil, &cloud.Observed{ID: "lb", Native: object.Native.Seal(s)}
		if _, err = c.driver.parts(t.Context(), now, in); err != nil || (len(c.reads) == 4) != (!made.Native.IsNone() && made.ID == "lb") {
			t.Errorf("%s: the next look read %q, %v", name, c.reads, err)
		}
	}
}

// Tags are written only while they are what they were read as.
func TestTagsThatSomebodyElseHasWritten(t *testing.T) {
	for tags, conflict := range map[string]bool{`["b", "a"]`: false, `["a"]`: true, `["a", "b", "c"]`: true, `[]`: true} {
		c := newCase(t, map[string]string{"GET /lbaas/loadbalancers/lb": `{"loadbalancer": {"id": "lb", "tags": ` + tags + `}}`})
		kinds := c.driver.ResourceKinds()
		kind := kinds[slices.IndexFunc(kinds, func(k cloud.ResourceKind) bool { return k.Anchor })]
		field := cloud.NewField[[]string]("tags")
		present, wanted := cloud.Resource{ID: "lb", Fields: cloud.FieldsOf(field.Is([]string{"a", "b"}))}, cloud.Resource{Fields: cloud.FieldsOf(field.Is([]string{"a"}))}
		err := kind.Update(t.Context(), present, wanted, []string{"tags"})
		if cloud.IsClass(err, cloud.FailureConflict) != conflict || (err == nil) == conflict || (len(c.writes) == 0) != conflict {
			t.Errorf("%s: %v, wrote %q", tags, err, c.writes)
		}
	}
}

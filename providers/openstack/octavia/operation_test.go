package octavia

import (
	"slices"
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
	both := append(d.Marks.WantedMarks(web), d.Marks.WantedMarks(shopAPI)...)
	parts := func(of cloud.Owner) map[string]string {
		tag := `"` + d.Marks.Name(of) + `"`
		return map[string]string{
			"GET /lbaas/listeners":            `{"listeners": [{"id": "ours", "protocol_port": 80, "default_pool_id": "p", "tags": ["` + d.Marks.Name(web) + `"]}, {"id": "theirs", "protocol_port": 81, "default_pool_id": "q", "tags": [` + tag + `]}]}`,
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
		"its own":                    {made: web, tags: d.Marks.WantedMarks(web), others: web, want: []string{listeners, pools, ours, theirs, monitors}},
		"its own goes":               {made: web, tags: d.Marks.WantedMarks(web), others: web, deleting: true},
		"its own goes, part by part": {made: web, tags: d.Marks.WantedMarks(web), others: web, deleting: true, oneByOne: true, want: []string{listeners, pools}},
		"its own is kept":            {made: web, tags: d.Marks.WantedMarks(web), others: web, deleting: true, keeps: true, want: []string{listeners, pools, ours, theirs, monitors}},
		"it leaves":                  {made: web, tags: both, others: shopAPI, deleting: true, want: []string{listeners, pools}},
		"the last one leaves":        {made: shopAPI, tags: d.Marks.WantedMarks(web), others: web, deleting: true, want: []string{listeners}},
		"another one is there still": {made: shopAPI, tags: d.Marks.WantedMarks(web), others: shopAPI, deleting: true, want: []string{listeners, pools}},
	} {
		c := newCase(t, parts(test.others))
		c.driver.Config.CascadeDelete = !test.oneByOne
		lb := object.Balancer{ID: "lb", Name: d.Marks.Name(test.made), Tags: test.tags, Updated: "2026-11-21T10:00:00"}
		spec := cloud.Spec{Ref: cloud.Ref{ID: "lb", Owner: web}, Deleting: test.deleting, Retained: test.keeps, Options: map[string]string{}}
		at := time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)
		s, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, spec)
		if err != nil || !slices.Equal(c.reads, test.want) {
			t.Errorf("%s: read %q, %v; want %q", name, c.reads, err, test.want)
		}
		// The next look takes what has the same stamp, but nothing that was not read.
		c.reads, spec.Deleting, spec.Last = nil, false, &cloud.Observed{Native: s}
		again, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, spec)
		if whole := !test.deleting || test.keeps; err != nil || (len(c.reads) == 0) != whole || len(again.Members["p"]) != 1 || again.Monitors["p"].ID != "h" {
			t.Errorf("%s: then read %q, %v; members %v, monitors %v", name, c.reads, err, again.Members, again.Monitors)
		}
		if test.deleting {
			continue
		}
		c.reads, spec.Options[annotation.Adopt.Name] = nil, "lb" // all that has no other mark is the Service's then
		lb.Tags = d.Marks.WantedMarks(web)
		if _, err := c.driver.parts(t.Context(), found{lb: &lb, read: at}, spec); err != nil || len(c.reads) > 1 {
			t.Errorf("%s: adopted, read %q, %v", name, c.reads, err)
		}
	}
}

// A security group that is left of a time when they were managed is looked for once, and after a look that has shown none.
func TestLeftGroup(t *testing.T) {
	for _, left := range []bool{true, false} {
		answers := map[string]string{"GET /security-groups": `{"security_groups": []}`, "GET /floatingips": `{"floatingips": []}`}
		if left {
			answers["GET /security-groups"] = `{"security_groups": [{"id": "g", "name": "lb-sg-u-1-shop-web"}]}`
		}
		c := newCase(t, answers)
		spec := cloud.Spec{Ref: cloud.Ref{Owner: web}}
		for run, want := range []bool{true, left, left} {
			s := &object.Snapshot{}
			if c.reads = nil; run == 1 {
				s.Guard.None = c.driver.groups.AreNone(spec) // while the balancer is busy
			} else if err := c.driver.addNeighbours(t.Context(), s, spec); err != nil {
				t.Fatal(err)
			}
			if asked := slices.Contains(c.reads, "/security-groups"); run != 1 && asked != want || (s.Guard.Group != nil) != (left && run != 1) {
				t.Errorf("left %t, look %d: asked %t, group %v", left, run, asked, s.Guard.Group)
			}
			spec.Last = &cloud.Observed{Native: s}
		}
	}
}

package octavia

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// TestRefusal: whatever the cloud refuses for good, the nodes behind what serves are kept right, by the same change or by the next one
// of targets, and nothing of it is deleted.
func TestRefusal(t *testing.T) {
	const members = "PUT /lbaas/pools/pool/members"
	for name, test := range map[string]struct {
		refused string
		edit    func(*cloud.Input)
		want    []string // the starts of the requests of all runs
		later   []string // and of a change of targets after them
	}{
		"a pool for another protocol": {
			"POST /lbaas/pools", func(in *cloud.Input) { in.Options[option.ForwardedFor.Name] = "true" },
			[]string{"POST /lbaas/pools"}, []string{members},
		},
		"another algorithm": {
			`PUT /lbaas/pools/pool {"pool":{"lb_algorithm"`, func(in *cloud.Input) { in.Options[option.Method.Name] = "LEAST_CONNECTIONS" },
			[]string{"PUT /lbaas/pools/pool ", members, "PUT /lbaas/pools/pool "}, nil,
		},
		"members": {
			members, func(in *cloud.Input) { in.Options[option.ConnectionLimit.Name] = "7" },
			[]string{members, "PUT /lbaas/listeners/listener", members}, []string{members},
		},
		"a listener of another protocol": {
			"POST /lbaas/listeners", func(in *cloud.Input) { in.Options[option.ForwardedFor.Name] = "true" },
			[]string{"POST /lbaas/pools", "PUT /lbaas/pools/made/members", "POST /lbaas/listeners"}, []string{members},
		},
		"another port": {
			"POST /lbaas/listeners", func(in *cloud.Input) { in.Ports[0].Port = 81 },
			[]string{"POST /lbaas/pools", "PUT /lbaas/pools/made/members", "POST /lbaas/listeners"}, []string{"DELETE /lbaas/pools/made"}, // nothing leads to it
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCase(t, nil)
			c.refused = test.refused
			in := specOf(map[string]string{option.Internal.Name: "true"})
			in.Ports, in.ID = in.Ports[:1], "lb"
			in.Candidates = []cloud.Target{{InstanceID: "one", NodeName: "one", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.10.0.11"}}}}
			s := serving(c.driver, in.Spec)
			test.edit(&in)
			c.runs(s, in)
			c.began(test.want...)
			c.writes = nil
			before := c.driver.observed(s, in)
			after := before.Balancer.Clone()
			after.Targets = []cloud.InstanceID{"one"}
			_, _ = apply(t, c.driver, cloud.Change{Input: in, Before: before, After: &after})
			c.began(test.later...)
		})
	}
}

// began checks how the requests begin.
func (c *table) began(starts ...string) {
	c.Helper()
	if len(c.writes) != len(starts) {
		c.Fatalf("wrote\n%s\nwant\n%s", strings.Join(c.writes, "\n"), strings.Join(starts, "\n"))
	}
	for i, want := range starts {
		if !strings.HasPrefix(c.writes[i], want) {
			c.Errorf("request %d is %s, want %s", i, c.writes[i], want)
		}
	}
}

// TestRefusedMembers: the kernel learns which machines a refused request was to make members, and lets the others in.
func TestRefusedMembers(t *testing.T) {
	machine := func(id cloud.InstanceID, address string) cloud.Target {
		return cloud.Target{InstanceID: id, NodeName: string(id), Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: address}}}
	}
	for name, test := range map[string]struct {
		refused string
		serial  bool
		perhaps bool
		tooMany bool
	}{
		"too many":              {refused: "PUT /lbaas/pools/pool/members", tooMany: true},
		"too many, one by one":  {refused: "POST /lbaas/pools/pool/members", serial: true, tooMany: true},
		"one, or anything else": {refused: "POST /lbaas/loadbalancers", perhaps: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCase(t, nil)
			c.driver.Config.Serial, c.refused, c.invalid = test.serial, test.refused, test.perhaps
			in := specOf(map[string]string{option.Internal.Name: "true", option.Subnet.Name: idNode})
			in.Ports = in.Ports[:1]
			in.Candidates = []cloud.Target{machine("one", "10.10.0.11"), machine("two", "10.10.0.12")}
			before := cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}
			if !test.perhaps {
				s := serving(c.driver, in.Spec)
				in.ID, in.Findings = "lb", desired.Found.Seal(c.driver.findings(s, in))
				before = c.driver.observed(s, in)
			}
			after, _, err := c.driver.Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			after.Targets = []cloud.InstanceID{"one", "two"}
			_, err = apply(t, c.driver, cloud.Change{Input: in, Before: before, After: &after})
			var asked []cloud.InstanceID
			for _, refused := range cloud.RefusedTargets(err) {
				asked = append(asked, refused.Asked...)
				if refused.TooMany != test.tooMany || refused.Perhaps != test.perhaps {
					t.Errorf("%+v", refused)
				}
			}
			if !slices.Equal(asked, after.Targets) {
				t.Errorf("asked for %v: %v", asked, err)
			}
		})
	}
}

// TestRefusedCreation asks for nothing that would belong to a balancer that is not made.
func TestRefusedCreation(t *testing.T) {
	for _, serial := range []bool{false, true} {
		c := newCase(t, nil)
		c.driver.Config.Serial, c.refused = serial, "POST /lbaas/loadbalancers"
		in := specOf(map[string]string{option.Internal.Name: "true", option.Subnet.Name: idNode, option.Monitor.Name: "true", option.MonitorDelay.Name: "5", option.MonitorTimeout.Name: "3"})
		after, _, err := c.driver.Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		after.Targets = nil
		_, err = apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &after})
		if api.Classify(err).Class != cloud.FailureQuota || len(c.writes) != 1 {
			t.Errorf("serial %t: %v, wrote %q", serial, err, c.writes)
		}
	}
}

// serving is a balancer as the spec asks for it, without members.
func serving(d *Balancers, spec cloud.Spec) *object.Snapshot {
	return &object.Snapshot{
		LB: object.Balancer{ID: "lb", Name: d.OwnershipTags.Name(web), Description: d.OwnershipTags.Description(tag.Balancer, web), Tags: d.OwnershipTags.WantedOwnershipTags(web), Port: idVIP, Address: "10.10.0.9", Provisioning: object.StatusActive, Provider: "amphora"},
		Listeners: []object.Listener{{
			ID: "listener", Name: d.OwnershipTags.ChildName("listener", 0, web), Protocol: "TCP", Port: spec.Ports[0].Port, Pool: "pool", Tags: []string{d.OwnershipTags.Name(web)}, ConnectionLimit: -1,
			AllowedCIDRs: []string{"0.0.0.0/0"}, ClientData: 50000, MemberConnect: 5000, MemberData: 50000,
		}},
		Pools:    map[string]object.Pool{"pool": {ID: "pool", Name: d.OwnershipTags.ChildName("pool", 0, web), Protocol: "TCP", Method: config.MethodRoundRobin, Listeners: []object.Reference{{ID: "listener"}}}},
		Members:  map[string][]object.Member{},
		Monitors: map[string]object.Monitor{},
	}
}

// runs lets runs follow each other until one ends with nothing but a refusal. What was made and
// written is then there.
func (c *table) runs(s *object.Snapshot, in cloud.Input) {
	c.Helper()
	for range 10 {
		in.Findings = desired.Found.Seal(c.driver.findings(s, in))
		after, _, err := c.driver.Normalize(in)
		if err != nil {
			c.Fatal(err)
		}
		for _, t := range in.Candidates {
			after.Targets = append(after.Targets, t.InstanceID)
		}
		progress, err := apply(c.T, c.driver, cloud.Change{Input: in, Before: c.driver.observed(s, in), After: &after})
		if !progress.Pending {
			if api.Classify(err).Class != cloud.FailureQuota {
				c.Fatalf("the last run ended with %v", err)
			}
			return
		}
		c.keep(s, in.Spec, c.writes[len(c.writes)-1])
	}
	c.Fatalf("no end: %q", c.writes)
}

// keep makes the change of a request in the snapshot.
func (c *table) keep(s *object.Snapshot, spec cloud.Spec, request string) {
	c.Helper()
	switch path, _, _ := strings.Cut(request, " {"); path {
	case "POST /lbaas/pools":
		s.Pools["made"] = object.Pool{ID: "made", Name: c.driver.OwnershipTags.ChildName("pool", 0, web), Protocol: map[bool]string{true: "HTTP", false: "TCP"}[strings.Contains(request, `"protocol":"HTTP"`)], Method: config.MethodRoundRobin}
	case "PUT /lbaas/pools/pool/members", "PUT /lbaas/pools/made/members":
		id := strings.Split(path, "/")[3]
		s.Members[id] = []object.Member{{Name: "one", Address: "10.10.0.11", Port: spec.Ports[0].NodePort, Weight: 1, Enabled: true}}
	case "PUT /lbaas/listeners/listener":
		s.Listeners[0].ConnectionLimit = 7
	default:
		c.Fatalf("request %s", request)
	}
}

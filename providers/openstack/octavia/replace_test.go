package octavia

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// TestFloatingIPFollows: the floating IP that was made for the Service, or that it chose, stays at the
// balancer that serves while another one is made beside it, which has its address already.
func TestFloatingIPFollows(t *testing.T) {
	d := unconnected()
	ours := &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: idVIP, Description: d.OwnershipTags.OwnDescription(tag.FloatingIP, web)}
	upstreams := &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: idVIP, Description: d.OwnershipTags.Description(tag.FloatingIP, web)}
	former := &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: idVIP, Description: "Floating IP for Kubernetes external service shop/web from cluster old (uid u-1)"}
	users := &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: idVIP, Description: "the office"}
	described := `PUT /floatingips/fip {"floatingip":{"description":"` + d.OwnershipTags.OwnDescription(tag.FloatingIP, web) + `","port_id":"` + idVIP + `"}}`
	for name, test := range map[string]struct {
		at      *object.FloatingIP
		address string
		want    string // the start of the only write, "" for none
	}{
		"ours":             {ours, "", ""},
		"of a former name": {former, "", ""}, // it is described anew when it is at the new one
		"upstream's":       {upstreams, "", described},
		"the chosen one":   {users, "172.24.0.8", ""},
		"one that was not": {users, "", "POST /floatingips"},
		"none":             {nil, "", "POST /floatingips"},
	} {
		c := newCase(t, checked())
		in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic})
		in.LoadBalancerIP = test.address
		in.Beside = &cloud.Observed{ID: "old", Found: true, Native: object.Native.Seal(&object.Snapshot{LB: object.Balancer{ID: "old", Port: idVIP, Tags: []string{"ccm:cluster=prod&uid=u-1", "kube_service_old_shop_web"}}, Floating: test.at})}
		s := &object.Snapshot{LB: object.Balancer{ID: "new", Port: "new", Address: "10.0.0.9"}}
		_, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(s)}, After: &cloud.Balancer{Scope: cloud.ScopeExternal}})
		if err != nil || test.want == "" != (len(c.writes) == 0) || len(c.writes) > 1 || !strings.HasPrefix(strings.Join(c.writes, ""), test.want) {
			t.Errorf("%s: %v, wrote %q, want %q", name, err, c.writes, test.want)
		}
		follows := !strings.HasPrefix(test.want, "POST")
		if scope := c.driver.observedScope(s, in); (scope == cloud.ScopeExternal) != follows {
			t.Errorf("%s: scope %s", name, scope)
		}
		if got := c.driver.addressesOf(s, in)[0].IP; (got == "172.24.0.8") != follows {
			t.Errorf("%s: address %s", name, got)
		}
	}
}

// TestFloatingIPIsMoved: the floating IP at another balancer of the Service, which this one has
// replaced, comes along in one request. What is attached to anything else stays there.
func TestFloatingIPIsMoved(t *testing.T) {
	d := unconnected()
	moved := `PUT /floatingips/fip {"floatingip":{"port_id":"new"}}`
	for name, test := range map[string]struct {
		ownershipTags []string
		address       string
		want          string
	}{
		"the one it replaced":             {d.OwnershipTags.WantedOwnershipTags(web), "", moved},
		"another Service's":               {d.OwnershipTags.WantedOwnershipTags(shopAPI), "", "POST /floatingips"},
		"a restored cluster's":            {d.OwnershipTags.WantedOwnershipTags(twin), "", "POST /floatingips"},
		"nobody's":                        {nil, "", "POST /floatingips"},
		"chosen, of the one it replaced":  {d.OwnershipTags.WantedOwnershipTags(web), "172.24.0.8", moved},
		"chosen, in use by somebody else": {d.OwnershipTags.WantedOwnershipTags(shopAPI), "172.24.0.8", ""},
	} {
		answers := checked()
		lb, err := json.Marshal(map[string]any{"loadbalancers": []map[string]any{{"id": "old", "vip_port_id": idVIP, "tags": test.ownershipTags}}})
		if err != nil {
			t.Fatal(err)
		}
		answers["GET /lbaas/loadbalancers"] = string(lb)
		answers["GET /floatingips?172.24.0.8"] = `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.8", "port_id": "` + idVIP + `"}]}`
		c := newCase(t, answers)
		in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic})
		in.LoadBalancerIP = test.address
		s := &object.Snapshot{LB: object.Balancer{ID: "new", Port: "new"}, OnOtherPort: &object.FloatingIP{ID: "fip", Port: idVIP, Description: d.OwnershipTags.OwnDescription(tag.FloatingIP, web)}}
		_, err = apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(s)}, After: &cloud.Balancer{Scope: cloud.ScopeExternal}})
		if (err == nil) != (test.want != "") || !strings.HasPrefix(strings.Join(c.writes, " and "), test.want) || len(c.writes) > 1 {
			t.Errorf("%s: %v, wrote %q, want %q", name, err, c.writes, test.want)
		}
	}
}

// TestDeletionForAnother: what the Service has once stays for the balancer that follows or serves.
func TestDeletionForAnother(t *testing.T) {
	d := unconnected()
	tagged := `"description":"` + d.OwnershipTags.OwnDescription(tag.FloatingIP, web) + `"`
	for name, test := range map[string]struct {
		change cloud.Change
		want   string // what becomes of the floating IP
	}{
		"another follows": {cloud.Change{Replaced: true}, `PUT /floatingips/fip {"floatingip":{` + tagged + `,"port_id":null}}`},
		"another serves":  {cloud.Change{Input: cloud.Input{Known: cloud.Known{Beside: &cloud.Observed{ID: "new"}}}}, `DELETE /floatingips/fip`},
	} {
		c := newCase(t, nil)
		c.driver.Config.CascadeDelete = true
		s := &object.Snapshot{
			LB:       object.Balancer{ID: "old", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web), Port: "old"},
			Floating: &object.FloatingIP{ID: "fip", Port: "old", Description: d.OwnershipTags.Description(tag.FloatingIP, web)},
			Free:     &object.FloatingIP{ID: "free", Description: d.OwnershipTags.OwnDescription(tag.FloatingIP, web)},
			Security: object.Security{Groups: []object.SecurityGroup{{ID: "group"}}},
		}
		test.change.Input.Owner, test.change.Before = web, cloud.Observed{Found: true, ID: "old", Native: object.Native.Seal(s)}
		if _, err := apply(t, c.driver, test.change); err != nil {
			t.Fatal(err)
		}
		c.wrote(name, test.want, "DELETE /lbaas/loadbalancers/old")
	}
}

func TestCoexist(t *testing.T) {
	d := unconnected()
	before := cloud.Observed{ID: "old", Found: true, Native: object.Native.Seal(&object.Snapshot{LB: object.Balancer{ID: "old", Name: d.OwnershipTags.Name(web), Tags: d.OwnershipTags.WantedOwnershipTags(web), Address: "10.0.0.9", Port: idVIP}})}
	for name, test := range map[string]struct {
		options map[string]string
		address string
		before  cloud.Observed
		want    bool
	}{
		"plain":             {nil, "", before, true},
		"the same floating": {nil, "172.24.0.8", before, true},
		"the same address":  {map[string]string{option.Internal.Name: "true"}, "10.0.0.9", before, false},
		"another address":   {map[string]string{option.Internal.Name: "true"}, "10.0.0.10", before, true},
		"the same port":     {map[string]string{option.Port.Name: idVIP}, "", before, false},
		"somebody else's":   {nil, "", cloud.Observed{Native: object.Native.Seal(&object.Snapshot{LB: object.Balancer{ID: "old", Name: d.OwnershipTags.Name(shopAPI), Tags: d.OwnershipTags.WantedOwnershipTags(shopAPI)}})}, false},
	} {
		in := specOf(test.options)
		in.LoadBalancerIP = test.address
		if reason := d.Coexist(in, test.before); (reason == "") != test.want {
			t.Errorf("%s: %q", name, reason)
		}
	}
}

// TestRestored: a balancer that has to be made again is made as it was, whatever the Service asks for
// now.
func TestRestored(t *testing.T) {
	c := newCase(t, nil)
	in := specOf(map[string]string{option.Subnet.Name: idNone, option.Flavor.Name: idNone, option.Network.Name: idNone})
	in.LoadBalancerIP = "172.24.0.99"
	in.Preserved = map[string]string{desired.FieldSubnet: idNode, desired.FieldNetwork: idNodes, desired.FieldFlavor: idFlavor, desired.FieldFloatingIP: "172.24.0.8", desired.FieldProvider: "octavia"}
	after, _, err := c.driver.Normalize(in)
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.driver.Resources(t.Context(), cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &after})
	if err != nil {
		t.Fatal(err)
	}
	body := sentBody(resource.Find(made.Wanted, resource.TheBalancer(in.Spec)).Fields)
	for field, want := range map[string]string{"vip_subnet_id": idNode, "vip_network_id": idNodes, "flavor_id": idFlavor, "provider": "octavia"} {
		if body[field] != want {
			t.Errorf("%s is %v, want %s", field, body[field], want)
		}
	}
	if got := c.driver.PlaceOf(in).FloatingAddress; got != "172.24.0.8" {
		t.Errorf("the floating IP is %s", got)
	}
}

// TestRenamedCluster: all parts follow the name of the cluster, the balancer's own name last.
func TestRenamedCluster(t *testing.T) {
	c := newCase(t, checked())
	old, d := unconnected(), c.driver
	d.OwnershipTags.ClusterName = "renamed"
	in := specOf(map[string]string{option.Monitor.Name: "true", option.MonitorDelay.Name: "5", option.MonitorTimeout.Name: "3", option.MonitorRetries.Name: "1", option.MonitorRetriesDown.Name: "3"})
	in.Ports, in.ID = in.Ports[:1], "lb"
	s := &object.Snapshot{
		LB: object.Balancer{ID: "lb", Name: old.OwnershipTags.Name(web), Description: old.OwnershipTags.Description(tag.Balancer, web), Tags: old.OwnershipTags.WantedOwnershipTags(web), Port: idVIP, Address: "10.0.0.9", Provisioning: object.StatusActive, Provider: "amphora"},
		Listeners: []object.Listener{{
			ID: "listener", Name: old.OwnershipTags.ChildName("listener", 0, web), Protocol: "TCP", Port: 80, Pool: "pool", Tags: []string{old.OwnershipTags.Name(web)}, ConnectionLimit: -1,
			AllowedCIDRs: []string{"0.0.0.0/0"}, ClientData: 50000, MemberConnect: 5000, MemberData: 50000,
		}},
		Pools:    map[string]object.Pool{"pool": {ID: "pool", Name: old.OwnershipTags.ChildName("pool", 0, web), Protocol: "TCP", Method: config.MethodRoundRobin, Monitor: "monitor", Listeners: []object.Reference{{ID: "listener"}}}},
		Members:  map[string][]object.Member{},
		Monitors: map[string]object.Monitor{"pool": {ID: "monitor", Name: old.OwnershipTags.ChildName("monitor", 0, web), Type: "TCP", Delay: 5, Timeout: 3, Retries: 1, RetriesDown: 3}},
		Floating: &object.FloatingIP{ID: "fip", Address: "172.24.0.8", Port: idVIP, Description: old.OwnershipTags.OwnDescription(tag.FloatingIP, web)},
	}
	var order []string
	for range 10 {
		in.Findings = desired.Found.Seal(d.findings(s, in))
		c.answers["GET /lbaas/loadbalancers/lb"] = `{"loadbalancer": {"id": "lb", "tags": ["` + strings.Join(s.LB.Tags, `", "`) + `"]}}`
		after, _, err := d.Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		if progress, err := apply(t, d, cloud.Change{Input: in, Before: d.observed(s, in), After: &after}); err != nil {
			t.Fatal(err)
		} else if !progress.Pending {
			break
		}
		for _, request := range c.writes {
			order = append(order, store(t, s, request))
		}
		c.writes = nil
	}
	if len(c.writes) > 0 {
		t.Errorf("all is renamed, and still %q", c.writes)
	}
	for what, name := range map[string]string{
		"balancer": s.LB.Name, "description": s.LB.Description, "listener": s.Listeners[0].Name, "pool": s.Pools["pool"].Name,
		"monitor": s.Monitors["pool"].Name, "floating IP": s.Floating.Description, "tags": strings.Join(append(s.LB.Tags, s.Listeners[0].Tags...), " "),
	} {
		if strings.Contains(name, "kubernetes") || !strings.Contains(name, "renamed") {
			t.Errorf("%s: %q", what, name)
		}
	}
	if len(order) == 0 || order[len(order)-1] != "PUT /lbaas/loadbalancers/lb name" {
		t.Errorf("order %q", order)
	}
}

// store makes a change of names and tags in the snapshot.
func store(t *testing.T, s *object.Snapshot, request string) string {
	t.Helper()
	fields := fieldsOf(t, request)
	path, _, _ := strings.Cut(request, " {")
	name, named := fields["name"].(string)
	var tags []string
	for _, tag := range anys(fields["tags"]) {
		tags = append(tags, tag.(string))
	}
	switch path {
	case "PUT /lbaas/loadbalancers/lb":
		if named {
			s.LB.Name = name
			if description, described := fields["description"].(string); described {
				s.LB.Description = description
			}
		}
		if tags != nil {
			s.LB.Tags = tags
		}
	case "PUT /lbaas/listeners/listener":
		s.Listeners[0].Name, s.Listeners[0].Tags = name, tags
	case "PUT /lbaas/pools/pool":
		p := s.Pools["pool"]
		p.Name = name
		s.Pools["pool"] = p
	case "PUT /lbaas/healthmonitors/monitor":
		m := s.Monitors["pool"]
		m.Name = name
		s.Monitors["pool"] = m
	case "PUT /floatingips/fip":
		s.Floating.Description = fields["description"].(string)
	default:
		t.Fatalf("request %s", request)
	}
	if named {
		path += " name"
	}
	return path
}

func anys(value any) []any {
	list, _ := value.([]any)
	return list
}

// TestNoteOfAddressesWithoutFloatingIP: Neutron has floating IPs for IPv4 only, and the Service is told.
func TestNoteOfAddressesWithoutFloatingIP(t *testing.T) {
	for name, test := range map[string]struct {
		ipv6, dual, internal bool
		want                 string
	}{
		"IPv4":           {},
		"IPv6":           {ipv6: true, want: "an IPv6 address gets no floating IP"},
		"both":           {dual: true, want: "only the IPv4 address gets a floating IP"},
		"internal, IPv6": {ipv6: true, internal: true},
		"internal, both": {dual: true, internal: true},
	} {
		in := specOf(map[string]string{})
		in.IPv6, in.DualStack = test.ipv6, test.dual
		if test.internal {
			in.Options[option.Internal.Name] = "true"
		}
		_, notes, err := unconnected().Normalize(in)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, note := range notes {
			if strings.Contains(note.Message, "floating IP") {
				said = append(said, note.Message)
			}
		}
		if text := strings.Join(said, "; "); (text == "") != (test.want == "") || !strings.Contains(text, test.want) {
			t.Errorf("%s: %q, want %q", name, text, test.want)
		}
	}
}

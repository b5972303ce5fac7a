package digitalocean_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// asUpstream adds a balancer as the upstream CCM makes them for a Service with the ports 80
// and 443 on the pool.
func asUpstream(name string, edits ...func(*do.Balancer)) do.Balancer {
	off := false
	b := do.Balancer{
		Name: name, Type: do.TypeRegionalNetwork, Network: do.NetworkExternal, NetworkStack: do.StackIPv4,
		SizeUnit: 1, Algorithm: "round_robin", TLSCipherPolicy: "DEFAULT", VPCUUID: pool[0].VPC,
		ForwardingRules: []do.ForwardingRule{
			{EntryProtocol: "tcp", EntryPort: 80, TargetProtocol: "tcp", TargetPort: 80},
			{EntryProtocol: "tcp", EntryPort: 443, TargetProtocol: "tcp", TargetPort: 443},
		},
		HealthCheck: do.HealthCheck{
			Protocol: "http", Port: 10256, Path: "/healthz", CheckIntervalSeconds: 3, ResponseTimeoutSeconds: 5,
			HealthyThreshold: 5, UnhealthyThreshold: 3, ProxyProtocol: &off,
		},
		StickySessions: do.StickySessions{Type: "none"},
		Tags:           []string{"k8s:lab"}, DropletIDs: ids(pool...),
	}
	for _, edit := range edits {
		edit(&b)
	}
	id := env.Cloud.LoadBalancers.Add(b)
	return *find(env.Cloud.State(), id)
}

// discard deletes a balancer that nobody manages, if it is still there.
func discard(b do.Balancer) { _ = env.Cloud.LoadBalancers.Delete(b.ID) }

// find returns a balancer by id, nil when there is none.
func find(state do.State, id string) *do.Balancer {
	for i := range state.Balancers {
		if state.Balancers[i].ID == id {
			return &state.Balancers[i]
		}
	}
	return nil
}

// dormant makes a Service that has no balancer yet.
func dormant(t *testing.T, annotations map[string]string) *service {
	t.Helper()
	return create(t, annotations, func(svc *corev1.Service) { svc.Spec.Type = corev1.ServiceTypeNodePort })
}

// changesOf lists the requests that change one balancer, tags included. The firewall names
// balancers too.
func changesOf(b do.Balancer) []string {
	var list []string
	for _, r := range env.Cloud.Requests() {
		if r.Method != "GET" && !strings.HasPrefix(r.Path, "/v2/firewalls") && (strings.Contains(r.Path, b.ID) || strings.Contains(r.Body, b.ID)) {
			list = append(list, r.Method+" "+strings.ReplaceAll(r.Path, b.ID, "{id}"))
		}
	}
	return list
}

// creations counts the balancers that were asked for under a name.
func creations(name string) int {
	n := 0
	for _, r := range env.Cloud.Requests() {
		if r.Method == "POST" && r.Path == "/v2/load_balancers" && strings.Contains(r.Body, fmt.Sprintf("%q", name)) {
			n++
		}
	}
	return n
}

// TestAdoptUpstream: what upstream left behind keeps its id and address. A balancer with
// upstream's default name, which holds the UID, costs no write until something else changes; one
// with another name gets our ownership tags and nothing but them.
func TestAdoptUpstream(t *testing.T) {
	parallel(t)
	custom := func() string { return fmt.Sprintf("shop-%d", serial.Add(1)) }
	for name, test := range map[string]struct {
		recorded, named bool
		edit            func(*do.Balancer)
	}{
		"with id":                 {recorded: true, edit: func(*do.Balancer) {}},
		"without id":              {edit: func(*do.Balancer) {}},
		"custom name with id":     {recorded: true, named: true, edit: func(*do.Balancer) {}},
		"custom name without id":  {named: true, edit: func(*do.Balancer) {}},
		"no tags, with id":        {recorded: true, edit: func(b *do.Balancer) { b.Tags = nil }},
		"no tags, without id":     {edit: func(b *do.Balancer) { b.Tags = nil }},
		"size and cipher by hand": {recorded: true, edit: func(b *do.Balancer) { b.SizeUnit, b.TLSCipherPolicy = 4, "STRONG" }},
		"another tag by hand":     {edit: func(b *do.Balancer) { b.Tags = append(b.Tags, "team-a") }},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			annotations := map[string]string{upstream + "type": do.TypeRegionalNetwork}
			s := dormant(t, annotations)
			wanted := s.legacyName()
			if test.named {
				wanted = custom()
				s.annotate(map[string]string{upstream + "name": wanted})
			}
			before := asUpstream(wanted, test.edit)
			if test.recorded {
				s.annotate(map[string]string{idKey: before.ID})
			}
			s.expose()
			if test.named {
				s.balancer(s.tagged)
			}
			svc, after := s.ready()
			if err := serves(svc, before); err != nil {
				t.Error(err)
			}
			if test.named { // upstream's own name holds the UID: that one was ours all the time
				s.event("LoadBalancerAdopted", before.ID)
			}
			compareAdopted(t, before, after)
			if n := creations(wanted); n != 0 {
				t.Errorf("%d balancers were created", n)
			}
			tagging := 0
			for _, change := range changesOf(before) {
				if !strings.HasPrefix(change, "POST /v2/tags") {
					t.Errorf("more than marks changed: %s", change)
				}
				tagging++
			}
			if !test.named {
				if tagging > 0 {
					t.Errorf("the switch cost %d writes: %q", tagging, changesOf(before))
				}
				s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.250"})
				s.balancer(s.tagged)
			}
		})
	}
}

// compareAdopted expects the same balancer with more tags.
func compareAdopted(t *testing.T, before, after do.Balancer) {
	t.Helper()
	for _, tag := range before.Tags {
		if !slices.Contains(after.Tags, tag) {
			t.Errorf("the tag %s is lost", tag)
		}
	}
	after.Tags = before.Tags
	if summary(after) != summary(before) {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %s", summary(before), summary(after))
	}
}

// TestAdoptByID gives a new Service an existing balancer that has nothing to do with it.
func TestAdoptByID(t *testing.T) {
	parallel(t)
	before := asUpstream(fmt.Sprintf("by-hand-%d", serial.Add(1)), func(b *do.Balancer) { b.Tags = nil })
	s := create(t, map[string]string{idKey: before.ID})
	b := s.balancer(func(b *do.Balancer) error { return same(b.Name, s.legacyName()) })
	if b.ID != before.ID || b.IP != before.IP {
		t.Errorf("the balancer is %s with %s, not %s with %s", b.ID, b.IP, before.ID, before.IP)
	}
	svc, _ := s.ready()
	if err := serves(svc, before); err != nil {
		t.Error(err)
	}
	refuses(s, map[string]string{idKey: "no such form!"}, idKey, "no such form!", "the UUID of a load balancer")
	refuses(s, map[string]string{idKey: "10"}, idKey, "10", "the UUID of a load balancer")
	s.unset(idKey)
	s.proof()
	s.await(serving(before))
}

// TestForeign: a balancer of the wanted name that is another cluster's or another Service's is not
// touched, and the Service gets its own: names are unique nowhere.
func TestForeign(t *testing.T) {
	parallel(t)
	for name, tags := range map[string][]string{
		"another cluster of upstream": {"k8s:other"},
		"another cluster":             {"k8s:other", "ccm-cluster:other", "ccm-service:default:web:11111111-2222-3333-4444-555555555555"},
		"another service":             {"k8s:lab", "ccm-cluster:kubernetes", "ccm-service:default:other:11111111-2222-3333-4444-555555555555"},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			wanted := fmt.Sprintf("shop-%d", serial.Add(1))
			before := asUpstream(wanted, func(b *do.Balancer) { b.Tags = tags })
			t.Cleanup(func() { discard(before) })
			s := create(t, map[string]string{portable + "name": wanted})
			s.balancer(s.tagged)
			if _, own := s.ready(); own.ID == before.ID {
				t.Error("the Service has the other one's balancer")
			}
			if n := creations(wanted); n != 1 {
				t.Errorf("%d balancers were created", n)
			}
			s.remove()
			untouched(t, before)
		})
	}
}

// untouched expects a balancer as it was.
func untouched(t *testing.T, before do.Balancer) {
	t.Helper()
	after := find(env.Cloud.State(), before.ID)
	if after == nil || summary(*after) != summary(before) || len(changesOf(before)) > 0 {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %v\n%v", summary(before), after, changesOf(before))
	}
}

// TestRefusedByID: the id of a balancer that is somebody else's leads to nothing, and whose it is is
// not told.
func TestRefusedByID(t *testing.T) {
	parallel(t)
	for name, edit := range map[string]func(*do.Balancer){
		"another cluster of upstream": func(b *do.Balancer) { b.Tags = []string{"k8s:prod2"} },
		"upstream's of another UID":   func(b *do.Balancer) { b.Name, b.Tags = "a99999999222243338444555555555555"[:32], nil },
		"another service": func(b *do.Balancer) {
			b.Tags = []string{"k8s:lab", "ccm-service:bank:vault:11111111-2222-3333-4444-555555555555"}
		},
	} {
		for _, key := range []string{idKey, portable + "adopt"} {
			t.Run(name+" "+key, func(t *testing.T) {
				parallel(t)
				before := asUpstream(fmt.Sprintf("shop-%d", serial.Add(1)), edit)
				t.Cleanup(func() { discard(before) })
				s := create(t, map[string]string{key: before.ID})
				s.event("OwnershipConflict", key, before.ID, "there is no load balancer with this id that the Service may use")
				s.remove()
				untouched(t, before)
			})
		}
	}
}

// TestAdoptFromAnotherService: a Service does not get what another one has, and that one is told.
func TestAdoptFromAnotherService(t *testing.T) {
	parallel(t)
	first := create(t, nil)
	_, before := first.ready()
	second := create(t, map[string]string{portable + "adopt": before.ID})
	second.event("OwnershipConflict", before.ID, portable+"adopt")
	first.event("LoadBalancerTakeoverRefused", before.ID)
	second.remove()
	if _, after := first.ready(); after.ID != before.ID || summary(after) != summary(before) {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %s", summary(before), summary(after))
	}
	free := asUpstream(fmt.Sprintf("by-hand-%d", serial.Add(1)), func(b *do.Balancer) { b.Tags = nil })
	third := create(t, map[string]string{portable + "adopt": free.ID})
	third.balancer(third.tagged)
	if _, b := third.ready(); b.ID != free.ID {
		t.Errorf("the balancer is %s and not %s", b.ID, free.ID)
	}
	third.event("LoadBalancerAdopted", free.ID)
	refuses(third, map[string]string{portable + "adopt": "nobody"}, portable+"adopt", "nobody", "the UUID of a load balancer")
}

// TestDisown: nothing is done for the Service, whatever it asks for, not even when it goes.
func TestDisown(t *testing.T) {
	parallel(t)
	for _, key := range []string{portable + "disown", "service.kubernetes.io/do-loadbalancer-disown"} {
		t.Run(key, func(t *testing.T) {
			parallel(t)
			s := create(t, nil)
			svc, before := s.ready()
			t.Cleanup(func() { discard(before) })
			s.annotate(map[string]string{key: "perhaps"})
			s.event("ConfigurationIgnored", key, "perhaps", `"true" or "false"`)
			before = s.proof()

			s.annotate(map[string]string{key: "true"})
			n := len(changesOf(before))
			s.annotate(map[string]string{upstream + "deny-rules": "ip:192.0.2.250"})
			s.kept = true
			s.begin()
			s.gone()
			after := find(env.Cloud.State(), before.ID)
			if after == nil || summary(*after) != summary(before) || len(changesOf(before)) != n {
				t.Errorf("the balancer changed:\nbefore %s\nafter  %v", summary(before), after)
			}
			if len(svc.Status.LoadBalancer.Ingress) == 0 {
				t.Error("the service had no address")
			}
		})
	}
}

// TestRetain keeps the balancer without our ownership tags when the Service goes, and another Service
// can have it then.
func TestRetain(t *testing.T) {
	parallel(t)
	first := create(t, map[string]string{portable + "retain": "maybe"})
	first.event("ConfigurationIgnored", portable+"retain", "maybe", `"true" or "false"`)
	_, before := first.ready()
	first.annotate(map[string]string{portable + "retain": "true"})
	first.proof()
	first.kept = true
	first.begin()
	first.gone()
	first.event("LoadBalancerRetained", before.ID)
	kept := find(env.Cloud.State(), before.ID)
	if kept == nil {
		t.Fatal("the balancer is gone")
	}
	for _, tag := range kept.Tags {
		// The cluster's stay while the name holds the Service's UID.
		if strings.HasPrefix(tag, "ccm-service:") {
			t.Errorf("it still has the mark %s", tag)
		}
	}
	second := create(t, map[string]string{idKey: before.ID})
	second.balancer(second.tagged)
	svc, _ := second.ready()
	if err := serves(svc, before); err != nil {
		t.Error(err)
	}
}

package balancer_test

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
	id := env.Cloud.AddBalancer(b)
	return *find(env.Cloud.State(), id)
}

// discard deletes a balancer that nobody manages, if it is still there.
func discard(b do.Balancer) { _ = env.Cloud.DeleteBalancer(b.ID) }

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

// TestAdoptUpstream: what upstream left behind keeps its id and address, and gets nothing but
// our marks.
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
			s.balancer(s.marked)
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
			for _, change := range changesOf(before) {
				if !strings.HasPrefix(change, "POST /v2/tags") {
					t.Errorf("more than marks changed: %s", change)
				}
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
	if portrait(after) != portrait(before) {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %s", portrait(before), portrait(after))
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
	refuses(s, map[string]string{idKey: "no such form!"}, idKey, "no such form!", "an id of letters")
	s.unset(idKey)
	s.proof()
	s.await(serving(before))
}

// TestForeign: a balancer of the wanted name that is another cluster's, another Service's or
// nobody's is not touched, and no other is made.
func TestForeign(t *testing.T) {
	parallel(t)
	for name, tags := range map[string][]string{
		"another cluster of upstream": {"k8s:other"},
		"another cluster":             {"k8s:other", "ccm-cluster:other", "ccm-uid:11111111-2222-3333-4444-555555555555", "ccm-service:default:web"},
		"another service":             {"k8s:lab", "ccm-cluster:kubernetes", "ccm-uid:11111111-2222-3333-4444-555555555555", "ccm-service:default:other"},
		"nobody":                      nil,
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			wanted := fmt.Sprintf("shop-%d", serial.Add(1))
			before := asUpstream(wanted, func(b *do.Balancer) { b.Tags = tags })
			t.Cleanup(func() { discard(before) })
			s := create(t, map[string]string{portable + "name": wanted})
			s.event("OwnershipConflict", before.ID)
			s.event("SyncLoadBalancerFailed", before.ID)
			after := find(env.Cloud.State(), before.ID)
			if after == nil || portrait(*after) != portrait(before) {
				t.Errorf("the balancer changed:\nbefore %s\nafter  %v", portrait(before), after)
			}
			if n := creations(wanted); n != 0 {
				t.Errorf("%d balancers were created", n)
			}
			s.remove()
			if changed := changesOf(before); len(changed) > 0 {
				t.Errorf("deleting the service changed the balancer: %v", changed)
			}
		})
	}
}

// TestAdoptFromAnotherService takes a balancer from a Service that does not want it any more.
func TestAdoptFromAnotherService(t *testing.T) {
	parallel(t)
	first := create(t, map[string]string{portable + "disown": "false"})
	_, b := first.ready()
	second := create(t, map[string]string{idKey: b.ID})
	second.event("OwnershipConflict", b.ID, portable+"adopt")

	first.annotate(map[string]string{portable + "disown": "true"})
	second.annotate(map[string]string{portable + "adopt": b.ID})
	second.balancer(second.marked)
	svc, after := second.ready()
	if err := serves(svc, b); err != nil || after.ID != b.ID {
		t.Errorf("the balancer is %s and not %s: %v", after.ID, b.ID, err)
	}
	second.event("LoadBalancerAdopted", b.ID)
	first.remove()
	if find(env.Cloud.State(), b.ID) == nil {
		t.Error("deleting the first service deleted the balancer of the second")
	}
	refuses(second, map[string]string{portable + "adopt": "nobody"}, portable+"adopt", "nobody", b.ID)
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
			if after == nil || portrait(*after) != portrait(before) || len(changesOf(before)) != n {
				t.Errorf("the balancer changed:\nbefore %s\nafter  %v", portrait(before), after)
			}
			if len(svc.Status.LoadBalancer.Ingress) == 0 {
				t.Error("the service had no address")
			}
		})
	}
}

// TestRetain keeps the balancer without our marks when the Service goes, and another Service
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
		if strings.HasPrefix(tag, "ccm-") || strings.HasPrefix(tag, "k8s:") {
			t.Errorf("it still has the mark %s", tag)
		}
	}
	second := create(t, map[string]string{idKey: before.ID})
	second.balancer(second.marked)
	svc, _ := second.ready()
	if err := serves(svc, before); err != nil {
		t.Error(err)
	}
}

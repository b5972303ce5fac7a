package openstack_test

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
)

// configRows are about keys of [LoadBalancer]. Each makes a new balancer.
func configRows(o objects) []row {
	monitored := map[string]string{"create-monitor": "true"}
	section := func(key string) string { return "[LoadBalancer] " + key }
	return []row{
		{key: section("lb-method"), value: "SOURCE_IP", read: poolField("lb_algorithm"), changed: "SOURCE_IP", standard: "ROUND_ROBIN"},
		{key: section("subnet-id"), value: o.other, read: balancerField("vip_subnet_id"), changed: o.other, standard: o.subnet},
		{key: section("network-id"), value: o.otherNetwork, read: balancerField("vip_network_id"), changed: o.otherNetwork, standard: o.network},
		{key: section("member-subnet-id"), value: o.subnet, settings: map[string]string{"subnet-id": o.other}, read: memberSubnets, changed: fmt.Sprint([]any{o.subnet}), standard: fmt.Sprint([]any{o.other})},
		{key: section("create-monitor"), value: "true", read: monitorField("type"), changed: "TCP", standard: nil},
		{key: section("monitor-delay"), value: "7s", settings: monitored, read: monitorField("delay"), changed: 7.0, standard: 5.0},
		{key: section("monitor-timeout"), value: "4", settings: monitored, read: monitorField("timeout"), changed: 4.0, standard: 3.0},
		{key: section("monitor-max-retries"), value: "2", settings: monitored, read: monitorField("max_retries"), changed: 2.0, standard: 1.0},
		{key: section("monitor-max-retries-down"), value: "4", settings: monitored, read: monitorField("max_retries_down"), changed: 4.0, standard: 3.0},
		{key: section("internal-lb"), value: "true", read: floats, changed: false, standard: true},
		{key: section("node-selector"), value: "pool=p1", read: memberNames, changed: "node-1", standard: "node-0 node-1"},
		{key: section("flavor-id"), value: o.flavor, read: balancerField("flavor_id"), changed: o.flavor, standard: nil},
		{key: section("availability-zone"), value: o.zone, read: balancerField("availability_zone"), changed: o.zone, standard: nil},
		{key: section("floating-subnet-id"), value: o.far, settings: map[string]string{"floating-network-id": o.external}, read: o.isFar, changed: true, standard: false},
		{key: section("floating-subnet"), value: o.farName, settings: map[string]string{"floating-network-id": o.external}, read: o.isFar, changed: true, standard: false},
		{key: section("floating-subnet-tags"), value: o.farName, settings: map[string]string{"floating-network-id": o.external}, read: o.isFar, changed: true, standard: false},
		{key: section("default-tls-container-ref"), value: o.container, read: listenerField("protocol"), changed: "TERMINATED_HTTPS", standard: "TCP"},
	}
}

// TestConfiguration sets keys together that have nothing to do with each other, so that two
// balancers are enough for most of them: one with the keys and one without.
func TestConfiguration(t *testing.T) {
	s := newSite(t, siteOptions{})
	o := s.objects()
	plain := s.service("plain")
	s.ensure(plain)
	s.away(&o, s.look(plain))
	s.remove(plain)
	for name, rows := range batches(configRows(o)) {
		t.Run(name, func(t *testing.T) {
			with, without := "[LoadBalancer]\n", "[LoadBalancer]\n"
			for _, r := range rows {
				for key, value := range r.settings {
					line := key + "=" + value + "\n"
					if !strings.Contains(with, line) {
						with, without = with+line, without+line
					}
				}
				with += strings.TrimPrefix(r.key, "[LoadBalancer] ") + "=" + r.value + "\n"
			}
			for i, config := range []string{with, without} {
				here := on(t, s.project, s.nodes, siteOptions{config: config})
				svc := here.service(fmt.Sprintf("web-%d", i))
				here.ensure(svc)
				for _, r := range rows {
					want := r.standard
					if i == 0 {
						want = r.changed
					}
					here.shows(r, svc, want)
				}
				here.remove(svc)
			}
		})
	}
}

// batches puts rows together whose settings can't get in each other's way.
func batches(rows []row) map[string][]row {
	batch := map[string]string{
		"subnet-id": "subnet", "create-monitor": "subnet", "floating-subnet": "subnet",
		"network-id": "network", "internal-lb": "network",
		"member-subnet-id": "members", "floating-subnet-tags": "members",
	}
	together := map[string][]row{}
	for _, r := range rows {
		name := cmp.Or(batch[strings.TrimPrefix(r.key, "[LoadBalancer] ")], "others")
		together[name] = append(together[name], r)
	}
	return together
}

// TestClass sets every key of a [LoadBalancerClass].
func TestClass(t *testing.T) {
	s := newSite(t, siteOptions{})
	o := s.objects()
	plain := s.service("plain")
	s.ensure(plain)
	s.away(&o, s.look(plain))
	s.remove(plain)
	with := on(t, s.project, s.nodes, siteOptions{config: fmt.Sprintf(
		"[LoadBalancer]\nsubnet-id=%s\n[LoadBalancerClass \"gold\"]\nfloating-network-id=%s\nfloating-subnet=%s\nfloating-subnet-tags=lab\nnetwork-id=%s\nsubnet-id=%s\nmember-subnet-id=%s\n",
		o.subnet, o.external, o.farName, o.otherNetwork, o.other, o.other)})
	for class, want := range map[string]string{"gold": o.other, "": o.subnet} {
		svc := with.service("web"+class, annotated(own+"class", class))
		with.ensure(svc)
		b := with.look(svc)
		if b.lb["vip_subnet_id"] != want || memberSubnets(b) != fmt.Sprint([]any{want}) || b.floating["floating_network_id"] != o.external || o.isFar(b) != (class == "gold") {
			t.Errorf("class %q: balancer in %v, members in %v, floating IP %v", class, b.lb["vip_subnet_id"], memberSubnets(b), b.floating)
		}
		with.remove(svc)
	}
}

// TestFloatingNetwork names a network that is none, which the API refuses; the way it is said
// shows whose word counts.
func TestFloatingNetwork(t *testing.T) {
	s := newSite(t, siteOptions{})
	const annotatedID, configured = "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000c"
	wrong := on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nfloating-network-id=" + configured + "\n"})
	svc := s.service("web", annotated(own+"floating-network-id", annotatedID))
	for _, step := range []struct {
		here *site
		want string
	}{{wrong, annotatedID}, {s, annotatedID}} {
		if err := step.here.try(svc); err == nil || !strings.Contains(err.Error(), step.want) {
			t.Errorf("error %v, want one about %s", err, step.want)
		}
	}
	delete(svc.Annotations, own+"floating-network-id")
	if err := wrong.try(svc); err == nil || !strings.Contains(err.Error(), configured) {
		t.Errorf("error %v, want one about %s", err, configured)
	}
	s.ensure(svc)
	if b := s.look(svc); text(b.floating, "floating_network_id") != s.project.ExternalID {
		t.Errorf("floating IP %v", b.floating)
	}
	s.remove(svc)
}

func TestSwitchedOff(t *testing.T) {
	s := newSite(t, siteOptions{})
	off := on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nenabled=false\n"})
	if off.cloud.Balancers != nil || off.cloud.BulkLister != nil || off.cloud.Routes != nil {
		t.Error("balancers or routes are there")
	}
	if s.cloud.Balancers == nil || s.cloud.BulkLister == nil || s.cloud.Routes != nil {
		t.Error("no balancers, or routes without a router")
	}
}

// TestRouter is about [Route] router-id: a route on the real router, and back.
func TestRouter(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	routed := on(t, s.project, s.nodes, siteOptions{config: "[Route]\nrouter-id=" + s.project.RouterID + "\n"})
	machine, err := routed.cloud.Instances.FindByName(t.Context(), "node-0")
	s.must(err, "finding the machine")
	owner := cloud.Owner{Cluster: "test"}
	route := cloud.Route{Destination: netip.MustParsePrefix("10.244.0.0/24"), Target: machine[0].ID}
	s.must(routed.cloud.Routes.CreateRoute(t.Context(), owner, route), "creating a route")
	router := s.one(s.project.Network, "router", "routers/"+s.project.RouterID)
	if routes := fmt.Sprint(router["routes"]); !strings.Contains(routes, "10.244.0.0/24") {
		t.Errorf("routes %s", routes)
	}
	listed, err := routed.cloud.Routes.ListRoutes(t.Context(), owner)
	if err != nil || len(listed) != 1 {
		t.Fatalf("listed %v, %v", listed, err)
	}
	s.must(routed.cloud.Routes.DeleteRoute(t.Context(), owner, listed[0]), "deleting the route")
	clean()
}

// TestUncheckedCertificate: with an external container store nobody looks for it before Octavia.
func TestUncheckedCertificate(t *testing.T) {
	s := newSite(t, siteOptions{})
	ref := "http://127.0.0.1:9311/v1/containers/00000000-0000-0000-0000-000000000000"
	external := on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\ncontainer-store=external\n"})
	svc := external.service("web", func(svc *corev1.Service) { svc.Annotations[own+"default-tls-container-ref"] = ref })
	err := external.try(svc)
	if err == nil || strings.Contains(err.Error(), "the key manager has nothing") {
		t.Errorf("error %v, want Octavia's", err)
	}
	svc.Annotations[own+"default-tls-container-ref"] = s.project.NewCertificate(t, "www.example.com")
	external.ensure(svc)
	external.remove(svc)
}

// TestEveryKeyHasATest fails when a new annotation or key has no row.
func TestEveryKeyHasATest(t *testing.T) {
	covered := map[string]bool{}
	for _, r := range append(annotationRows(objects{}), configRows(objects{})...) {
		covered[r.key] = true
	}
	for _, key := range provider.Annotations() {
		if !slices.ContainsFunc(key.Spellings(), func(spelling string) bool { return covered[spelling] || elsewhere[spelling] != "" }) {
			t.Errorf("annotation %s is in no test", key.Name)
		}
	}
	for _, key := range provider.Descriptor().ConfigFile.Keys {
		name := fmt.Sprintf("[%s] %s", key.Section, key.Name)
		if !covered[name] && elsewhere[name] == "" && slices.Contains([]string{"LoadBalancer", "LoadBalancerClass", "Networking", "Route"}, key.Section) {
			t.Errorf("key %s is in no test", name)
		}
	}
}

package hcloud_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

const (
	listBalancers = "GET /load_balancers?page=1&per_page=50"
	listTypes     = "GET /load_balancer_types?page=1&per_page=50"
	listManaged   = "GET /certificates?label_selector=hcloud-ccm%2Fservice-uid%3D" + uid + "&page=1&per_page=50"
	first         = "/load_balancers/3000001"
	readFirst     = "GET " + first
	actions       = "POST " + first + "/actions/"
)

// TestBalancerRequests checks what each change costs, without polls of actions.
func TestBalancerRequests(t *testing.T) {
	l := newLab(t, 3, nil)
	nodes := l.nodes
	l.nodes = nodes[:2]
	l.want("create", l.ensure(), listBalancers, listTypes, "POST /load_balancers", listBalancers, listManaged)
	if id, name := l.svc.Annotations[upstream+"id"], l.balancer().Name; id != "3000001" || name != legacyName {
		t.Errorf("recorded id %q of %s, want upstream's name", id, name)
	}
	l.want("nothing changed", l.ensure(), readFirst, listManaged)
	l.restart()
	l.want("a restart", l.ensure(), readFirst, listManaged)
	l.nodes = nodes
	l.want("a node joins", writes(l.ensure()), actions+"add_target")
	l.nodes = nodes[1:]
	l.want("a node leaves", writes(l.ensure()), actions+"remove_target")
	l.svc.Spec.Ports[0].NodePort++
	l.want("another node port", writes(l.ensure()), actions+"update_service")
	l.svc.Spec.Ports = l.svc.Spec.Ports[1:]
	l.want("a port less", writes(l.ensure()), actions+"delete_service")
	l.annotate(map[string]string{"name": "shop-front", "algorithm-type": "least_connections"})
	l.want("name and algorithm", writes(l.ensure()), "PUT "+first, actions+"change_algorithm")
	l.want("deletion", writes(l.leave()), "DELETE "+first)
}

// upstreamBalancer is what upstream leaves behind for the Service.
func (l *lab) upstreamBalancer(edit func(*emulator.Balancer)) {
	l.Helper()
	l.ensure()
	l.edit(func(b *emulator.Balancer) {
		b.Labels = map[string]string{"hcloud-ccm/service-uid": uid}
		if edit != nil {
			edit(b)
		}
	})
	l.annotate(nil)
	delete(l.svc.Annotations, upstream+"id")
	l.restart()
}

// TestTakeover is a switch from upstream: no write but labels, which come with the first change.
func TestTakeover(t *testing.T) {
	l := newLab(t, 2, nil)
	l.upstreamBalancer(nil)
	l.want("the first pass", writes(l.ensure()))
	l.annotate(map[string]string{"algorithm-type": "least_connections"})
	l.want("the first change", writes(l.ensure()), "PUT "+first, actions+"change_algorithm")
	labels := l.balancer().Labels
	if labels["hcloud-ccm/service-uid"] != uid || labels["multicloud-ccm.io/cluster"] != "prod" || labels["multicloud-ccm.io/network"] != "4000001" {
		t.Errorf("labels %v", labels)
	}

	named := newLab(t, 2, map[string]string{"name": "shop-front"})
	named.upstreamBalancer(nil)
	named.annotate(map[string]string{"name": "shop-front"})
	named.want("one with a name of its own", writes(named.ensure()), "PUT "+first)
}

// TestNameThatNobodyAsksFor: upstream leaves its name to a load balancer whose annotation was taken away, and so does the switch,
// until the Service asks for one.
func TestNameThatNobodyAsksFor(t *testing.T) {
	l := newLab(t, 2, map[string]string{"name": "shop-front"})
	l.upstreamBalancer(nil)
	forecast, err := l.manager.Forecast(t.Context(), l.svc, l.nodes)
	if err != nil || len(forecast.Plan.Operations) != 1 || forecast.Plan.Operations[0].Field != cloud.FieldOwnershipTags {
		t.Errorf("error %v, plan %+v", err, forecast.Plan)
	}
	l.want("the switch", writes(l.ensure()), "PUT "+first)
	l.restart()
	l.want("again", writes(l.ensure()))
	if b := l.balancer(); b.Name != "shop-front" || b.Labels["multicloud-ccm.io/kept"] != cloud.FieldName {
		t.Errorf("name %s, labels %v", b.Name, b.Labels)
	}
	l.edit(func(b *emulator.Balancer) { b.Name = "by-hand" })
	l.want("renamed by hand", writes(l.ensure()))
	l.annotate(map[string]string{"name": "shop"})
	l.want("a name", writes(l.ensure()), "PUT "+first)
	l.annotate(nil)
	l.want("none any more", writes(l.ensure()), "PUT "+first)
	if b := l.balancer(); b.Name != legacyName {
		t.Errorf("name %s, labels %v", b.Name, b.Labels)
	}
}

// theirs adds a load balancer that somebody made by hand, with a service and a target.
func (l *lab) theirs(name string, labels map[string]string) emulator.Balancer {
	l.Helper()
	helper := newLabOn(l.T, l.server, "theirs", "00000000-0000-4000-8000-00000000abcd", map[string]string{"name": name})
	helper.svc.Spec.Ports = []corev1.ServicePort{{Name: "ssh", Protocol: corev1.ProtocolTCP, Port: 22, NodePort: 30022}}
	foreign := l.server.SeedMachines(1)[0]
	helper.nodes = []*corev1.Node{node(foreign)}
	helper.ensure()
	helper.edit(func(b *emulator.Balancer) { b.Labels = labels })
	return helper.balancer()
}

// TestAdoptedByName: what else the load balancer has stays, and it is given back.
func TestAdoptedByName(t *testing.T) {
	l := newLab(t, 2, map[string]string{"name": "by-hand"})
	before := l.theirs("by-hand", map[string]string{"team": "shop"})
	l.ensure()
	if !l.said("LoadBalancerAdopted") {
		t.Errorf("events %q", l.events)
	}
	b := l.balancer()
	if len(b.Services) != 3 || len(b.Targets) != 3 || b.Labels["team"] != "shop" || b.Labels["multicloud-ccm.io/adopted"] != "true" || b.Labels["multicloud-ccm.io/network"] != "" {
		t.Errorf("services %v, targets %v, labels %v", b.Services, b.Targets, b.Labels)
	}
	if record := l.svc.Annotations[annotation.Prefix+"hcloud-parts"]; record != "server 50000001,server 50000002,service 443,service 80" {
		t.Errorf("recorded %q", record)
	}
	l.want("again", writes(l.ensure()))

	l.svc.Spec.Ports = l.svc.Spec.Ports[:1]
	l.nodes = l.nodes[:1]
	l.ensure()
	if b := l.balancer(); len(b.Services) != 2 || len(b.Targets) != 2 {
		t.Errorf("with a port and a node less: services %v, targets %v", b.Services, b.Targets)
	}
	l.restart()
	l.leave()
	after := l.balancer()
	after.Targets[0].HealthStatus, before.Targets[0].HealthStatus = nil, nil
	if len(after.Services) != 1 || after.Services[0].ListenPort != 22 || len(after.Targets) != 1 || len(after.Labels) != 1 || after.Name != before.Name {
		t.Errorf("given back: services %v, targets %v, labels %v, name %s", after.Services, after.Targets, after.Labels, after.Name)
	}
}

// TestAdoptedAsAWhole: the user says that the rest goes.
func TestAdoptedAsAWhole(t *testing.T) {
	l := newLab(t, 2, map[string]string{"name": "by-hand", annotation.Prefix + "hcloud-adopt-whole": "true"})
	l.theirs("by-hand", nil)
	for range 3 { // targets of nobody go with proof only, which takes a second pass
		l.ensure()
	}
	if b := l.balancer(); len(b.Services) != 2 {
		t.Errorf("services %v", b.Services)
	}
	l.leave()
	if left := l.server.State().Balancers; len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestLabelsOfOthers: a load balancer with the label of another Service is not taken, whether that
// Service lives or nobody knows it.
func TestLabelsOfOthers(t *testing.T) {
	for name, living := range map[string]bool{"of a living Service": true, "of nobody known": false} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1, map[string]string{"name": "taken"})
			const other = "11111111-0000-4000-8000-00000000abcd"
			l.theirs("taken", map[string]string{"hcloud-ccm/service-uid": other})
			if living {
				l.others = append(l.others, service("other", other))
			}
			requests, err := l.try()
			if err == nil || len(writes(requests)) > 0 || !l.said("OwnershipConflict") {
				t.Errorf("requests %v, error %v, events %q", requests, err, l.events)
			}
		})
	}
}

// TestProtected: the load balancer outlives its Service, and can be taken up again by its name.
func TestProtected(t *testing.T) {
	l := newLab(t, 1, map[string]string{"name": "keep-my-ip"})
	l.ensure()
	ip := l.balancer().PublicNet.IPv4.IP
	l.edit(func(b *emulator.Balancer) { b.Protection.Delete = true })
	l.leave()
	if !l.said("protects it from deletion") || len(l.balancer().Labels) != 0 {
		t.Errorf("events %q, labels %v", l.events, l.balancer().Labels)
	}
	heir := newLabOn(t, l.server, "heir", "22222222-0000-4000-8000-00000000abcd", map[string]string{"name": "keep-my-ip"})
	heir.nodes = l.nodes
	heir.ensure()
	if got := heir.addresses(); len(got) == 0 || !strings.HasPrefix(got[0], ip) {
		t.Errorf("addresses %v, want %s", got, ip)
	}
}

// TestSize: a type that is not asked for any more stays, and says how many targets there can be.
func TestSize(t *testing.T) {
	l := newLab(t, 30, nil)
	l.ensure()
	if b := l.balancer(); b.Type.Name != "lb11" || len(b.Targets) != 25 || !l.said("at most 25 targets") {
		t.Errorf("type %s, %d targets, events %q", b.Type.Name, len(b.Targets), l.events)
	}
	l.annotate(map[string]string{"type": "lb21"})
	requests := l.ensure()
	if b := l.balancer(); b.Type.Name != "lb21" || len(b.Targets) != 30 || writes(requests)[0] != actions+"change_type" {
		t.Errorf("type %s, %d targets, requests %v", b.Type.Name, len(b.Targets), requests)
	}
	l.annotate(nil)
	l.want("taken away", writes(l.ensure()))
}

// TestPlace: a network zone where there is no location, which cannot be changed.
func TestPlace(t *testing.T) {
	l := newLab(t, 1, map[string]string{"location": "", "network-zone": "us-east"})
	l.ensure()
	if at := l.balancer().PublicNet; !at.Enabled {
		t.Error("no public interface")
	}
	l.want("again", writes(l.ensure()))
	l.annotate(map[string]string{"location": "hel1"})
	l.want("another location", writes(l.ensure()))
	if !l.said("LoadBalancerImmutableChange") {
		t.Errorf("events %q", l.events)
	}
}

func TestRedirect(t *testing.T) {
	l := newLab(t, 1, map[string]string{"protocol": "https", "http-certificates": "shop", "http-redirect-http": "true"})
	l.svc.Spec.Ports = l.svc.Spec.Ports[1:]
	l.ensure()
	if s := l.balancer().Services[0]; !s.HTTP.RedirectHTTP || !slices.Equal(s.HTTP.Certificates, []int64{1500001}) {
		t.Errorf("service %+v", s.HTTP)
	}
	l.annotate(map[string]string{"protocol": "https", "http-certificates": "shop"})
	l.ensure()
	if l.balancer().Services[0].HTTP.RedirectHTTP {
		t.Error("the redirect stays")
	}
}

// TestBalancerStatus: upstream's order, and what is left out.
func TestBalancerStatus(t *testing.T) {
	l := newLab(t, 1, nil)
	l.ensure()
	b := l.balancer()
	v4, v6, private := b.PublicNet.IPv4.IP, b.PublicNet.IPv6.IP, b.PrivateNet[0].IP
	l.want("all", l.addresses(), v4, v6, private)
	l.annotate(map[string]string{"ipv6-disabled": "true", "uses-proxyprotocol": "80=true"})
	l.ensure()
	l.want("without IPv6, with PROXY protocol", l.addresses(), v4+" Proxy", private+" Proxy")
	l.annotate(map[string]string{"disable-private-ingress": "true"})
	l.ensure()
	l.want("public only", l.addresses(), v4, v6)
	l.annotate(map[string]string{"disable-public-network": "true"})
	l.ensure()
	l.want("private only", l.addresses(), private)
	l.annotate(map[string]string{"hostname": "WWW.example.com"})
	l.ensure()
	l.want("a name", l.addresses(), "www.example.com")
}

// TestReverseNames: a name that is set comes with the creation, and stays where its key goes.
func TestReverseNames(t *testing.T) {
	l := newLab(t, 1, map[string]string{"ipv4-rdns": "www.example.com"})
	l.ensure()
	if name := l.balancer().PublicNet.IPv4.DNSPtr; name != "www.example.com" {
		t.Errorf("name %q", name)
	}
	l.annotate(nil)
	l.want("taken away", writes(l.ensure()))
	l.annotate(map[string]string{"ipv6-rdns": "six.example.com"})
	l.want("another one", writes(l.ensure()), actions+"change_dns_ptr")
}

// TestOtherSpellings of the API are no change, nor is an address without a name.
func TestOtherSpellings(t *testing.T) {
	l := newLab(t, 1, map[string]string{"ipv4-rdns": "WWW.example.com", "health-check-http-domain": "Shop.example.com", "http-status-codes": "3??,200"})
	l.ensure()
	l.edit(func(b *emulator.Balancer) {
		b.PublicNet.IPv4.DNSPtr, b.PublicNet.IPv6.DNSPtr = "www.Example.com", ""
		check := b.Services[0].HealthCheck.HTTP
		check.Domain = "shop.Example.com"
		slices.Reverse(check.StatusCodes)
	})
	l.want("again", l.ensure(), readFirst, listManaged)
}

// TestTakeoverKeeps what upstream leaves alone, until the Service says something.
func TestTakeoverKeeps(t *testing.T) {
	l := newLab(t, 1, map[string]string{"use-private-ip": "true"})
	l.upstreamBalancer(func(b *emulator.Balancer) {
		b.PublicNet.Enabled, b.Algorithm.Type = false, "least_connections"
	})
	private := map[string]string{"use-private-ip": "true"}
	l.annotate(private)
	l.want("the first pass", writes(l.ensure()))
	l.svc.Spec.Ports[0].NodePort++
	l.want("the first change", writes(l.ensure()), "PUT "+first, actions+"update_service")
	l.restart()
	l.want("again", writes(l.ensure()))
	l.annotate(map[string]string{"use-private-ip": "true", "disable-public-network": "false"})
	l.want("said", writes(l.ensure()), "PUT "+first, actions+"enable_public_interface")
	l.annotate(private)
	l.want("still on", writes(l.ensure()))
	if b := l.balancer(); !b.PublicNet.Enabled || b.Algorithm.Type != "least_connections" {
		t.Errorf("public %v, algorithm %s", b.PublicNet.Enabled, b.Algorithm.Type)
	}
}

// TestUDPPortsAreLeftOut as long as there is another one.
func TestUDPPortsAreLeftOut(t *testing.T) {
	l := newLab(t, 1, nil)
	l.svc.Spec.Ports = append(l.svc.Spec.Ports, corev1.ServicePort{Name: "dns", Protocol: corev1.ProtocolUDP, Port: 53, NodePort: 30053})
	l.ensure()
	if b := l.balancer(); len(b.Services) != 2 || !l.said("port 53 is left out") {
		t.Errorf("services %v, events %q", b.Services, l.events)
	}
	l.svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"}
	if requests, err := l.try(); err == nil || len(writes(requests)) > 0 || !l.said("SourceRangesRefused") {
		t.Errorf("requests %v, error %v, events %q", requests, err, l.events)
	}
}

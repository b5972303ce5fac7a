package openstack_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

const own = "loadbalancer.openstack.org/"

// portable is the prefix of the annotations that mean the same on every cloud.
const portable = "multicloud-ccm.io/"

// row is one key that can be set, and where the API shows it.
type row struct {
	// key is an annotation, or a key of the configuration as in "[LoadBalancer] lb-method".
	key, value string
	// with are annotations, without which the key has no effect, and settings are keys of
	// [LoadBalancer].
	with, settings map[string]string
	read           func(tree) any
	// changed is what the API shows with the key, standard what it shows without.
	changed, standard any
	// fresh says that the key is about new balancers: each gets its own.
	fresh bool
}

func listenerField(name string) func(tree) any {
	return func(t tree) any { return t.listeners[80][name] }
}

func poolField(name string) func(tree) any { return func(t tree) any { return t.pools[80][name] } }

func monitorField(name string) func(tree) any {
	return func(t tree) any { return t.monitors[80][name] }
}

func balancerField(name string) func(tree) any { return func(t tree) any { return t.lb[name] } }

func memberNames(t tree) any {
	var names []string
	for _, m := range t.members[80] {
		names = append(names, m["name"].(string))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func memberSubnets(t tree) any {
	subnets := map[any]bool{}
	for _, m := range t.members[80] {
		subnets[m["subnet_id"]] = true
	}
	return fmt.Sprint(slices.Collect(maps.Keys(subnets)))
}

func floats(t tree) any { return t.floating != nil }

// set returns a map of annotations in which keys have upstream's prefix.
func set(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[own+pairs[i]] = pairs[i+1]
	}
	return m
}

// annotationRows are about annotations. It needs objects of the project.
func annotationRows(o objects) []row {
	monitored := set("enable-health-monitor", "true")
	return []row{
		{key: "service.beta.kubernetes.io/openstack-internal-load-balancer", value: "true", read: floats, changed: false, standard: true},
		{key: own + "node-selector", value: "pool=p1", read: memberNames, changed: "node-1", standard: "node-0 node-1"},
		{key: own + "connection-limit", value: "77", read: listenerField("connection_limit"), changed: 77.0, standard: -1.0},
		{key: own + "lb-method", value: "LEAST_CONNECTIONS", read: poolField("lb_algorithm"), changed: "LEAST_CONNECTIONS", standard: "ROUND_ROBIN"},
		{key: own + "proxy-protocol", value: "v2", read: poolField("protocol"), changed: "PROXYV2", standard: "TCP"},
		{key: own + "x-forwarded-for", value: "true", read: listenerField("protocol"), changed: "HTTP", standard: "TCP"},
		{key: own + "default-tls-container-ref", value: o.container, read: listenerField("protocol"), changed: "TERMINATED_HTTPS", standard: "TCP"},
		{key: own + "timeout-client-data", value: "60000", read: listenerField("timeout_client_data"), changed: 60000.0, standard: 50000.0},
		{key: own + "timeout-member-connect", value: "6000", read: listenerField("timeout_member_connect"), changed: 6000.0, standard: 5000.0},
		{key: own + "timeout-member-data", value: "60000", read: listenerField("timeout_member_data"), changed: 60000.0, standard: 50000.0},
		{key: own + "timeout-tcp-inspect", value: "100", read: listenerField("timeout_tcp_inspect"), changed: 100.0, standard: 0.0},
		{key: own + "enable-health-monitor", value: "true", read: monitorField("type"), changed: "TCP", standard: nil},
		{key: own + "health-monitor-delay", value: "9", with: monitored, read: monitorField("delay"), changed: 9.0, standard: 5.0},
		{key: own + "health-monitor-timeout", value: "4", with: monitored, read: monitorField("timeout"), changed: 4.0, standard: 3.0},
		{key: own + "health-monitor-max-retries", value: "4", with: monitored, read: monitorField("max_retries"), changed: 4.0, standard: 1.0},
		{key: own + "health-monitor-max-retries-down", value: "5", with: monitored, read: monitorField("max_retries_down"), changed: 5.0, standard: 3.0},
		{key: portable + "idle-timeout", value: "1m", read: listenerField("timeout_member_data"), changed: 60000.0, standard: 50000.0},
		{key: portable + "tls-ports", value: "8443", with: map[string]string{own + "default-tls-container-ref": o.container}, read: listenerField("protocol"), changed: "TCP", standard: "TERMINATED_HTTPS"},
		{key: portable + "health-check-protocol", value: "http", read: monitorField("type"), changed: "HTTP", standard: nil},
		{key: portable + "health-check-port", value: "80", read: monitorField("type"), changed: "TCP", standard: nil},
		{key: portable + "health-check-path", value: "/live", read: monitorField("url_path"), changed: "/live", standard: nil},
		{key: corev1.AnnotationLoadBalancerSourceRangesKey, value: "10.9.0.0/16", read: listenerField("allowed_cidrs"), changed: []any{"10.9.0.0/16"}, standard: []any{"0.0.0.0/0"}},

		{key: own + "class", value: "other", fresh: true, read: balancerField("vip_subnet_id"), changed: o.other, standard: o.subnet},
		{key: own + "subnet-id", value: o.other, fresh: true, read: balancerField("vip_subnet_id"), changed: o.other, standard: o.subnet},
		{key: own + "network-id", value: o.otherNetwork, fresh: true, read: balancerField("vip_network_id"), changed: o.otherNetwork, standard: o.network},
		{key: own + "port-id", value: o.port, fresh: true, read: balancerField("vip_port_id"), changed: o.port, standard: different},
		{key: own + "flavor-id", value: o.flavor, fresh: true, read: balancerField("flavor_id"), changed: o.flavor, standard: nil},
		{key: own + "member-subnet-id", value: o.other, fresh: true, read: memberSubnets, changed: fmt.Sprint([]any{o.other}), standard: fmt.Sprint([]any{o.subnet})},
		{key: own + "floating-subnet-id", value: o.far, with: set("floating-network-id", o.external), fresh: true, read: o.isFar, changed: true, standard: false},
		{key: own + "floating-subnet", value: o.farName, with: set("floating-network-id", o.external), fresh: true, read: o.isFar, changed: true, standard: false},
		{key: own + "floating-subnet-tags", value: "&lab," + o.farName, with: set("floating-network-id", o.external), fresh: true, read: o.isFar, changed: true, standard: false},
		{key: own + "availability-zone", value: o.zone, fresh: true, read: balancerField("availability_zone"), changed: o.zone, standard: nil},
	}
}

// different stands for any value that is not the changed one.
const different = "different"

// elsewhere says which test is about a key that is no row.
var elsewhere = map[string]string{
	own + "keep-floatingip":                             "TestKeptFloatingIP",
	"multicloud-ccm.io/address":                         "TestKeptFloatingIP",
	own + "load-balancer-id":                            "TestSharing",
	own + "load-balancer-address":                       "TestLifeOfABalancer",
	own + "floating-network-id":                         "TestFloatingNetwork",
	own + "hostname":                                    "TestHostname",
	"[LoadBalancer] enabled":                            "TestSwitchedOff",
	"[LoadBalancer] cascade-delete":                     "TestOneByOne",
	"[LoadBalancer] provider-requires-serial-api-calls": "TestOneByOne",
	"[LoadBalancer] manage-security-groups":             "TestSecurityGroups",
	"[LoadBalancer] max-shared-lb":                      "TestSharing",
	"[LoadBalancer] enable-ingress-hostname":            "TestHostname",
	"[LoadBalancer] ingress-hostname-suffix":            "TestHostname",
	"[LoadBalancer] container-store":                    "TestUncheckedCertificate",
	"[Networking] public-network-name":                  "TestNetworking",
	"[Networking] internal-network-name":                "TestNetworking",
	"[Networking] ipv6-support-disabled":                "TestNetworking",
	"[Networking] address-sort-order":                   "TestNetworking",
	"[LoadBalancerClass] floating-network-id":           "TestClass",
	"[LoadBalancerClass] floating-subnet-id":            "TestClass",
	"[LoadBalancerClass] floating-subnet":               "TestClass",
	"[LoadBalancerClass] floating-subnet-tags":          "TestClass",
	"[LoadBalancerClass] network-id":                    "TestClass",
	"[LoadBalancerClass] subnet-id":                     "TestClass",
	"[LoadBalancerClass] member-subnet-id":              "TestClass",
	"[LoadBalancer] floating-network-id":                "TestFloatingNetwork",
	"[LoadBalancer] lb-version":                         "TestEveryKeyIsRead in providers/openstack/config",
	"[Route] router-id":                                 "TestRouter",
	"[LoadBalancer] lb-provider":                        "TestOVN",
}

// TestAnnotations sets each annotation, reads what the API shows, removes it and reads the
// default again.
func TestAnnotations(t *testing.T) {
	s := newSite(t, siteOptions{})
	o := s.objects()
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nsubnet-id=" + o.subnet + "\n[LoadBalancerClass \"other\"]\nsubnet-id=" + o.other + "\n"})
	svc := s.service("live")
	s.ensure(svc)
	s.away(&o, s.look(svc))
	for _, r := range annotationRows(o) {
		t.Run(strings.TrimPrefix(r.key, own), func(t *testing.T) {
			s := *s
			s.T = t
			if r.fresh {
				s.fresh(r, svc)
			} else {
				s.live(r, svc)
			}
		})
	}
	s.remove(svc)
}

// live changes one balancer and changes it back.
func (s *site) live(r row, svc *corev1.Service) {
	address := svc.Status.LoadBalancer.Ingress
	maps.Copy(svc.Annotations, r.with)
	svc.Annotations[r.key] = r.value
	s.ensure(svc)
	s.shows(r, svc, r.changed)
	delete(svc.Annotations, r.key)
	s.ensure(svc)
	s.shows(r, svc, r.standard)
	maps.DeleteFunc(svc.Annotations, func(key, _ string) bool { _, added := r.with[key]; return added })
	if len(r.with) > 0 {
		s.ensure(svc) // what else was set may show in the address too, as TLS does
	}
	if strings.Contains(r.key, "internal") {
		return // a floating IP that was deleted comes back as another one
	}
	if !reflect.DeepEqual(address, svc.Status.LoadBalancer.Ingress) {
		s.Errorf("the address was %v and is %v", address, svc.Status.LoadBalancer.Ingress)
	}
}

// fresh makes a balancer with the annotation; plain has one without.
func (s *site) fresh(r row, plain *corev1.Service) {
	svc := s.service("fresh")
	maps.Copy(svc.Annotations, r.with)
	svc.Annotations[r.key] = r.value
	s.ensure(svc)
	s.shows(r, svc, r.changed)
	s.shows(r, plain, r.standard)
	s.remove(svc)
}

func (s *site) shows(r row, svc *corev1.Service, want any) {
	s.Helper()
	if reflect.DeepEqual(r.changed, r.standard) {
		s.Fatalf("%s: its row can't fail", r.key)
	}
	got := r.read(s.look(svc))
	if want == different {
		if reflect.DeepEqual(got, r.changed) {
			s.Errorf("%s: the API shows %v with and without", r.key, got)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		s.Errorf("%s=%q: the API shows %v (%T), want %v", r.key, svc.Annotations[r.key], got, got, want)
	}
}

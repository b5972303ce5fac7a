package aws_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// local asks for externalTrafficPolicy: Local.
func local(svc *corev1.Service) {
	svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyLocal, 31999
}

// cluster asks for externalTrafficPolicy: Cluster.
func cluster(svc *corev1.Service) {
	svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyCluster, 0
}

// datagrams makes the only port one of UDP.
func datagrams(svc *corev1.Service) {
	svc.Spec.Ports = []corev1.ServicePort{{Name: "dns", Protocol: corev1.ProtocolUDP, Port: 53, NodePort: 30053}}
}

// TestWayBack has upstream take over again what was switched to us, and changed meanwhile: its names of
// target groups say what they are like, so it must never find one that is not.
func TestWayBack(t *testing.T) {
	type change = func(*corev1.Service)
	secure := func(s *site) change {
		return annotated(own+"ssl-cert", s.world.Certificate("web"), own+"backend-protocol", "ssl")
	}
	tests := map[string]struct {
		begin func(s *site) change
		made  bool // by us, not upstream
		then  []change
	}{
		"TCP":                           {},
		"TCP, made here":                {made: true},
		"UDP":                           {begin: func(*site) change { return datagrams }},
		"UDP, made here":                {begin: func(*site) change { return datagrams }, made: true},
		"Local":                         {begin: func(*site) change { return local }},
		"Cluster to Local":              {then: []change{local}},
		"Cluster to Local and back":     {then: []change{local, cluster}},
		"Local to Cluster":              {begin: func(*site) change { return local }, then: []change{cluster}},
		"Local to Cluster and back":     {begin: func(*site) change { return local }, then: []change{cluster, local}},
		"UDP to Local and back":         {begin: func(*site) change { return datagrams }, then: []change{local, cluster}},
		"TLS to the nodes":              {begin: secure},
		"TLS to the nodes, made here":   {begin: secure, made: true},
		"another interval":              {then: []change{annotated(own+"healthcheck-interval", "20")}},
		"another interval and back":     {then: []change{annotated(own+"healthcheck-interval", "20"), func(svc *corev1.Service) { delete(svc.Annotations, own+"healthcheck-interval") }}},
		"addresses as targets and back": {then: []change{annotated(own+"nlb-target-type", "ip"), func(svc *corev1.Service) { delete(svc.Annotations, own+"nlb-target-type") }}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("web", network)
			if test.begin != nil {
				test.begin(s)(svc)
			}
			if !test.made {
				s.upstreamNetwork(svc)
			}
			s.ensure(svc)
			for _, change := range test.then {
				change(svc)
				s.ensure(svc)
			}
			for i, change := range []change{func(*corev1.Service) {}, local, cluster, local} {
				change(svc)
				if err := s.upstreamReturns(svc); err != nil {
					t.Errorf("upstream takes over again, change %d: %v", i, err)
				}
			}
		})
	}
}

// TestSwitchKeepsWhatUpstreamIgnored: what upstream did not read changes nothing of a balancer that it
// made, until the user changes it.
func TestSwitchKeepsWhatUpstreamIgnored(t *testing.T) {
	tests := map[string]struct {
		ignored func(*site) func(*corev1.Service)
		off     func(*corev1.Service)
		said    string
		took    func(*site) bool
	}{
		"target type": {
			ignored: func(*site) func(*corev1.Service) { return annotated(own+"nlb-target-type", "ip") },
			off:     func(svc *corev1.Service) { delete(svc.Annotations, own+"nlb-target-type") },
			said:    own + "nlb-target-type",
			took: func(s *site) bool {
				return strings.Contains(strings.Join(s.lines("target group"), "\n"), "targets [10.0.")
			},
		},
		"subnets": {
			ignored: func(s *site) func(*corev1.Service) { return annotated(own+"subnets", s.world.Public[0]) },
			off:     func(svc *corev1.Service) { delete(svc.Annotations, own+"subnets") },
			said:    own + "subnets",
			took:    func(s *site) bool { return len(s.balancer().AvailabilityZones) == 1 },
		},
		"IPv6": {
			ignored: func(*site) func(*corev1.Service) {
				return func(svc *corev1.Service) { svc.Spec.IPFamilies = []corev1.IPFamily{"IPv4", "IPv6"} }
			},
			off:  func(svc *corev1.Service) { svc.Spec.IPFamilies = []corev1.IPFamily{"IPv4"} },
			said: "spec.ipFamilies",
			took: func(s *site) bool { return s.balancer().IpAddressType == "dualstack" },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{ipv6: true})
			before := s.inventory()
			svc := s.service("web", network, test.ignored(s))
			s.upstreamNetwork(svc)
			made := s.inventory()
			s.ensure(svc)
			for _, call := range s.wrote(0) {
				if !strings.HasSuffix(call, " AddTags") {
					t.Errorf("written at the switch: %s", call)
				}
			}
			if diff := cmp.Diff(made, s.inventory()); diff != "" || test.took(s) {
				t.Errorf("changed at the switch:\n%s", diff)
			}
			if said := strings.Join(s.events.said, "\n"); !strings.Contains(said, test.said) {
				t.Errorf("said %s, want something of %s", said, test.said)
			}
			s.idle(svc)
			s = on(t, s.world, s.nodes, siteOptions{}) // another process knows it too
			s.idle(svc)

			test.off(svc)
			s.ensure(svc)
			s.idle(svc)
			test.ignored(s)(svc)
			s.ensure(svc)
			s.idle(svc)
			if !test.took(s) {
				t.Errorf("set after the switch, it has no effect: %q", s.inventory())
			}
			s.gone(svc, before)
		})
	}
}

// TestConsent: with replacement allowed, what upstream ignored takes effect at the switch.
func TestConsent(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", network, annotated(own+"nlb-target-type", "ip", "multicloud-ccm.io/allow-replacement", "true"))
	s.upstreamNetwork(svc)
	s.ensure(svc)
	s.idle(svc)
	if got := strings.Join(s.lines("target group"), "\n"); !strings.Contains(got, "targets [10.0.") {
		t.Errorf("%s", got)
	}
}

// TestSuccessorServesFirst: the target group that a listener led to is deleted only when a target of
// the next one is healthy.
func TestSuccessorServesFirst(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", network)
	s.ensure(svc)
	look := func() {
		t.Helper()
		_, err := s.manager.Ensure(t.Context(), svc, s.nodes)
		s.must(err, "changing the balancer")
	}
	svc.Spec.Ports[0].NodePort = 31080
	from := len(s.proxy.Calls())
	look()
	if wrote := s.wrote(from); !slices.Contains(wrote, "elbv2 ModifyListener") || slices.Contains(wrote, "elbv2 DeleteTargetGroup") {
		t.Errorf("%q, want the listener changed and no target group deleted yet", wrote)
	}
	ids := []string{instanceID(s.nodes[0]), instanceID(s.nodes[1])}
	s.world.Stop(t, ids...)
	from = len(s.proxy.Calls())
	look()
	if wrote := s.wrote(from); len(wrote) > 0 {
		t.Errorf("no target serves, and this was written: %q", wrote)
	}
	if got := s.lines("target group"); len(got) != 3 {
		t.Errorf("%q, want the old one still", got)
	}
	s.world.Start(t, ids...)
	s.ensure(svc)
	s.idle(svc)
	if got := s.lines("target group"); len(got) != 2 {
		t.Errorf("%q, want two", got)
	}
}

// TestForeignDescription has a security group in the place of the one that would be made: the error
// says which, and what to do.
func TestForeignDescription(t *testing.T) {
	for name, test := range map[string]struct {
		edit  func(*corev1.Service)
		group func(*corev1.Service) string
	}{
		"classic": {func(*corev1.Service) {}, func(svc *corev1.Service) string { return "k8s-elb-" + balancerName(svc) }},
		"network": {annotated(own+"type", "nlb", "multicloud-ccm.io/aws-security-group-mode", "managed"), managedGroup},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("web", test.edit)
			group := test.group(svc)
			s.world.Group(t, group)
			before := s.inventory()
			err := s.try(svc)
			if err == nil || !strings.Contains(err.Error(), group) || !strings.Contains(err.Error(), "delete it") {
				t.Errorf("error %v, want the group %s in it and what to do", err, group)
			}
			if diff := cmp.Diff(before, s.inventory()); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
			s.gone(svc, before)
		})
	}
}

// TestAdoptionOfNothing names what can be no balancer's name or ARN: a clear error, and the Service can
// be deleted.
func TestAdoptionOfNothing(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	for _, id := range []string{"10 or more", "regional/lb", "arn:aws:s3:::bucket", "arn:aws:elasticloadbalancing:elsewhere-1:123456789012:loadbalancer/net/web/50dc6c495c0c9188", strings.Repeat("x", 40)} {
		svc := s.service("web", annotated("multicloud-ccm.io/adopt", id))
		if err := s.try(svc); err == nil || !strings.Contains(err.Error(), "multicloud-ccm.io/adopt") {
			t.Errorf("%s: %v", id, err)
		}
		s.gone(svc, before)
		for _, call := range s.proxy.Calls() {
			for name, values := range call.Parameters {
				if slices.Contains(values, id) {
					t.Errorf("%s was called with %s=%s, which AWS refuses to read", call, name, id)
				}
			}
		}
	}
}

// managedGroup is upstream's name of a network balancer's security group.
func managedGroup(svc *corev1.Service) string {
	sum := sha256.Sum256([]byte("kubernetes" + svc.Name + svc.Namespace + string(svc.UID)))
	return "k8s-shop-" + svc.Name + "-" + hex.EncodeToString(sum[:])[:10]
}

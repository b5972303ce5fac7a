package digitalocean_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// targeted returns nil when exactly these droplets are targets.
func targeted(b *do.Balancer, want ...int) error {
	got := slices.Sorted(slices.Values(b.DropletIDs))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("its targets are %v and should be %v", got, want)
	}
	return nil
}

// selecting are the annotations of a Service that uses nodes of its own.
func selecting(label string, annotations map[string]string) map[string]string {
	all := map[string]string{nodeSelector: poolLabel + "=" + label}
	for key, value := range annotations {
		all[key] = value
	}
	return all
}

// TestBadAnnotationKeepsTargets: nodes come and go whatever is wrong with the Service, and
// nothing else changes. Upstream freezes.
func TestBadAnnotationKeepsTargets(t *testing.T) {
	parallel(t)
	type annotations = map[string]string
	for name, test := range map[string]struct {
		bad    annotations
		reason string
		says   []string
	}{
		"not a value":       {annotations{upstream + "type": "SOMETHING"}, "InvalidConfiguration", []string{upstream + "type", "SOMETHING"}},
		"several":           {annotations{upstream + "size-slug": "lb-huge", portable + "health-check-interval": "0"}, "InvalidConfiguration", []string{upstream + "size-slug", portable + "health-check-interval"}},
		"of the driver":     {annotations{upstream + "override-health-check": "", portable + "health-check-port": "1"}, "InvalidConfiguration", []string{portable + "health-check-port"}},
		"immutable":         {annotations{upstream + "type": "REGIONAL"}, "LoadBalancerImmutableChange", []string{"type"}},
		"dual and internal": {annotations{upstream + "network-stack": "DUALSTACK", upstream + "network": "INTERNAL"}, "InvalidConfiguration", []string{upstream + "network-stack"}},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			label := fmt.Sprintf("bad%d", serial.Add(1))
			first := join(t, label, single, single)
			s := create(t, selecting(label, nil))
			s.balancer(func(b *do.Balancer) error { return targeted(b, ids(first...)...) })
			s.ready()

			s.annotate(test.bad)
			s.event(test.reason, test.says...)
			before := s.balancer(active)
			second := join(t, label, single)
			s.balancer(func(b *do.Balancer) error { return targeted(b, append(ids(first...), ids(second...)...)...) })
			leave(t, first[0])
			after := s.balancer(func(b *do.Balancer) error { return targeted(b, first[1].ID, second[0].ID) })
			if summary(after) != summary(before) {
				t.Errorf("more than targets changed:\nbefore %s\nafter  %s", summary(before), summary(after))
			}
		})
	}
}

// TestTargets: which nodes become targets of which balancers, and what is said of the others.
func TestTargets(t *testing.T) {
	parallel(t)
	for name, test := range map[string]struct {
		annotations map[string]string
		nodes       []link
		want        []int // indices in nodes
		stack       string
		event       string
	}{
		"network, every node dual": {nil, []link{dual, dual}, []int{0, 1}, do.StackIPv4, ""},
		"network, some dual":       {nil, []link{dual, single}, []int{0, 1}, do.StackIPv4, ""},
		"network, one private":     {nil, []link{single, private}, []int{0}, do.StackIPv4, "TargetSkipped"},
		"network, one IPv6 only":   {nil, []link{single, only6}, []int{0}, do.StackIPv4, "TargetSkipped"},
		"network, none":            {nil, []link{private}, nil, "", "WaitingForNodes"},
		"regional, private":        {regional(), []link{private, only6, dual}, []int{0, 1, 2}, do.StackDualstack, ""},
		"internal":                 {with("network", "INTERNAL"), []link{private, dual}, []int{0, 1}, do.StackIPv4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			label := fmt.Sprintf("stack%d", serial.Add(1))
			var want []int
			for i, d := range join(t, label, test.nodes...) {
				if slices.Contains(test.want, i) {
					want = append(want, d.ID)
				}
			}
			s := create(t, selecting(label, test.annotations))
			if test.want == nil { // no balancer before the first target
				s.event(test.event)
				if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
					t.Errorf("a balancer was created: %+v", own)
				}
				return
			}
			b := s.balancer(func(b *do.Balancer) error { return targeted(b, want...) })
			if stack(&b) != test.stack {
				t.Errorf("its stack is %s, want %s", stack(&b), test.stack)
			}
			if test.event != "" {
				s.event(test.event)
			}
		})
	}
}

// TestFamilies: the address families of the Service decide about a new balancer's.
func TestFamilies(t *testing.T) {
	parallel(t)
	both, six := []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}, []corev1.IPFamily{corev1.IPv6Protocol}
	for name, test := range map[string]struct {
		families    []corev1.IPFamily
		annotations map[string]string
		nodes       []link
		stack       string // "" for no balancer
		event       string
	}{
		"both, every node dual":    {both, nil, []link{dual, dual}, do.StackDualstack, ""},
		"both, some dual":          {both, nil, []link{dual, single}, do.StackIPv4, "ConfigurationIgnored"},
		"both, internal":           {both, with("network", "INTERNAL"), []link{dual}, do.StackIPv4, "ConfigurationIgnored"},
		"IPv6":                     {six, nil, []link{dual}, "", "InvalidConfiguration"},
		"IPv6, regional":           {six, regional(), []link{dual}, "", "InvalidConfiguration"},
		"IPv6, both are asked for": {six, with("network-stack", "DUALSTACK"), []link{dual}, do.StackDualstack, ""},
	} {
		t.Run(name, func(t *testing.T) {
			parallel(t)
			label := fmt.Sprintf("family%d", serial.Add(1))
			nodes := join(t, label, test.nodes...)
			s := create(t, selecting(label, test.annotations), func(svc *corev1.Service) {
				svc.Spec.IPFamilies, svc.Spec.IPFamilyPolicy = test.families, new(corev1.IPFamilyPolicySingleStack)
				if len(test.families) > 1 {
					svc.Spec.IPFamilyPolicy = new(corev1.IPFamilyPolicyRequireDualStack)
				}
			})
			if test.event != "" {
				s.event(test.event, "spec.ipFamilies")
			}
			if test.stack == "" {
				if own := s.balancersIn(env.Cloud.State()); len(own) > 0 {
					t.Errorf("a balancer was created: %+v", own)
				}
				return
			}
			var ids []int
			for _, d := range nodes {
				ids = append(ids, d.ID)
			}
			if b := s.balancer(func(b *do.Balancer) error { return targeted(b, ids...) }); stack(&b) != test.stack {
				t.Errorf("its stack is %s, want %s", stack(&b), test.stack)
			}
		})
	}
}

// TestLastNodeLeaves: a balancer without a node to use has no targets, and one that comes
// back is a target again.
func TestLastNodeLeaves(t *testing.T) {
	parallel(t)
	label := fmt.Sprintf("last%d", serial.Add(1))
	nodes := join(t, label, single)
	s := create(t, selecting(label, nil))
	s.balancer(func(b *do.Balancer) error { return targeted(b, nodes[0].ID) })
	s.ready()
	exclude(t, nodes[0].Name, true)
	s.balancer(func(b *do.Balancer) error { return targeted(b) })
	s.event("NoTargets")
	exclude(t, nodes[0].Name, false)
	s.balancer(func(b *do.Balancer) error { return targeted(b, nodes[0].ID) })
}

// TestSourceRanges: they are the balancer's firewall, and win over the annotation.
func TestSourceRanges(t *testing.T) {
	parallel(t)
	s := create(t, with("allow-rules", "ip:192.0.2.1"), func(svc *corev1.Service) {
		svc.Spec.LoadBalancerSourceRanges = []string{"203.0.113.0/24", "198.51.100.0/24"}
	})
	s.balancer(func(b *do.Balancer) error { return same(allowed(b), "cidr:198.51.100.0/24 cidr:203.0.113.0/24") })
	s.event("ConfigurationIgnored", upstream+"allow-rules", "loadBalancerSourceRanges")
	s.edit(func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = []string{"203.0.113.0/24"} })
	s.balancer(func(b *do.Balancer) error { return same(allowed(b), "cidr:203.0.113.0/24") })
	s.edit(func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = nil })
	s.balancer(func(b *do.Balancer) error { return same(allowed(b), "ip:192.0.2.1") })
	s.unset(upstream + "allow-rules")
	s.balancer(func(b *do.Balancer) error { return same(allowed(b), "") })
}

package loadbalancer

import (
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var (
	onlyIPv4 = []corev1.IPFamily{corev1.IPv4Protocol}
	onlyIPv6 = []corev1.IPFamily{corev1.IPv6Protocol}
	bothIPv6 = []corev1.IPFamily{corev1.IPv6Protocol, corev1.IPv4Protocol}
)

// A node answers for a Service in the Service's families only: no balancer is made that reaches nodes in none of them.
func TestFamilyThatIsNotReached(t *testing.T) {
	f := newFixture(t)
	f.svc.Spec.IPFamilies = onlyIPv6
	for range 2 {
		fails(t, f.ensure(), "spec.ipFamilies", `"IPv6"`, "want IPv4, alone or beside another family")
		f.wrote()
		f.said("InvalidConfiguration: spec.ipFamilies")
	}
	if _, _, err := f.Desired(t.Context(), f.svc, f.nodes); err == nil {
		t.Error("the firewall is opened for a balancer that is not made")
	}
	f.svc.Spec.IPFamilies = bothIPv6
	f.settle()
	f.wrote("create balancer")
	f.said()
}

// What serves stays, is kept as the Service asks, and is told of.
func TestFamilyThatIsNotReachedAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.wrote("create balancer")
		address := f.svc.Status.LoadBalancer.Ingress[0].IP
		f.svc.Spec.IPFamilies = onlyIPv6
		f.svc.Spec.Ports[0].NodePort++
		f.nodes = f.nodes[:2]
		f.settle()
		f.wrote("update listener tcp/80 targetPort; delete target c")
		f.said("ConfigurationIgnored: spec.ipFamilies: the load balancer reaches nodes at IPv4 addresses")
		f.svc.Annotations[keyInternal.Name], f.svc.Annotations[annotation.AllowReplacement.Name] = "true", "true"
		f.settle()
		f.wrote()
		f.events.take()
		if got := f.svc.Status.LoadBalancer.Ingress; len(got) != 1 || got[0].IP != address {
			t.Errorf("status %v, want %s", got, address)
		}
	})
}

// reachingDriver is a fake whose balancers are reached, and reach their targets, as given.
type reachingDriver struct {
	*fakeDriver
	clients, targets cloud.Families
}

func (d *reachingDriver) Families(cloud.Input, cloud.Balancer) (clients, targets cloud.Families) {
	return d.clients, d.targets
}

func TestFamilies(t *testing.T) {
	four, six, both := cloud.Families{IPv4: true}, cloud.Families{IPv6: true}, cloud.Families{IPv4: true, IPv6: true}
	for name, test := range map[string]struct {
		families         []corev1.IPFamily
		clients, targets cloud.Families
		said             []string
		refused          bool
	}{
		"as asked":                        {onlyIPv6, six, six, nil, false},
		"both as asked":                   {bothIPv6, both, both, nil, false},
		"clients have another one too":    {onlyIPv4, both, four, nil, false},
		"clients have another one":        {onlyIPv6, four, six, []string{"ConfigurationIgnored: spec.ipFamilies: the load balancer has IPv4 addresses only, so clients do not reach the Service over IPv6"}, false},
		"one of two, reached from both":   {bothIPv6, both, four, nil, false},
		"one of two":                      {bothIPv6, four, four, []string{"ConfigurationIgnored: spec.ipFamilies: the load balancer has IPv4 addresses only"}, false},
		"targets in another one":          {onlyIPv4, both, six, []string{"InvalidConfiguration: spec.ipFamilies"}, true},
		"targets in both, one asked":      {onlyIPv6, both, both, nil, false},
		"families are not said (ancient)": {nil, four, four, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.wrapped = &reachingDriver{f.driver, test.clients, test.targets}
			f.restart()
			f.svc.Spec.IPFamilies = test.families
			if test.refused {
				fails(t, f.ensure(), "spec.ipFamilies")
				f.wrote()
			} else {
				f.settle()
				f.wrote("create balancer")
			}
			f.said(test.said...)
		})
	}
}

// scoped is a fake whose balancers reach their targets by scope.
type scoped struct {
	*fakeDriver
	internal, external cloud.Families
}

func (d *scoped) Families(_ cloud.Input, b cloud.Balancer) (clients, targets cloud.Families) {
	if b.Scope == cloud.ScopeInternal {
		return d.internal, d.internal
	}
	return d.external, d.external
}

// Whether a balancer is replaced depends on the new one: what serves does not give way to one that nodes do not answer.
func TestReplacementAndFamilies(t *testing.T) {
	four, six := cloud.Families{IPv4: true}, cloud.Families{IPv6: true}
	for name, test := range map[string]struct {
		internal, external cloud.Families
		families           []corev1.IPFamily
		writes, said       []string
	}{
		"the new one would not be answered": {four, six, onlyIPv6, nil, []string{"ConfigurationIgnored: spec.ipFamilies"}},
		"the old one is not answered":       {six, four, onlyIPv4, []string{"delete balancer", "create balancer"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.wrapped = &scoped{f.driver, test.internal, test.external}
				f.restart()
				f.svc.Spec.IPFamilies = test.families
				f.settle()
				f.wrote("create balancer")
				f.events.take()
				f.svc.Spec.IPFamilies = onlyIPv6
				f.svc.Annotations[keyInternal.Name], f.svc.Annotations[annotation.AllowReplacement.Name] = "true", "true"
				f.settle()
				f.wrote(test.writes...)
				if said := strings.Join(f.events.take(), " "); len(test.said) > 0 && !strings.Contains(said, test.said[0]) || !strings.Contains(said, "it is not replaced") && len(test.said) > 0 {
					t.Errorf("events %s", said)
				}
			})
		})
	}
}

// Package portable_test holds what all drivers make of the same Service with portable annotations against
// each other. It asks no cloud, so that it runs everywhere; the conformance suite of each driver asks one.
package portable_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	classic "github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	network "github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	dodesired "github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	doconfig "github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	osconfig "github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	octavia "github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	ostag "github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
)

// kind is a kind of balancer, and what makes one of what a Service asks for.
type kind struct {
	name        string
	keys        annotation.Set
	normalize   func(cloud.Input) (cloud.Balancer, []cloud.Warning, error)
	certificate string
}

func kinds() []kind {
	droplet := func(kind string) func(cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
		return dodesired.Rules{DefaultType: kind}.Normalize
	}
	cluster := tag.Cluster{ID: "test", VPC: "vpc-1"}
	openstack := func(provider string) *octavia.Rules {
		return octavia.New(osconfig.Balancer{Provider: provider}, nil, ostag.Ownership{}, api.V(2, 26))
	}
	amphora, ovn := openstack("amphora"), openstack(osconfig.ProviderOVN)
	const uuid = "5ee0a1f2-0000-4000-8000-000000000001"
	const arn = "arn:aws:acm:eu-central-1:123456789012:certificate/" + uuid
	return []kind{
		{"sim", sim.Annotations(), (&sim.Driver{}).Normalize, ""},
		{"digitalocean regional", digitalocean.Annotations(), droplet(doconfig.TypeRegional), uuid},
		{"digitalocean network", digitalocean.Annotations(), droplet(doconfig.TypeNetwork), uuid},
		{"aws classic", aws.Annotations(), classic.Settings{Cluster: cluster}.Normalize, arn},
		{"aws network", aws.Annotations(), network.Settings{Cluster: cluster}.Normalize, arn},
		{"openstack amphora", option.All().Without(amphora.Impossible()), amphora.Normalize, "https://barbican/v1/containers/" + uuid},
		{"openstack ovn", option.All().Without(ovn.Impossible()), ovn.Normalize, "https://barbican/v1/containers/" + uuid},
	}
}

// made is the balancer of a Service with those of the annotations that the provider has, and all that is
// said of it.
func (k kind) made(t *testing.T, annotations map[string]string, change ...func(*cloud.Input)) (cloud.Balancer, []cloud.Warning) {
	t.Helper()
	given := maps.Clone(annotations)
	maps.DeleteFunc(given, func(name, _ string) bool { _, has := k.keys.Find(name); return !has })
	values, problems := k.keys.Parse(given)
	var said []cloud.Warning
	for _, p := range problems {
		if !p.Warning {
			t.Fatal(problems)
		}
		said = append(said, cloud.Warning{Field: p.Key, Message: p.Why()})
	}
	in := cloud.Input{
		Spec: cloud.Spec{
			Owner:      cloud.Owner{Cluster: "test", Namespace: "shop", Name: "web", UID: "11111111-2222-3333-4444-555555555555"},
			Ports:      conformance.PortableService().Ports,
			Options:    values,
			HealthPort: 10256,
		},
	}
	for _, c := range change {
		c(&in)
	}
	b, notes, err := k.normalize(in)
	if err != nil {
		t.Fatalf("%s with %v: %v", k.name, given, err)
	}
	return b, append(said, notes...)
}

// The same manifest with eight portable keys gives equal portable fields on every cloud.
func TestEightKeys(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			if k.name == "openstack ovn" {
				t.Skip("it has no port for checks: see TestNotOnThisKind")
			}
			b, notes := k.made(t, conformance.Eight)
			if len(notes) > 0 {
				t.Fatalf("notes %v", notes)
			}
			if difference := conformance.Differences(k.keys, b); difference != "" {
				t.Errorf("it is not what it is everywhere (-want +got):\n%s", difference)
			}
		})
	}
}

// Seven more, with a certificate of each cloud's own.
func TestOtherKeys(t *testing.T) {
	given := map[string]string{
		annotation.Name.Name: "shop-front", annotation.Algorithm.Name: "least_connections", annotation.ProxyProtocol.Name: "true",
		annotation.IdleTimeout.Name: "2m", annotation.TLSPorts.Name: "443", annotation.DeletionProtection.Name: "true",
	}
	want := map[string]string{
		annotation.Name.Name: "shop-front", annotation.Algorithm.Name: "least_connections", annotation.ProxyProtocol.Name: "true",
		annotation.IdleTimeout.Name: "120", annotation.TLSPorts.Name: "443", annotation.DeletionProtection.Name: "true",
	}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			given, want := maps.Clone(given), maps.Clone(want)
			given[annotation.Certificate.Name], want[annotation.Certificate.Name] = k.certificate, k.certificate
			b, notes := k.made(t, given)
			view := k.keys.View(b.Field)
			maps.DeleteFunc(want, func(name, _ string) bool { _, has := k.keys.Find(name); return !has || noted(notes, name) })
			maps.DeleteFunc(view, func(name, _ string) bool { _, asked := want[name]; return !asked })
			if diff := cmp.Diff(want, view); diff != "" {
				t.Errorf("it is not what it is everywhere (-want +got):\n%s\nnotes %v", diff, notes)
			}
		})
	}
}

func noted(notes []cloud.Warning, name string) bool {
	return slices.ContainsFunc(notes, func(w cloud.Warning) bool { return w.Field == name })
}

// What this kind of balancer cannot do is said.
func TestNotOnThisKind(t *testing.T) {
	all := kinds()
	for name, keys := range map[string]map[annotation.Setting]bool{
		"digitalocean network": {
			{Key: annotation.ProxyProtocol.Name, Value: "true"}: true, {Key: annotation.IdleTimeout.Name, Value: "120"}: true,
			{Key: annotation.TLSPorts.Name, Value: "443"}: true, {Key: annotation.SessionCookie.Name, Value: "DO-LB"}: true,
			{Key: annotation.Certificate.Name, Value: "5ee0a1f2-0000-4000-8000-000000000001"}: true,
			{Key: annotation.HealthPath.Name, Value: "/ready"}:                                false,
		},
		"aws classic": {{Key: annotation.DeletionProtection.Name, Value: "true"}: true, {Key: annotation.IdleTimeout.Name, Value: "120"}: false},
		"aws network": {{Key: annotation.DeletionProtection.Name, Value: "true"}: false, {Key: annotation.IdleTimeout.Name, Value: "120"}: false},
		"openstack ovn": {
			{Key: annotation.HealthPath.Name, Value: "/ready"}: true, {Key: annotation.IdleTimeout.Name, Value: "120"}: true,
			{Key: annotation.HealthInterval.Name, Value: "9"}: false, {Key: annotation.Algorithm.Name, Value: "round_robin"}: true,
			{Key: annotation.ProxyProtocol.Name, Value: "true"}: true, {Key: annotation.Certificate.Name, Value: "container"}: true,
			{Key: annotation.TLSPorts.Name, Value: "443"}: true,
		},
		"openstack amphora": {{Key: annotation.HealthPath.Name, Value: "/ready"}: false, {Key: annotation.TLSPorts.Name, Value: "443"}: true},
	} {
		k := all[slices.IndexFunc(all, func(k kind) bool { return k.name == name })]
		for given, said := range keys {
			if _, notes := k.made(t, map[string]string{given.Key: given.Value}); noted(notes, given.Key) != said {
				t.Errorf("%s, %s: notes %v; want one about it: %t", name, given.Key, notes, said)
			}
		}
	}
}

// A check of the Service's own keeps the interval and thresholds of externalTrafficPolicy: Local.
func TestOwnCheckOfLocal(t *testing.T) {
	for _, k := range kinds() {
		if k.name != "aws network" {
			continue
		}
		b, _ := k.made(t, map[string]string{annotation.HealthPath.Name: "/ready"}, func(s *cloud.Input) { s.Local = true })
		if h := b.Listeners[0].Health; h.Path != "/ready" || h.Interval != 10*time.Second || h.Healthy != 2 || h.Unhealthy != 2 {
			t.Errorf("the check is %+v", *h)
		}
	}
}

// A portable key that a cloud does not have is said, and a value beyond its bounds is refused with key,
// value and bounds.
func TestEveryKeyIsSaidOrDone(t *testing.T) {
	for _, k := range kinds() {
		for _, key := range annotation.Portable() {
			declared, has := k.keys.Find(key.Name)
			_, problems := k.keys.Parse(map[string]string{key.Name: "-1"})
			switch {
			case !has && (len(problems) != 1 || problems[0].Idle != "not possible on this cloud" || !problems[0].Warning):
				t.Errorf("%s does not say that it cannot do %s: %v", k.name, key.Name, problems)
			case has && declared.Impossible != "":
				if len(problems) != 1 || problems[0].Idle != declared.Impossible || !problems[0].Warning {
					t.Errorf("%s does not say why it cannot do %s: %v", k.name, key.Name, problems)
				}
			case has && declared.Max > 0 && (len(problems) != 1 || problems[0].Warning || problems[0].Key != key.Name):
				t.Errorf("%s takes -1 for %s: %v", k.name, key.Name, problems)
			}
		}
	}
}

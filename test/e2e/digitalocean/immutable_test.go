package digitalocean_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// fixed is an annotation whose field the API can't change. field is its name in events.
type fixed struct {
	row
	field string
}

var fixedRows = map[string]fixed{
	upstream + "type": {row{
		sample: "REGIONAL", observe: kind, want: "REGIONAL", absent: "REGIONAL_NETWORK",
		bad: "GLOBAL", says: "REGIONAL or REGIONAL_NETWORK",
	}, "type"},
	portable + "internal": {row{
		sample: "true", samples: map[string]string{upstream + "network": "INTERNAL"},
		observe: network, want: "INTERNAL", absent: "EXTERNAL",
		bad: "PRIVATE", says: "INTERNAL or EXTERNAL",
	}, "scope"},
	upstream + "network-stack": {row{
		with: regional(), sample: "IPV4", observe: stack, want: "IPV4", absent: "DUALSTACK",
		bad: "IPV6", says: "IPV4, DUALSTACK",
	}, "dualStack"},
	portable + "subnet": {row{
		sample: "5ab0e7f0-d0d0-4000-8000-00000000000a", observe: subnet, want: "5ab0e7f0-d0d0-4000-8000-00000000000a", absent: "",
		bad: "my/subnet", says: "the UUID of a subnet of the VPC",
	}, "subnet"},
	portable + "address": {row{
		sample: "203.0.113.77", observe: address, want: "203.0.113.77",
		bad: "2001:db8::1", says: "an IPv4 address",
	}, "ip"},
}

// TestImmutable sets each such annotation on a new balancer, where it counts, and on an
// existing one, which stays as it is, with its address, until replacement is allowed.
func TestImmutable(t *testing.T) {
	parallel(t)
	for _, key := range known {
		f, ok := fixedRows[key.Name]
		if !ok {
			continue
		}
		for _, spelling := range key.Spellings() {
			t.Run("new/"+spelling, func(t *testing.T) {
				parallel(t)
				f.fresh(t, spelling)
			})
			t.Run("existing/"+spelling, func(t *testing.T) {
				parallel(t)
				f.existing(t, key, spelling)
			})
		}
	}
}

func (f fixed) value(spelling string) string {
	if other, ok := f.samples[spelling]; ok {
		return other
	}
	return f.sample
}

func (f fixed) fresh(t *testing.T, spelling string) {
	annotations := withCertificate(f.with)
	annotations[spelling] = f.value(spelling)
	s := create(t, annotations)
	f.see(s, f.want)
}

func (f fixed) existing(t *testing.T, key annotation.Key, spelling string) {
	s := create(t, f.with)
	_, before := s.ready()
	if f.field != "ip" {
		f.see(s, f.absent)
	}
	refuses(s, map[string]string{spelling: f.bad}, spelling, f.bad, f.says)

	// Whatever else changed is still done.
	s.annotate(map[string]string{spelling: f.value(spelling)})
	s.event("LoadBalancerImmutableChange", f.field, strconv.Quote(f.wanted()), "cannot change", portable+"allow-replacement")
	after := s.proof()
	if after.ID != before.ID || after.IP != before.IP || f.observe(&after) != f.observe(&before) {
		t.Fatalf("the balancer changed:\nbefore %s\nafter  %s", summary(before), summary(after))
	}

	s.annotate(map[string]string{annotation.AllowReplacement.Name: "true"})
	replaced := s.balancer(func(b *do.Balancer) error {
		if b.ID == before.ID {
			return errors.New("it is the old one")
		}
		return errors.Join(same(f.observe(b), f.want), active(b))
	})
	s.touch()
	s.await(serving(replaced))
}

// wanted is the value in events, which are about portable fields.
func (f fixed) wanted() string {
	switch f.field {
	case "scope":
		return "internal"
	case "dualStack":
		return "false"
	}
	return f.want
}

// serving is serves as a check.
func serving(b do.Balancer) func(*corev1.Service) error {
	return func(svc *corev1.Service) error { return serves(svc, b) }
}

// serves returns nil when the Service names the balancer and its first address.
func serves(svc *corev1.Service, b do.Balancer) error {
	if svc.Annotations[idKey] != b.ID {
		return fmt.Errorf("the id annotation is %q and not %q", svc.Annotations[idKey], b.ID)
	}
	for _, i := range svc.Status.LoadBalancer.Ingress {
		if i.IP == b.IP {
			return nil
		}
	}
	return fmt.Errorf("the status is %+v and not %s", svc.Status.LoadBalancer.Ingress, b.IP)
}

// TestImmutableVPC: the VPC is not an annotation but a setting of the process.
func TestImmutableVPC(t *testing.T) {
	ccm := start(t, nil)
	s := create(t, nil)
	_, before := s.ready()

	other := env.Cloud.VPCs.Add("other", "nyc3")
	ccm.restart(map[string]string{"DO_CLUSTER_VPC_ID": other.ID})
	s.event("LoadBalancerImmutableChange", "vpc", before.VPCUUID, other.ID)
	if after := s.proof(); after.ID != before.ID || after.IP != before.IP || after.VPCUUID != before.VPCUUID {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %s", summary(before), summary(after))
	}
}

// TestIgnoredOnNetworkBalancers sets everything that only REGIONAL balancers have.
func TestIgnoredOnNetworkBalancers(t *testing.T) {
	parallel(t)
	s := create(t, nil)
	before := s.balancer(active)
	given := map[string]string{}
	for _, key := range known {
		if r, ok := rows[key.Name]; ok && key.Applies == "REGIONAL" {
			given[key.Spellings()[len(key.Aliases)]] = fill(s, r.sample)
		}
	}
	if len(given) < 15 {
		t.Fatalf("only %d annotations are for REGIONAL balancers", len(given))
	}
	given[upstream+"algorithm"] = "least_connections"
	for keys := range slices.Chunk(slices.Sorted(maps.Keys(given)), 2) { // an event holds no more
		some := map[string]string{}
		for _, key := range keys {
			some[key] = given[key]
		}
		s.annotate(some)
		for _, key := range keys {
			s.event("ConfigurationIgnored", key, "REGIONAL_NETWORK")
		}
		s.unset(keys...)
	}
	s.annotate(given)
	s.event("ConfigurationIgnored", "more: cloud-controller-manager explain service default/"+s.name)
	after := s.proof()
	after.Firewall = before.Firewall
	if summary(after) != summary(before) {
		t.Errorf("the balancer changed:\nbefore %s\nafter  %s", summary(before), summary(after))
	}
	// Upstream never looked at the protocol of a network balancer.
	s.annotate(map[string]string{upstream + "protocol": "smtp"})
	s.proof()
}

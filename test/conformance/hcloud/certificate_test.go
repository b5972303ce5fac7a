package hcloud_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

const managedName = "ccm-managed-certificate-" + uid

// managed returns upstream's annotations of a managed certificate, and others.
func managed(domains string, more ...string) map[string]string {
	all := map[string]string{"protocol": "443=https", "certificate-type": "Managed", "http-managed-certificate-domains": domains}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// certificates are the managed ones, by name.
func (l *lab) certificates() map[string]emulator.Certificate {
	all := map[string]emulator.Certificate{}
	for _, c := range l.server.State().Certificates {
		if c.Type == "managed" {
			all[c.Name] = c
		}
	}
	return all
}

// TestManagedCertificate follows one from its making to its end.
func TestManagedCertificate(t *testing.T) {
	l := newLab(t, 1, managed("example.com", "http-managed-certificate-acme-staging", "true"))
	l.want("made", writes(l.ensure()), "POST /certificates", "POST /load_balancers")
	one := l.certificates()[managedName]
	if one.Labels["hcloud-ccm/service-uid"] != uid || one.Labels["HC-Use-Staging-CA"] != "true" || !slices.Equal(one.DomainNames, []string{"example.com"}) {
		t.Fatalf("certificate %+v", one)
	}
	l.want("again", writes(l.ensure()))

	l.annotate(managed("example.com", "http-managed-certificate-name", "front"))
	l.want("renamed", writes(l.ensure()), "PUT /certificates/1500002")

	l.annotate(managed("www.example.com,example.com", "http-managed-certificate-name", "front"))
	l.want("other domains: made, used, and only then deleted", writes(l.ensure()),
		"PUT /certificates/1500002", "POST /certificates", actions+"update_service", "DELETE /certificates/1500002")
	if all := l.certificates(); len(all) != 1 || len(all["front"].DomainNames) != 2 {
		t.Errorf("certificates %v", all)
	}

	l.annotate(map[string]string{"protocol": "443=https", "http-certificates": "shop.example.com-by-hand"})
	if requests, err := l.try(); err == nil || len(writes(requests)) > 0 {
		t.Errorf("an unknown certificate: requests %v, error %v", requests, err)
	}
	l.annotate(managed("www.example.com,example.com", "http-managed-certificate-name", "front"))
	l.ensure()
	l.leave()
	if all := l.certificates(); len(all) > 0 || len(l.server.State().Balancers) > 0 {
		t.Errorf("left: %v, %v", slices.Collect(maps.Keys(all)), l.server.State().Balancers)
	}
}

// TestManagedCertificateGoes where the Service wants another one.
func TestManagedCertificateGoes(t *testing.T) {
	l := newLab(t, 1, managed("example.com"))
	l.ensure()
	l.annotate(map[string]string{"protocol": "443=https", "http-certificates": certificate})
	l.want("an uploaded one", writes(l.ensure()), actions+"update_service", "DELETE /certificates/1500002")
}

// TestCertificatesAtADeletion: they are read once where no load balancer uses any, when the load balancer is gone. What is left
// of a former wish goes then, or at once where the cloud protects the load balancer, which stays.
func TestCertificatesAtADeletion(t *testing.T) {
	for name, c := range map[string]struct {
		left, reads int
		protected   bool
	}{
		"none":                        {0, 1, false},
		"one that a former wish left": {1, 2, false},
		"beside a protected one":      {1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1, nil)
			l.ensure()
			deletions := []string{"DELETE /load_balancers/3000001"}
			if c.protected {
				l.edit(func(b *emulator.Balancer) { b.Protection.Delete = true })
				deletions = []string{"PUT /load_balancers/3000001"}
			}
			for range c.left {
				client := sdk.NewClient(sdk.WithEndpoint(l.env["HCLOUD_ENDPOINT"]), sdk.WithToken(l.env["HCLOUD_TOKEN"]))
				made, _, err := client.Certificate.CreateCertificate(t.Context(), sdk.CertificateCreateOpts{
					Name: managedName, Type: sdk.CertificateTypeManaged, DomainNames: []string{"example.com"},
					Labels: map[string]string{"hcloud-ccm/service-uid": uid},
				})
				if err != nil {
					t.Fatal(err)
				}
				deletions = append(deletions, fmt.Sprintf("DELETE /certificates/%d", made.Certificate.ID))
			}
			requests := l.leave()
			l.want("deletions", writes(requests), deletions...)
			reads := slices.DeleteFunc(requests, func(r string) bool { return !strings.HasPrefix(r, "GET /certificates") })
			if len(reads) != c.reads {
				t.Errorf("certificates were read %d times, want %d", len(reads), c.reads)
			}
			if state := l.server.State(); len(state.Balancers) > 0 != c.protected || len(l.certificates()) > 0 {
				t.Errorf("left: %v, %v", state.Balancers, l.certificates())
			}
		})
	}
}

// TestNameOfACertificateIsTaken is said, and the other port serves.
func TestNameOfACertificateIsTaken(t *testing.T) {
	l := newLab(t, 1, managed("example.com", "http-managed-certificate-name", "shop"))
	requests, err := l.try()
	l.want("a name that is taken", writes(requests), "POST /certificates", "POST /load_balancers")
	if services := l.balancer().Services; len(services) != 1 || services[0].ListenPort != 80 {
		t.Errorf("services %+v", services)
	}
	if err == nil || !l.said("another one has this name") {
		t.Errorf("error %v, events %q", err, l.events)
	}
}

// unissued is a lab with three nodes whose cloud issues no certificate, and says that it failed that long ago.
func unissued(t *testing.T, ago time.Duration) *lab {
	t.Helper()
	server, _ := start(t, emulator.Options{Now: func() time.Time { return time.Now().Add(-ago) }})
	l := newLabOn(t, server, "web", uid, managed("example.com"))
	for _, machine := range server.SeedMachines(3) {
		l.nodes = append(l.nodes, node(machine))
	}
	for _, command := range []string{"create_certificate", "issue_certificate"} {
		if err := server.FailActions(emulator.ActionFault{Command: command, Code: "dns_zone_not_found"}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestIssuanceRests: a failed issuance is not repeated at once, whatever the Service is looked at for and by whichever
// process.
func TestIssuanceRests(t *testing.T) {
	l := unissued(t, 0)
	_, _ = l.try()
	requests, _ := l.try()
	l.want("the next pass", writes(requests), "POST /load_balancers")
	l.restart()
	l.svc.Spec.Ports[0].NodePort++
	requests, _ = l.try()
	l.want("another process", writes(requests), actions+"update_service")
	if !l.said("dns_zone_not_found") {
		t.Errorf("events %q", l.events)
	}
}

// TestIssuanceFails: what needs the certificate waits, while the rest serves and follows the nodes.
func TestIssuanceFails(t *testing.T) {
	l := unissued(t, time.Hour)
	nodes := l.nodes
	l.nodes = nodes[:2]
	if _, err := l.try(); err == nil {
		t.Error("no error")
	}
	requests, _ := l.try()
	l.want("after an hour", writes(requests), "POST /load_balancers", "POST /certificates/1500001/actions/retry")
	if services := l.balancer().Services; len(services) != 1 || services[0].ListenPort != 80 || !l.said("dns_zone_not_found") {
		t.Errorf("services %+v, events %q", services, l.events)
	}
	l.nodes = nodes
	l.svc.Spec.Ports[0].NodePort++
	for range 2 {
		_, _ = l.try() // the first one tells of the retry, and changes targets
	}
	if b := l.balancer(); len(b.Targets) != 3 || b.Services[0].DestinationPort != int(l.svc.Spec.Ports[0].NodePort) || len(l.certificates()) != 1 {
		t.Errorf("targets %+v, service %+v, certificates %v", b.Targets, b.Services[0], l.certificates())
	}
	l.server.ClearActionFaults()
	_, _ = l.try()
	l.ensure()
	if services := l.balancer().Services; len(services) != 2 {
		t.Errorf("issued at last: services %+v", services)
	}
	l.want("again", writes(l.ensure()))
}

// TestCertificateOfARestoredCluster: Services of clusters that were restored from one backup have equal UIDs. Where they have a load
// balancer each, they have a certificate each. One without a cluster, as upstream makes it, is that of the first to change.
func TestCertificateOfARestoredCluster(t *testing.T) {
	for name, labels := range map[string]map[string]string{"ours": nil, "upstream's": {"hcloud-ccm/service-uid": uid}} {
		t.Run(name, func(t *testing.T) {
			first := newLab(t, 1, managed("example.com", "http-managed-certificate-name", "first"))
			another := first.theirs("another", nil).ID
			first.edit(func(b *emulator.Balancer) { b.Targets = nil })
			first.ensure()
			if labels != nil {
				client := sdk.NewClient(sdk.WithEndpoint(first.env["HCLOUD_ENDPOINT"]), sdk.WithToken(first.env["HCLOUD_TOKEN"]))
				if _, _, err := client.Certificate.Update(t.Context(), &sdk.Certificate{ID: 1500002}, sdk.CertificateUpdateOpts{Labels: labels}); err != nil {
					t.Fatal(err)
				}
				first.want("takes it over", writes(first.ensure()), "PUT /certificates/1500002")
			}
			before := first.certificates()["first"]
			second := newLabOn(t, first.server, "web", uid, managed("example.com", "http-managed-certificate-name", "second", "name", "another", "id", strconv.FormatInt(another, 10)))
			second.nodes, second.cluster = first.nodes, "restored"
			second.restart()
			second.ensure()
			second.annotate(managed("example.com", "http-managed-certificate-name", "renamed", "name", "another"))
			second.want("renamed", writes(second.ensure()), "PUT /certificates/1500003")
			second.annotate(map[string]string{"protocol": "443=https", "http-certificates": certificate, "name": "another"})
			second.want("an uploaded one", writes(second.ensure()), actions+"update_service", "DELETE /certificates/1500003")
			if all := first.certificates(); len(all) != 1 || !cmp.Equal(all["first"], before) {
				t.Errorf("certificates %+v, want %+v", all, before)
			}
			first.want("nothing is missing", writes(first.ensure()))
		})
	}
}

// TestSharedCertificate: where somebody puts the certificate of one such cluster on the load balancer of the other, that one gets one of
// its own. The deletion of one Service leaves the other's load balancer and what it uses.
func TestSharedCertificate(t *testing.T) {
	one := newLab(t, 1, managed("example.com", "http-managed-certificate-name", "one"))
	another := one.theirs("another", nil).ID
	one.edit(func(b *emulator.Balancer) { b.Targets = nil })
	one.ensure()
	with := func(more ...string) map[string]string {
		return managed("example.com", append(more, "name", "another", "id", strconv.FormatInt(another, 10))...)
	}
	second := newLabOn(t, one.server, "web", uid, with("http-managed-certificate-name", "second"))
	second.nodes, second.cluster = one.nodes, "restored"
	second.restart()
	second.ensure()
	client := sdk.NewClient(sdk.WithEndpoint(one.env["HCLOUD_ENDPOINT"]), sdk.WithToken(one.env["HCLOUD_TOKEN"]))
	shared := sdk.LoadBalancerUpdateServiceOpts{HTTP: &sdk.LoadBalancerUpdateServiceOptsHTTP{Certificates: []*sdk.Certificate{{ID: 1500002}}}}
	if _, _, err := client.LoadBalancer.UpdateService(t.Context(), &sdk.LoadBalancer{ID: another}, 443, shared); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Certificate.Delete(t.Context(), &sdk.Certificate{ID: 1500003}); err != nil {
		t.Fatal(err)
	}
	second.want("what the first one labelled", writes(second.ensure()), "POST /certificates", "POST /load_balancers/3000001/actions/update_service")
	one.want("with another name", writes(one.ensure()))
	one.leave()
	if b := one.server.State().Balancers; len(b) != 1 || b[0].ID != another || len(one.certificates()) != 1 {
		t.Errorf("left: %v, %v", b, one.certificates())
	}
	second.want("what is left", writes(second.ensure()))
	second.leave()
	if all := one.certificates(); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

// TestCertificateOfARenamedCluster: what serves stays the Service's when its cluster gets another id.
func TestCertificateOfARenamedCluster(t *testing.T) {
	l := newLab(t, 1, managed("example.com"))
	l.ensure()
	l.cluster, l.former = "renamed", []string{l.cluster}
	l.restart()
	l.want("another name", writes(l.ensure()), "PUT /certificates/1500002", "PUT "+first)
	l.want("again", writes(l.ensure()))
	l.leave()
	if all := l.certificates(); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}

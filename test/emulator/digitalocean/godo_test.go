package digitalocean_test

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// vendorClient is the vendor's own client, pointed at the emulator.
func vendorClient(t *testing.T, a *api) *godo.Client {
	t.Helper()
	c, err := godo.New(client(t), godo.SetBaseURL(a.url), godo.SetRequestHeaders(map[string]string{"Authorization": "Bearer " + a.token}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGodoPagesThroughDroplets(t *testing.T) {
	a := start(t, digitalocean.Options{})
	a.Droplets.Seed(250, func(d *digitalocean.Droplet) { d.PublicIPv6 = "2001:db8::1" })
	c := vendorClient(t, a)
	seen := map[int]bool{}
	options := &godo.ListOptions{Page: 1, PerPage: 100}
	for {
		page, response, err := c.Droplets.List(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page {
			seen[d.ID] = true
			if private, err := d.PrivateIPv4(); err != nil || private == "" || d.Region.Slug != "nyc3" {
				t.Fatalf("droplet %v: %v", d, err)
			}
		}
		if response.Links.IsLastPage() {
			break
		}
		current, err := response.Links.CurrentPage()
		if err != nil {
			t.Fatal(err)
		}
		options.Page = current + 1
	}
	if len(seen) != 250 || a.Counters().Of("GET /v2/droplets") != 3 {
		t.Errorf("%d droplets in %d calls", len(seen), a.Counters().Of("GET /v2/droplets"))
	}
	byName, _, err := c.Droplets.ListByName(t.Context(), "node-7", nil)
	if err != nil || len(byName) != 1 {
		t.Errorf("%d droplets by name: %v", len(byName), err)
	}
}

func TestGodoBalancerRoundTrip(t *testing.T) {
	a := start(t, digitalocean.Options{})
	d := a.Droplets.Seed(2)
	certificate := a.Certificates.Add("c", digitalocean.CertificateLetsEncrypt)
	lbs := vendorClient(t, a).LoadBalancers
	idle := uint64(120)
	made, _, err := lbs.Create(t.Context(), &godo.LoadBalancerRequest{
		Name: "web", Region: "nyc3", Type: godo.LoadBalancerTypeRegional, SizeUnit: 2, DropletIDs: []int{d[0].ID},
		Tags: []string{"k8s:one"}, HTTPIdleTimeoutSeconds: &idle, RedirectHttpToHttps: true,
		ForwardingRules: []godo.ForwardingRule{
			{EntryProtocol: "http", EntryPort: 80, TargetProtocol: "http", TargetPort: 30080},
			{EntryProtocol: "https", EntryPort: 443, TargetProtocol: "http", TargetPort: 30080, CertificateID: certificate.ID},
		},
		Firewall: &godo.LBFirewall{Deny: []string{godo.IPSourceFirewall("192.0.2.1")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := lbs.Get(t.Context(), made.ID)
	if err != nil || got.IP == "" || got.Status != "active" {
		t.Fatalf("balancer %v: %v", got, err)
	}
	before := a.State().JSON()
	if _, _, err := lbs.Update(t.Context(), got.ID, got.AsRequest()); err != nil {
		t.Fatal(err)
	}
	if after := a.State().JSON(); after != before {
		t.Errorf("an update with what was read changed something:\n%s\nbefore\n%s", after, before)
	}
	if _, err := lbs.AddDroplets(t.Context(), got.ID, d[1].ID); err != nil {
		t.Error(err)
	}
	extra := godo.ForwardingRule{EntryProtocol: "tcp", EntryPort: 22, TargetProtocol: "tcp", TargetPort: 30022}
	if _, err := lbs.AddForwardingRules(t.Context(), got.ID, extra); err != nil {
		t.Error(err)
	}
	if _, err := lbs.RemoveForwardingRules(t.Context(), got.ID, extra); err != nil {
		t.Error(err)
	}
	_, err = lbs.RemoveForwardingRules(t.Context(), got.ID, got.ForwardingRules[0]) // the redirect needs it
	refused(t, err, http.StatusUnprocessableEntity)
	if list, _, err := lbs.ListByNames(t.Context(), []string{"web"}, nil); err != nil || len(list) != 1 || len(list[0].DropletIDs) != 2 {
		t.Errorf("by name %v: %v", list, err)
	}
	if list, _, err := lbs.ListByUUIDs(t.Context(), []string{"none"}, nil); err != nil || len(list) != 0 {
		t.Errorf("by id %v: %v", list, err)
	}
	_, _, err = lbs.Create(t.Context(), &godo.LoadBalancerRequest{Name: "web", Region: "nyc3", ValidateOnly: true})
	refused(t, err, http.StatusUnprocessableEntity)
	if _, err := lbs.Delete(t.Context(), got.ID); err != nil {
		t.Error(err)
	}
	_, _, err = lbs.Get(t.Context(), got.ID)
	refused(t, err, http.StatusNotFound)
}

func refused(t *testing.T, err error, status int) {
	t.Helper()
	var response *godo.ErrorResponse
	if !errors.As(err, &response) || response.Response.StatusCode != status || response.Message == "" || response.RequestID == "" {
		t.Errorf("error %v, want status %d with message and request id", err, status)
	}
}

func TestGodoOtherResources(t *testing.T) {
	a := start(t, digitalocean.Options{})
	droplet := a.Droplets.Seed(1)[0]
	a.Certificates.Add("c", digitalocean.CertificateCustom)
	c := vendorClient(t, a)
	ctx := t.Context()
	if account, _, err := c.Account.Get(ctx); err != nil || account.UUID == "" {
		t.Errorf("account %v: %v", account, err)
	}
	if regions, _, err := c.Regions.List(ctx, nil); err != nil || len(regions) == 0 {
		t.Errorf("regions %v: %v", regions, err)
	}
	if vpcs, _, err := c.VPCs.List(ctx, nil); err != nil || len(vpcs) != 1 || vpcs[0].ID != droplet.VPC {
		t.Errorf("VPCs %v: %v", vpcs, err)
	}
	if list, _, err := c.Certificates.ListByName(ctx, "c", nil); err != nil || len(list) != 1 {
		t.Errorf("certificates %v: %v", list, err)
	}
	tag := &godo.TagResourcesRequest{Resources: []godo.Resource{{ID: strconv.Itoa(droplet.ID), Type: godo.DropletResourceType}}}
	_, err := c.Tags.TagResources(ctx, "workers", tag)
	refused(t, err, http.StatusNotFound)
	if _, _, err := c.Tags.Create(ctx, &godo.TagCreateRequest{Name: "workers"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Tags.TagResources(ctx, "workers", tag); err != nil {
		t.Error(err)
	}
	firewall, _, err := c.Firewalls.Create(ctx, &godo.FirewallRequest{Name: "f", Tags: []string{"workers"}, OutboundRules: []godo.OutboundRule{
		{Protocol: "icmp", Destinations: &godo.Destinations{Addresses: []string{"0.0.0.0/0"}}},
	}})
	if err != nil || firewall.OutboundRules[0].PortRange != "0" || len(firewall.Tags) != 1 {
		t.Errorf("firewall %v: %v", firewall, err)
	}
}

package hcloud_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/metadata"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func TestServersAreListedInPages(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.SeedMachines(120)
	all, err := a.Client.Server.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 120 {
		t.Fatalf("%d servers, want 120", len(all))
	}
	if got := a.Counters().Of("GET /v1/servers"); got != 3 {
		t.Errorf("%d pages, want 3", got)
	}
	page, response, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{ListOpts: sdk.ListOpts{Page: 2}})
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.Pagination{Page: 2, PerPage: 25, PreviousPage: 1, NextPage: 3, LastPage: 5, TotalEntries: 120}
	if len(page) != 25 || *response.Meta.Pagination != want {
		t.Errorf("page 2 has %d servers, %+v, want %+v", len(page), *response.Meta.Pagination, want)
	}
	if got := a.want(200, "GET", "/servers?page=9", nil); !strings.Contains(got.text, `"servers":[]`) {
		t.Errorf("a page behind the last: %s", got.text)
	}
}

func TestServersAreFound(t *testing.T) {
	a := start(t, hcloud.Options{})
	network := a.AddNetwork(hcloud.Network{})
	seeded := a.SeedMachines(3, func(m *hcloud.Machine) { m.Labels = map[string]string{"role": m.Name} })
	a.AddMachine(hcloud.Machine{Name: "bare", Status: hcloud.MachineOff, IPv6: "2001:db8:9::/64"})

	one, _, err := a.Client.Server.GetByName(t.Context(), "node-1")
	if err != nil || one == nil || one.ID != seeded[1].ID {
		t.Fatalf("by name: %+v %v", one, err)
	}
	if one.PublicNet.IPv4.IP.String() != seeded[1].IPv4 || one.PublicNet.IPv6.Network.String() != seeded[1].IPv6 || one.ServerType.Name != "cx22" || one.Location.Name != "fsn1" {
		t.Errorf("a server: %+v", one)
	}
	if len(one.PrivateNet) != 1 || one.PrivateNet[0].Network.ID != network.ID || one.PrivateNet[0].IP.String() != seeded[1].Private[0].IP {
		t.Errorf("its network: %+v", one.PrivateNet)
	}
	bare, _, err := a.Client.Server.GetByName(t.Context(), "bare")
	if err != nil || bare.Status != sdk.ServerStatusOff || !bare.PublicNet.IPv4.IsUnspecified() || bare.PublicNet.IPv6.IsUnspecified() || len(bare.PrivateNet) != 0 {
		t.Errorf("a server without IPv4: %+v %v", bare, err)
	}
	if gone, _, err := a.Client.Server.GetByID(t.Context(), 1); gone != nil || err != nil {
		t.Errorf("an id that does not exist: %v %v", gone, err)
	}
	for selector, want := range map[string]int{"role=node-1": 1, "role in (node-0,node-2)": 2, "role": 3, "!role": 1, "role!=node-1": 3, "role==node-1,role": 1} {
		got, _, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{ListOpts: sdk.ListOpts{LabelSelector: selector}})
		if err != nil || len(got) != want {
			t.Errorf("%s: %d servers, %v, want %d", selector, len(got), err, want)
		}
	}
}

func TestListsAreSortedAndStrict(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.SeedMachines(3)
	all, _, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{Sort: []string{"name:desc", "id"}})
	if err != nil || len(all) != 3 || all[0].Name != "node-2" {
		t.Errorf("by name: %v %v", all, err)
	}
	a.refused("common/sort", "GET", "/servers?sort=colour", nil)
	a.refused("common/sort", "GET", "/servers?sort=name:up", nil)
	a.refused("common/query", "GET", "/servers?label=x", nil)
	a.refused("common/paging", "GET", "/servers?page=0", nil)
	a.refused("common/selector", "GET", "/servers?label_selector=a%3E1", nil)
	if got := a.refused("common/selector", "GET", "/servers?label_selector=,,", nil); got.code() != "invalid_input" || !slices.Equal(got.fields(), []string{"label_selector"}) {
		t.Errorf("a bad selector: %s", got.text)
	}
	if got := a.refused("common/not-found", "GET", "/nonsense", nil); got.status != 404 || got.code() != "not_found" {
		t.Errorf("an unknown path: %s", got.text)
	}
	if page := a.want(200, "GET", "/servers?per_page=1000", nil); !strings.Contains(page.text, `"per_page":50`) {
		t.Errorf("a large page: %s", page.text)
	}
}

func TestLocations(t *testing.T) {
	a := start(t, hcloud.Options{})
	all, err := a.Location.All(t.Context())
	if err != nil || len(all) != 6 {
		t.Fatalf("%v %v", all, err)
	}
	one, _, err := a.Location.GetByName(t.Context(), "hil")
	if err != nil || one.NetworkZone != sdk.NetworkZoneUSWest {
		t.Errorf("hil: %+v %v", one, err)
	}
}

func TestProjectsAreApart(t *testing.T) {
	a := start(t, hcloud.Options{})
	a.SeedMachines(2)
	other := a.In("other").SeedMachines(1)
	a.SetToken("rotated", "default")
	a.SetToken("others", "other")
	a.SetReadToken("reader", "default")
	for token, want := range map[string]int{"test-token": 2, "rotated": 2, "others": 1, "reader": 2} {
		if all, err := a.client(token).Server.All(t.Context()); err != nil || len(all) != want {
			t.Errorf("%s sees %d servers, %v, want %d", token, len(all), err, want)
		}
	}
	if one, _, err := a.Client.Server.GetByID(t.Context(), other[0].ID); one != nil || err != nil {
		t.Errorf("another project's server: %v %v", one, err)
	}
	if a.State().Machines[0].ID == other[0].ID {
		t.Error("two projects share an id")
	}
	a.RevokeToken("rotated")
	if _, err := a.client("rotated").Server.All(t.Context()); code(err) != sdk.ErrorCodeUnauthorized {
		t.Errorf("a revoked token: %v", err)
	}
	a.token = "rotated"
	a.refused("common/token", "GET", "/servers", nil)
	network := a.AddNetwork(hcloud.Network{})
	a.token = "reader"
	if got := a.refused("common/read-only", "POST", fmt.Sprintf("/networks/%d/actions/add_route", network.ID), object{}); got.status != 403 || got.code() != "forbidden" {
		t.Errorf("a token for reading: %s", got.text)
	}
	if got := a.want(404, "GET", "/networks/1", nil); got.code() != "not_found" {
		t.Errorf("a network that does not exist: %s", got.text)
	}
}

func TestMetadata(t *testing.T) {
	a := start(t, hcloud.Options{})
	client := metadata.NewClient(metadata.WithEndpoint(a.MetadataEndpoint()))
	if client.IsHcloudServerWithContext(t.Context()) {
		t.Error("without a server the metadata service answers")
	}
	alone := a.SeedMachines(1)[0]
	a.SetSelf(alone.ID)
	if text, err := client.PrivateNetworksWithContext(t.Context()); err != nil || text != "[]" {
		t.Errorf("without a network: %q %v", text, err)
	}
	network := a.AddNetwork(hcloud.Network{})
	if err := a.Attach(alone.ID, network.ID, "10.0.0.7"); err != nil {
		t.Fatal(err)
	}
	text, err := client.PrivateNetworksWithContext(t.Context())
	if err != nil || !strings.Contains(text, fmt.Sprintf("network_id: %d\n", network.ID)) || !strings.HasPrefix(text, "- ip: 10.0.0.7\n") {
		t.Errorf("in a network: %q %v", text, err)
	}
	if id, err := client.InstanceIDWithContext(t.Context()); err != nil || id != alone.ID {
		t.Errorf("instance id %d %v", id, err)
	}
}

package hcloud_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	sdk "github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// route is the i-th route of a test.
func route(i int) sdk.NetworkRoute {
	_, destination, err := net.ParseCIDR(fmt.Sprintf("10.244.%d.0/24", i))
	if err != nil {
		panic(err)
	}
	return sdk.NetworkRoute{Destination: destination, Gateway: net.IPv4(10, 0, 0, byte(10+i))}
}

func TestRoutes(t *testing.T) {
	a := start(t, hcloud.Options{})
	id := a.AddNetwork(hcloud.Network{Name: "cluster", IPRange: "10.0.0.0/8", Subnets: []hcloud.Subnet{{IPRange: "10.0.0.0/16"}}}).ID
	seeded := a.SeedMachines(2)
	network, _, err := a.Network.GetByName(t.Context(), "cluster")
	if err != nil || network.ID != id || len(network.Servers) != 2 || network.Servers[1].ID != seeded[1].ID || network.Subnets[0].Gateway.String() != "10.0.0.1" {
		t.Fatalf("%+v %v", network, err)
	}
	for i := range 2 {
		action, _, err := a.Network.AddRoute(t.Context(), network, sdk.NetworkAddRouteOpts{Route: route(i)})
		if err != nil || action.Status != sdk.ActionStatusRunning || action.Command != "add_route" || action.Resources[0].ID != id {
			t.Fatalf("route %d: %+v %v", i, action, err)
		}
		if err := a.Action.WaitFor(t.Context(), action); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := a.Network.DeleteRoute(t.Context(), network, sdk.NetworkDeleteRouteOpts{Route: route(0)}); err != nil {
		t.Fatal(err)
	}
	want := []hcloud.Route{{Destination: "10.244.1.0/24", Gateway: "10.0.0.11"}}
	if got := a.State().Networks[0].Routes; !slices.Equal(got, want) {
		t.Errorf("routes %v, want %v", got, want)
	}
	if _, _, err := a.Network.DeleteRoute(t.Context(), network, sdk.NetworkDeleteRouteOpts{Route: route(0)}); code(err) != sdk.ErrorCodeNotFound {
		t.Errorf("a route that is gone: %v", err)
	}
	a.refused("route/absent", "POST", fmt.Sprintf("/networks/%d/actions/delete_route", id), object{"destination": "10.244.1.0/24", "gateway": "10.0.0.12"})
}

func TestRoutesThatAreRefused(t *testing.T) {
	a := start(t, hcloud.Options{})
	id := a.AddNetwork(hcloud.Network{IPRange: "10.0.0.0/8", Subnets: []hcloud.Subnet{{IPRange: "10.0.0.0/16"}}, Routes: []hcloud.Route{{Destination: "0.0.0.0/0", Gateway: "10.0.0.2"}, {Destination: "10.244.0.0/24", Gateway: "10.0.0.2"}}}).ID
	path := fmt.Sprintf("/networks/%d/actions/add_route", id)
	good := object{"destination": "10.244.1.0/24", "gateway": "10.0.0.3"}
	for _, row := range []struct {
		rule string
		body any
	}{
		{"common/json", "{"},
		{"common/json", ""},
		{"common/fields", good.with(object{"metric": 1})},
		{"common/fields", good.with(object{"gateway": 1})},
		{"route/ipv4", good.with(object{"destination": "2001:db8::/64"})},
		{"route/ipv4", good.with(object{"destination": "10.244.1.1/24"})},
		{"route/ipv4", good.with(object{"gateway": nil})},
		{"route/destination", good.with(object{"destination": "10.0.3.0/24"})},
		{"route/destination", good.with(object{"destination": "10.244.0.0/25"})},
		{"route/destination", good.with(object{"destination": "0.0.0.0/0"})},
		{"route/destination", good.with(object{"destination": "172.31.0.0/16"})},
		{"route/gateway", good.with(object{"gateway": "10.0.0.1"})},
		{"route/gateway-inside", good.with(object{"gateway": "192.168.0.1"})},
	} {
		a.refused(row.rule, "POST", path, row.body)
	}
	if got := a.refused("route/ipv4", "POST", path, object{}); !slices.Equal(got.fields(), []string{"destination", "gateway"}) {
		t.Errorf("an empty request: fields %v", got.fields())
	}
	for i := 2; i < 100; i++ {
		a.want(201, "POST", path, object{"destination": fmt.Sprintf("10.244.%d.0/24", i), "gateway": "10.0.0.3"})
	}
	if got := a.refused("route/limit", "POST", path, good); got.status != 403 || got.code() != "resource_limit_exceeded" {
		t.Errorf("route 101: %s", got.text)
	}
}

func TestOneChangeOfANetworkAtATime(t *testing.T) {
	a := start(t, hcloud.Options{Delay: -1})
	network := a.AddNetwork(hcloud.Network{})
	other := a.AddNetwork(hcloud.Network{Name: "other"})
	add := func(n hcloud.Network, i int) error {
		_, _, err := a.Network.AddRoute(t.Context(), &sdk.Network{ID: n.ID}, sdk.NetworkAddRouteOpts{Route: route(i)})
		return err
	}
	if err := add(network, 0); err != nil {
		t.Fatal(err)
	}
	if err := add(network, 1); code(err) != sdk.ErrorCodeLocked {
		t.Errorf("a second route: %v", err)
	}
	if err := add(other, 1); err != nil {
		t.Errorf("another network: %v", err)
	}
	if state := a.State(); len(state.Networks[0].Routes) != 0 || !slices.Equal(state.Running, []string{"add_route", "add_route"}) {
		t.Errorf("before the end: %s", state.JSON())
	}
	a.FinishActions()
	if state := a.State(); len(state.Networks[0].Routes) != 1 || len(state.Running) != 0 {
		t.Errorf("after the end: %s", state.JSON())
	}
	if err := add(network, 1); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

func TestActionsEndFailAndConflict(t *testing.T) {
	a := start(t, hcloud.Options{Delay: time.Millisecond, Conflict: true})
	network := a.AddNetwork(hcloud.Network{})
	if err := a.FailActions(hcloud.ActionFault{Command: "add_route", Code: "action_failed", Message: "no", Times: 1}); err != nil {
		t.Fatal(err)
	}
	one, _, err := a.Network.AddRoute(t.Context(), &sdk.Network{ID: network.ID}, sdk.NetworkAddRouteOpts{Route: route(0)})
	if err != nil {
		t.Fatal(err)
	}
	var failed sdk.ActionError
	if err := a.Action.WaitFor(t.Context(), one); !errors.As(err, &failed) || failed.Code != "action_failed" || len(a.State().Networks[0].Routes) != 0 {
		t.Errorf("an action that fails: %v %s", err, a.State().JSON())
	}
	two, _, err := a.Network.AddRoute(t.Context(), &sdk.Network{ID: network.ID}, sdk.NetworkAddRouteOpts{Route: route(1)})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Action.WaitFor(t.Context(), two); err != nil || len(a.State().Networks[0].Routes) != 1 {
		t.Errorf("the next one: %v", err)
	}
	all, err := a.Action.AllWithOpts(t.Context(), sdk.ActionListOpts{ID: []int64{one.ID, two.ID, 7}, Sort: []string{"status", "id:desc"}})
	if err != nil || len(all) != 2 || all[0].ID != one.ID {
		t.Errorf("both: %v %v", all, err)
	}
	a.refused("action/ids", "GET", "/actions", nil)
	a.SetToken("others", "other")
	if foreign, _, err := a.client("others").Action.GetByID(t.Context(), one.ID); foreign != nil || err != nil {
		t.Errorf("another project's action: %v %v", foreign, err)
	}
}

func TestAConflictInsteadOfALock(t *testing.T) {
	a := start(t, hcloud.Options{Delay: -1, Conflict: true})
	path := fmt.Sprintf("/networks/%d/actions/add_route", a.AddNetwork(hcloud.Network{}).ID)
	a.want(201, "POST", path, object{"destination": "10.244.0.0/24", "gateway": "10.0.0.3"})
	if got := a.refused("action/conflict", "POST", path, object{"destination": "10.244.1.0/24", "gateway": "10.0.0.3"}); got.status != 409 || got.code() != "conflict" {
		t.Errorf("a second route: %s", got.text)
	}
}

func TestQuota(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	a := start(t, hcloud.Options{Now: func() time.Time { return now }})
	a.SetQuota(rate.Quota{Hour: 2})
	a.SetToken("second", "default")
	_, first, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{})
	if err != nil || first.Meta.Ratelimit.Limit != 2 || first.Meta.Ratelimit.Remaining != 1 || !first.Meta.Ratelimit.Reset.Equal(now.Add(30*time.Minute)) {
		t.Fatalf("%+v %v", first.Meta.Ratelimit, err)
	}
	if _, _, err := a.client("second").Server.List(t.Context(), sdk.ServerListOpts{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Client.Server.List(t.Context(), sdk.ServerListOpts{}); code(err) != sdk.ErrorCodeRateLimitExceeded {
		t.Errorf("above the quota of the project: %v", err)
	}
	if got := a.send("GET", a.MetadataEndpoint()+"/hostname", nil, func(*http.Request) {}); got.status != 404 {
		t.Errorf("the metadata service: %d", got.status)
	}
}

package route

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// stub answers for one router and one port, and refuses what it is told to. It records writes.
type stub struct {
	router router
	port   neutron.Port
	// refuse are the types of Neutron's errors, by the kind of the write.
	refuse map[string]string
	writes []string
	// before are addresses of the machine that come before its own one.
	before []cloud.Address
}

// Addresses is that of the one machine there is.
func (s *stub) Addresses(context.Context, string) ([]cloud.Address, []neutron.Port, bool, error) {
	all := append(slices.Clone(s.before), cloud.Address{Type: cloud.AddressInternalIP, Address: "10.20.0.13"})
	ports := []neutron.Port{s.port}
	for _, a := range s.before {
		ports = append(ports, neutron.Port{ID: "other", FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr(a.Address)}}})
	}
	return all, ports, true, nil
}

// ServeHTTP knows writes by their method and the end of their path.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var kind string
	switch {
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/routers/"):
		_ = json.NewEncoder(w).Encode(map[string]any{"router": s.router})
		return
	case r.Method == http.MethodGet: // no port is on a network of the router
		_, _ = fmt.Fprint(w, `{"ports": []}`)
		return
	case strings.Contains(r.URL.Path, "/tags/"):
		kind = map[string]string{http.MethodPut: "tag", http.MethodDelete: "untag"}[r.Method]
	case strings.HasSuffix(r.URL.Path, "_extraroutes"):
		kind, _, _ = strings.Cut(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], "_")
	default:
		kind = "pairs"
	}
	s.writes = append(s.writes, kind)
	if refusal := s.refuse[kind]; refusal != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"NeutronError": {"type": %q, "message": "no", "detail": ""}}`, refusal)
		return
	}
	switch kind {
	case "tag":
		w.WriteHeader(http.StatusCreated)
	case "untag":
		w.WriteHeader(http.StatusNoContent)
	default:
		_, _ = fmt.Fprint(w, "{}")
	}
}

// TestRefusedStep: what was made before a step that Neutron refuses is taken back where it was made, also at a port that is not
// beside the router, and what was there before stays.
func TestRefusedStep(t *testing.T) {
	route := cloud.Route{Destination: netip.MustParsePrefix("10.244.3.0/24"), Target: "three"}
	wanted := extraRoute{route.Destination, netip.MustParseAddr("10.20.0.13")}
	ownershipTag := routeTag(cloud.Owner{}, wanted)
	pair := []neutron.AddressPair{{Address: "10.244.3.0/24"}}
	for name, c := range map[string]struct {
		tagged, routed, paired bool
		step, refusal          string
		want                   cloud.Class
		writes                 []string
	}{
		"a next hop elsewhere":            {false, false, false, "add", "InvalidRoutes", cloud.FailureInvalid, []string{"tag", "add", "untag"}},
		"a full router":                   {false, false, false, "add", "RoutesExhausted", cloud.FailureQuota, []string{"tag", "add", "untag"}},
		"somebody's pair":                 {false, false, true, "add", "InvalidRoutes", cloud.FailureInvalid, []string{"tag", "add", "untag"}},
		"a pair of one broken off":        {true, false, true, "add", "InvalidRoutes", cloud.FailureInvalid, []string{"add", "pairs", "untag"}},
		"a full port":                     {false, false, false, "pairs", "AllowedAddressPairExhausted", cloud.FailureInvalid, []string{"tag", "add", "pairs", "remove", "untag"}},
		"a full port, a route of another": {false, true, false, "pairs", "AllowedAddressPairExhausted", cloud.FailureInvalid, []string{"tag", "pairs", "untag"}},
		"a full port, a route of ours":    {true, true, false, "pairs", "AllowedAddressPairExhausted", cloud.FailureInvalid, []string{"pairs"}},
		"no refusal":                      {false, false, false, "", "", "", []string{"tag", "add", "pairs"}},
	} {
		s := &stub{refuse: map[string]string{c.step: c.refusal}, router: router{ID: "router", Routes: []extraRoute{}}, port: neutron.Port{ID: "port", FixedIPs: []neutron.FixedIP{{Address: wanted.NextHop}}}}
		if c.tagged {
			s.router.Tags = []string{ownershipTag}
		}
		if c.routed {
			s.router.Routes = []extraRoute{wanted}
		}
		if c.paired {
			s.port.Pairs = slices.Clone(pair)
		}
		err := s.create(t, route)
		if (err == nil) != (c.want == "") || err != nil && api.Classify(err).Class != c.want {
			t.Errorf("%s: %v, want class %q", name, err, c.want)
		}
		if difference := cmp.Diff(c.writes, s.writes); difference != "" {
			t.Errorf("%s: writes (-want +got):\n%s", name, difference)
		}
	}
}

// create asks the stub for a route.
func (s *stub) create(t *testing.T, route cloud.Route) error {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{TokenID: "token"}, Endpoint: server.URL + "/", Type: "network"}
	table := New(client, s, "router", map[string]bool{extensionAtomic: true, extensionTags: true, extensionPairs: true})
	return table.CreateRoute(t.Context(), cloud.Owner{}, route)
}

// A route that lacks its pair is completed where it is, also when another address of the machine comes first by now.
func TestCompletedRoute(t *testing.T) {
	route := cloud.Route{Destination: netip.MustParsePrefix("10.244.3.0/24"), Target: "three"}
	present := extraRoute{route.Destination, netip.MustParseAddr("10.20.0.13")}
	s := &stub{
		router: router{ID: "router", Routes: []extraRoute{present}, Tags: []string{routeTag(cloud.Owner{}, present)}},
		port:   neutron.Port{ID: "port", FixedIPs: []neutron.FixedIP{{Address: present.NextHop}}},
		before: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.9.0.5"}},
	}
	if err := s.create(t, route); err != nil || !slices.Equal(s.writes, []string{"pairs"}) {
		t.Errorf("%v, writes %q", err, s.writes)
	}
}

package nova

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

func TestProviderID(t *testing.T) {
	const id = "b9c9d3ac-fd61-4162-b511-8242ae0d406c"
	machines := New(nil, nil, Settings{Region: "RegionOne"})
	for text, want := range map[string]cloud.InstanceID{
		"openstack:///" + id:                                id,
		"openstack://RegionOne/" + id:                       id,
		"openstack:///B9C9D3AC-FD61-4162-B511-8242AE0D406C": id,
		"openstack://RegionTwo/" + id:                       "",
		"openstack://" + id:                                 "",
		"openstack:///" + id + "/":                          "",
		"openstack:////" + id:                               "",
		"openstack:///b9c9d3acfd614162b5118242ae0d406c":     "",
		"openstack:///" + id + "\n":                         "",
		"openstack:///../flavors/1":                         "",
		"aws:///" + id:                                      "",
		"/" + id:                                            id,
		"RegionOne/" + id:                                   id,
		"RegionTwo/" + id:                                   "",
		"//" + id:                                           "",
		"/web":                                              "",
		id:                                                  "", // as upstream
	} {
		if got, err := machines.ParseProviderID(text); got != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for regional, want := range map[bool]string{false: "openstack:///" + id, true: "openstack://RegionOne/" + id} {
		machines.settings.Regional = regional
		if got := machines.providerID(id); got != want {
			t.Errorf("regional %t: %s, want %s", regional, got, want)
		}
	}
}

func TestConcerns(t *testing.T) {
	const id = "b9c9d3ac-fd61-4162-b511-8242ae0d406c"
	machines := New(nil, nil, Settings{Region: "RegionOne"})
	for text, want := range map[string]bool{
		"openstack:///" + id:          true,
		"openstack://RegionOne/" + id: true,
		"/" + id:                      true,
		"RegionOne/" + id:             true,
		"openstack://" + id:           true, // ours and malformed
		"openstack:///web":            true,
		"openstack://RegionTwo/" + id: false,
		"openstack://RegionTwo/web":   false,
		"RegionTwo/" + id:             false,
		"RegionOne/web":               false,
		"/web":                        false,
		id:                            false,
		"k3s://web":                   false,
		"aws:///" + id:                false,
		"":                            false,
	} {
		if got := machines.Concerns(text); got != want {
			t.Errorf("%q concerns RegionOne: %t, want %t", text, got, want)
		}
	}
}

func FuzzProviderID(f *testing.F) {
	f.Add("/b9c9d3ac-fd61-4162-b511-8242ae0d406c")
	f.Add("RegionTwo/b9c9d3ac-fd61-4162-b511-8242ae0d406c")
	f.Add("openstack:///b9c9d3ac-fd61-4162-b511-8242ae0d406c")
	f.Add("openstack://RegionOne/B9C9D3AC-FD61-4162-B511-8242AE0D406C")
	f.Fuzz(func(t *testing.T, text string) {
		for _, regional := range []bool{false, true} {
			machines := New(nil, nil, Settings{Region: "RegionOne", Regional: regional})
			id, err := machines.ParseProviderID(text)
			if err == nil && !machines.Concerns(text) {
				t.Errorf("%q is parsed as %q and does not concern us", text, id)
			}
			if err != nil {
				if !strings.Contains(err.Error(), strconv.Quote(text)) {
					t.Errorf("%q: the error %q does not name it", text, err)
				}
				continue
			}
			again, err := machines.ParseProviderID(machines.providerID(string(id)))
			if err != nil || again != id || len(id) != 36 {
				t.Errorf("%q is %q, and that %q, %v", text, id, again, err)
			}
		}
	})
}

func TestStates(t *testing.T) {
	for status, want := range map[string]cloud.State{
		"ACTIVE": cloud.StateRunning, "BUILD": cloud.StatePending, "SHUTOFF": cloud.StateStopped, "SHELVED_OFFLOADED": cloud.StateStopped,
		"ERROR": cloud.StateRunning, "REBOOT": cloud.StateRunning, "DELETED": cloud.StateRunning, "something new": cloud.StateRunning,
	} {
		if got := state(status); got != want {
			t.Errorf("%s: %s, want %s", status, got, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	active := neutron.Port{ID: "p1", Device: "s", DeviceOwner: "compute:nova", Status: "ACTIVE", FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr("10.0.0.5")}, {Address: netip.MustParseAddr("fd00::5")}}}
	down := neutron.Port{ID: "p2", Device: "s", DeviceOwner: "compute:nova", Status: "DOWN", FixedIPs: []neutron.FixedIP{{Address: netip.MustParseAddr("10.1.0.5")}}}
	s := &server{ID: "s", AccessIPv6: "2001:db8::1", Metadata: map[string]string{"hostname": "s.example"}, Addresses: map[string][]serverAddress{
		"z-net": {{"10.0.0.5", "fixed"}, {"192.0.2.1", "floating"}, {"fd00::5", "fixed"}},
		"a-net": {{"10.1.0.5", "fixed"}},
	}}
	tests := []struct {
		name   string
		config config.Networking
		want   []cloud.Address
	}{
		{"as it comes", config.Networking{}, listOf("i 10.0.0.5", "i fd00::5", "e 2001:db8::1", "h s.example", "i 10.1.0.5", "e 192.0.2.1")},
		{"without IPv6", config.Networking{Ipv6Disabled: true}, listOf("i 10.0.0.5", "h s.example", "i 10.1.0.5", "e 192.0.2.1")},
		{"a public network", config.Networking{PublicNetworks: []string{"z-net"}}, listOf("e 2001:db8::1", "h s.example", "i 10.1.0.5", "e 10.0.0.5", "e 192.0.2.1", "e fd00::5")},
		{"an internal network", config.Networking{InternalNetworks: []string{"a-net"}}, listOf("e 2001:db8::1", "h s.example", "i 10.1.0.5", "e 192.0.2.1")},
		{
			"both", config.Networking{InternalNetworks: []string{"a-net"}, PublicNetworks: []string{"a-net"}},
			listOf("e 2001:db8::1", "h s.example", "e 10.1.0.5", "e 192.0.2.1"),
		},
		{
			"sorted", config.Networking{SortOrder: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("10.0.0.0/8")}},
			listOf("e 192.0.2.1", "i 10.0.0.5", "i 10.1.0.5", "i fd00::5", "e 2001:db8::1", "h s.example"),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := topology{byDevice: map[string][]neutron.Port{"s": {active, down}}}
			if diff := cmp.Diff(test.want, networking(test.config).addresses(s, w)); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTrunk adds the addresses of the ports below a trunk, of which the server says nothing. A
// port is read only if the list lacks it, as with a server's own ports, and each network once.
// The answers are not recorded: the lab has no trunks.
func TestTrunk(t *testing.T) {
	const (
		parent = `{"id": "p", "device_id": "s", "device_owner": "compute:nova", "status": "ACTIVE", "fixed_ips": [{"ip_address": "10.0.0.5"}],
			"trunk_details": {"trunk_id": "t", "sub_ports": [{"port_id": "one"}, {"port_id": "two"}, {"port_id": "unseen"}]}}`
		one = `{"id": "one", "network_id": "n", "device_owner": "trunk:subport", "fixed_ips": [{"ip_address": "10.9.0.1"}]}`
		two = `{"id": "two", "network_id": "n", "device_owner": "trunk:subport", "fixed_ips": [{"ip_address": "10.9.0.2"}]}`
	)
	tests := []struct {
		name, ports string
		below       string
		want        []string
	}{
		{"with the list", parent + "," + one + "," + two, "", []string{"GET /ports ", "GET /ports unseen", "GET /networks n"}},
		{"by id", parent, one + "," + two, []string{"GET /ports ", "GET /ports one two unseen", "GET /networks n"}},
	}
	trunked := []server{{ID: "s", Flavor: flavor{OriginalName: "tiny"}, Addresses: map[string][]serverAddress{"vlan": {{"10.9.0.9", "fixed"}}}}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var requests []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ids := strings.Join(r.URL.Query()["id"], " ")
				requests = append(requests, r.Method+" "+r.URL.Path+" "+ids)
				switch {
				case r.URL.Path == "/networks":
					_, _ = fmt.Fprint(w, `{"networks": [{"id": "n", "name": "vlan"}]}`)
				case ids == "":
					_, _ = fmt.Fprintf(w, `{"ports": [%s]}`, test.ports)
				default:
					_, _ = fmt.Fprintf(w, `{"ports": [%s]}`, test.below)
				}
			}))
			t.Cleanup(server.Close)
			client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}
			machines := New(nil, client, Settings{})
			described, err := machines.describe(t.Context(), trunked, url.Values{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(listOf("i 10.0.0.5", "i 10.9.0.9", "i 10.9.0.1", "i 10.9.0.2"), described[0].Addresses); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstanceType(t *testing.T) {
	types := flavors{read: true, all: []flavor{{ID: "1", Name: "m1.tiny"}, {ID: "2", Name: "big one"}}}
	for _, test := range []struct {
		of   flavor
		want string
	}{
		{flavor{OriginalName: "gone"}, "gone"},
		{flavor{OriginalName: "big one"}, "2"},
		{flavor{OriginalName: "gone too"}, "gone-too"},
		{flavor{ID: "1"}, "m1.tiny"},
		{flavor{ID: "2"}, "2"},
		{flavor{ID: "deleted"}, "deleted"},
	} {
		if got, err := types.instanceType(context.Background(), test.of); got != test.want || err != nil {
			t.Errorf("%+v: %q, %v; want %q", test.of, got, err, test.want)
		}
	}
}

// TestSilentCell: servers of a part of the cloud that does not answer are listed with their id
// only, and prove nothing.
func TestSilentCell(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"/servers/detail": `{"servers": [{"id": "1", "status": "UNKNOWN", "tenant_id": "p"}, {"id": "2", "name": "two", "status": "ACTIVE", "tenant_id": "p", "flavor": {"original_name": "tiny"}}]}`,
			"/servers/1":      `{"server": {"id": "1", "status": "UNKNOWN", "tenant_id": "p"}}`,
			"/ports":          `{"ports": []}`,
		}
		_, _ = fmt.Fprint(w, answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	client := &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}
	machines := New(client, client, Settings{})
	list, err := machines.List(t.Context())
	if err != nil || list.Complete || len(list.Items) != 1 || list.Items[0].Name != "two" {
		t.Errorf("list = %+v, %v", list, err)
	}
	if found, err := machines.Get(t.Context(), "1"); !errors.Is(err, cloud.ErrIncomplete) {
		t.Errorf("get = %v, %v", found, err)
	}
}

// listOf are addresses, each with the first letter of its type.
func listOf(words ...string) (list []cloud.Address) {
	kinds := map[byte]cloud.AddressType{'i': cloud.AddressInternalIP, 'e': cloud.AddressExternalIP, 'h': cloud.AddressHostname}
	for _, word := range words {
		list = append(list, cloud.Address{Type: kinds[word[0]], Address: word[2:]})
	}
	return list
}

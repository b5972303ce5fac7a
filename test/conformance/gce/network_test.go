package gce_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// sharedClient is a cluster whose network is another project's.
var sharedClient = client{conf: "network-project-id = host-project\nnetwork-name = default\n"}

// attach puts a machine into the shared network.
func (r router) attach(id cloud.InstanceID, address string) {
	r.t.Helper()
	r.must(r.server.Edit(path(id), map[string]any{"networkInterfaces": []any{
		map[string]any{"networkIP": "10.200.0.1", "network": "https://www.googleapis.com/compute/v1/projects/test-project/global/networks/default"},
		map[string]any{"networkIP": address, "ipv6Address": "fd20::7", "network": "https://www.googleapis.com/compute/v1/projects/host-project/global/networks/default"},
	}}))
}

// Routes are in the project of the network. Google takes an instance of another project by its address only.
func TestSharedNetwork(t *testing.T) {
	seed := func(server *emulator.Server) {
		server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "host-project"}}})
	}
	l := newLab(t, sharedClient)
	seed(l.server)
	r := router{l, l.driver.Routes, l.driver.Operations}
	four := r.wanted(1)
	r.attach(four.Target, "10.128.7.7")
	six := four
	six.Destination = netip.MustParsePrefix("fd00:10:244:1::/64")
	for route, hop := range map[cloud.Route]string{four: "10.128.7.7", six: "fd20::7"} {
		r.create(route)
		r.must(r.CreateRoute(t.Context(), owner, route)) // it is there
		name := "kubernetes-" + uid(1)
		if route == six {
			name = "kubernetes-" + strings.ReplaceAll(uid(1), "-", "") + "-v6"
		}
		object := r.object("host-project", name)
		if object["nextHopIp"] != hop || object["nextHopInstance"] != nil || !strings.HasSuffix(fmt.Sprint(object["network"]), "/projects/host-project/global/networks/default") {
			t.Errorf("%+v", object)
		}
	}
	routes := r.list()
	if len(routes) != 2 || routes[0].Target != "" || !routes[0].NextHop.IsValid() {
		t.Errorf("%+v", routes)
	}
	for _, request := range r.server.Requests() {
		if strings.Contains(request.Path, "/global/") && !strings.Contains(request.Path, "/projects/host-project/") {
			t.Errorf("%s %s is not about the network's project", request.Method, request.Path)
		}
	}
	for _, route := range routes {
		r.ends(r.DeleteRoute(t.Context(), owner, route))
	}
	if left := r.Leftovers(); left != nil {
		t.Errorf("%q are left", left)
	}
}

// Rights in the project of the instances are none in that of the network.
func TestNoRightsInTheNetworksProject(t *testing.T) {
	server, address := start(t)
	server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "host-project"}}})
	server.Grant(account, project, "*")
	server.Grant(account, "host-project", "routes.list")
	key, err := server.ServiceAccountKey(account)
	if err != nil {
		t.Fatal(err)
	}
	c := sharedClient
	c.env = map[string]string{"GCE_METADATA_HOST": "127.0.0.1:1", "GCE_CREDENTIALS_JSON": string(key), "GOOGLE_CLOUD_PROJECT": project}
	driver, err := connect(t, address, c)
	if err != nil {
		t.Fatal(err)
	}
	r := router{lab{control{t, server, map[string]int{}, address}, driver}, driver.Routes, driver.Operations}
	route := r.wanted(1)
	r.attach(route.Target, "10.128.7.7")
	err = r.CreateRoute(t.Context(), owner, route)
	if class := driver.Classify(err).Class; class != cloud.FailureUnauthorized || !strings.Contains(fmt.Sprint(err), "host-project") {
		t.Errorf("class %s: %v", class, err)
	}
	if routes := r.list(); len(routes) != 0 {
		t.Errorf("%+v", routes)
	}
}

// shared is an emulator with a project of the shared network, and its number.
func shared(t *testing.T, network string) (server *emulator.Server, address string) {
	t.Helper()
	server, address = startWith(t, emulator.Options{MachineNetwork: network})
	server.Load(emulator.Seed{Projects: []emulator.SeedProject{{ID: "host-project"}}})
	return server, address
}

// hostNumber is the number of the second project of an emulator.
const hostNumber = "1000000000002"

// The project of the network is looked up when routes are first used: Nodes need no right in it.
func TestNumberOfTheNetworksProject(t *testing.T) {
	server, address := shared(t, "")
	server.Grant(account, project, "*")
	key, err := server.ServiceAccountKey(account)
	if err != nil {
		t.Fatal(err)
	}
	for _, conf := range []string{
		"network-project-id = " + hostNumber + "\nnetwork-name = default", "network-name = projects/" + hostNumber + "/global/networks/default",
	} {
		server.Revoke(account, "host-project")
		driver, err := connect(t, address, client{conf: conf, env: map[string]string{
			"GCE_METADATA_HOST": "127.0.0.1:1", "GCE_CREDENTIALS_JSON": string(key), "GOOGLE_CLOUD_PROJECT": project,
		}})
		if err != nil {
			t.Fatalf("%s: it does not start: %v", conf, err)
		}
		if _, err := driver.Machines.List(t.Context()); err != nil {
			t.Errorf("%s: %v", conf, err)
		}
		_, err = driver.Routes.ListRoutes(t.Context(), owner)
		if class := driver.Classify(err).Class; class != cloud.FailureUnauthorized || !strings.Contains(err.Error(), hostNumber) {
			t.Errorf("%s: class %s: %v", conf, class, err)
		}
		server.Grant(account, "host-project", "projects.get", "routes.list")
		for range 2 {
			if _, err := driver.Routes.ListRoutes(t.Context(), owner); err != nil {
				t.Errorf("%s: %v", conf, err)
			}
		}
	}
}

// The network of the machine may be another project's.
func TestSharedNetworkOfTheMachine(t *testing.T) {
	server, address := shared(t, "projects/"+hostNumber+"/networks/default")
	driver, err := connect(t, address, client{})
	if err != nil {
		t.Fatal(err)
	}
	r := router{lab{control{t, server, map[string]int{}, address}, driver}, driver.Routes, driver.Operations}
	route := r.wanted(1)
	r.attach(route.Target, "10.128.7.7")
	r.create(route)
	if object := r.object("host-project", "kubernetes-"+uid(1)); object["nextHopIp"] != "10.128.7.7" {
		t.Errorf("%+v", object)
	}
	if routes := r.list(); len(routes) != 1 || routes[0].NextHop != netip.MustParseAddr("10.128.7.7") {
		t.Errorf("%+v", routes)
	}
}

// hasRoutes says whether a driver was made, and has routes.
func hasRoutes(t *testing.T, address string, c client) bool {
	t.Helper()
	driver, err := connect(t, address, c)
	if err != nil {
		t.Fatal(err)
	}
	ok := driver.Routes != nil
	return ok
}

// There are routes where the network is known, unless pods have addresses of a secondary range.
func TestWhereRoutesAre(t *testing.T) {
	server, address := start(t)
	key, err := server.ServiceAccountKey("admin@test-project.iam.gserviceaccount.com")
	if err != nil {
		t.Fatal(err)
	}
	anywhere := map[string]string{"GCE_METADATA_HOST": "127.0.0.1:1", "GCE_CREDENTIALS_JSON": string(key), "GOOGLE_CLOUD_PROJECT": project}
	named := map[string]string{"GCE_NETWORK": "default"}
	for name, value := range anywhere {
		named[name] = value
	}
	for name, test := range map[string]struct {
		client
		want bool
	}{
		"the machine's network":            {client{}, true},
		"a secondary range":                {client{conf: "secondary-range-name = pods"}, false},
		"elsewhere":                        {client{env: anywhere}, false},
		"elsewhere, a network of gce.conf": {client{env: anywhere, conf: "network-name = default"}, true},
		"elsewhere, a network":             {client{env: named}, true},
	} {
		if got := hasRoutes(t, address, test.client); got != test.want {
			t.Errorf("%s: routes %t", name, got)
		}
	}
	var asked []string
	for _, request := range server.Requests() {
		if strings.HasSuffix(request.Path, "/network") {
			asked = append(asked, request.Path)
		}
	}
	if !slices.Equal(asked, []string{"/computeMetadata/v1/instance/network-interfaces/0/network"}) {
		t.Errorf("asked the machine %q", asked)
	}
}

package relay_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/loadbalancer/v2/loadbalancers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
)

// connect makes a project and a client that reaches it through a relay.
func connect(t *testing.T) (*relay.Relay, *openstack.Project, *openstack.Cloud) {
	t.Helper()
	p := openstack.NewProject(t, openstack.ProjectOptions{})
	r := relay.Start(t)
	c, err := openstack.Connect(t.Context(), r.AuthURL(), p.Credential)
	if err != nil {
		t.Fatal(err)
	}
	return r, p, c
}

// TestEverythingPasses finds all services through the relay, follows pages too, and counts.
func TestEverythingPasses(t *testing.T) {
	r, p, c := connect(t)
	for _, client := range []*gophercloud.ServiceClient{c.Identity, c.Compute, c.Network, c.Image, c.Balancer, c.KeyManager} {
		if !strings.HasPrefix(client.Endpoint, r.URL+"/") {
			t.Errorf("%s is at %s, not at the relay", client.Type, client.Endpoint)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		p.Boot(t, openstack.ServerOptions{Name: name})
	}
	r.Book.Reset()
	pages, err := servers.List(c.Compute, servers.ListOpts{Limit: 1}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := servers.ExtractServers(pages); err != nil || len(found) != 3 {
		t.Errorf("%d servers, %v; want 3", len(found), err)
	}
	// One page each, and one that is empty.
	if got := len(r.Book.Requests()); got != 4 {
		t.Errorf("%d requests, want 4: %+v", got, r.Book.Requests())
	}
	for _, request := range r.Book.Requests() {
		if request.Route != "GET /compute/v2.1/servers/detail" {
			t.Errorf("route %q", request.Route)
		}
	}
}

func TestFaults(t *testing.T) {
	r, p, c := connect(t)
	r.AddFault(fault.Fault{Method: http.MethodPost, Path: "/load-balancer/**", Status: http.StatusConflict, Times: 1})
	_, err := loadbalancers.Create(t.Context(), c.Balancer, loadbalancers.CreateOpts{VipSubnetID: p.SubnetID}).Extract()
	if !gophercloud.ResponseCodeIs(err, http.StatusConflict) {
		t.Errorf("the fault gave %v, want 409", err)
	}
	if err := r.ArmTrigger(halt.Trigger{N: 1, Mutating: true, Phase: halt.After, Action: halt.Drop}); err != nil {
		t.Fatal(err)
	}
	if _, err := networks.Create(t.Context(), c.Network, networks.CreateOpts{Name: "halted"}).Extract(); err == nil {
		t.Error("the halted request was answered")
	}
	pages, err := networks.List(c.Network, networks.ListOpts{Name: "halted"}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := networks.ExtractNetworks(pages); err != nil || len(found) != 1 {
		t.Errorf("%d networks, %v; the halt was after the change", len(found), err)
	}
}

// TestRevokedToken ends a login in the middle: the client logs in again.
func TestRevokedToken(t *testing.T) {
	r, p, c := connect(t)
	tokens := r.Tokens()
	if err := p.Revoke(t.Context(), tokens[len(tokens)-1]); err != nil {
		t.Fatal(err)
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for len(r.Tokens()) == len(tokens) {
		if _, err := networks.List(c.Network, nil).AllPages(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-ticker.C
	}
}

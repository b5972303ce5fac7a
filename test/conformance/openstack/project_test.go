package openstack_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// project is where all checks run, with what annotations refer to.
type project struct {
	*openstack.Project
	// otherNetwork and otherSubnet are beside those of the nodes, with a way out.
	otherNetwork, otherSubnet string
	// port is one in the other subnet. Octavia takes none with addresses of both families.
	port string
	// container is a certificate.
	container    string
	flavor, zone string
	parking      *openstack.Parking
	// furniture are the ids of what is here before the first check.
	furniture map[string]bool
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{Project: openstack.NewProject(t, openstack.ProjectOptions{IPv6: true})}
	c := &control{T: t, project: p}
	p.otherNetwork = c.make(p.Network, "networks", "network", object{"name": "other"})
	p.otherSubnet = c.make(p.Network, "subnets", "subnet", object{"network_id": p.otherNetwork, "ip_version": 4, "cidr": "10.77.0.0/24"})
	c.call(p.Network, http.MethodPut, "routers/"+p.RouterID+"/add_router_interface", object{"subnet_id": p.otherSubnet})
	p.port = c.make(p.Network, "ports", "port", object{"network_id": p.otherNetwork})
	p.container = p.NewCertificate(t, "www.example.com")
	p.flavor = text(c.all(p.Balancer, "lbaas/flavors", "flavors", nil)[0], "id")
	p.zone = text(c.all(p.Balancer, "lbaas/availabilityzones", "availability_zones", nil)[0], "name")
	p.parking = p.NewParking(t)
	p.furniture = map[string]bool{}
	for _, line := range c.inventory() {
		p.furniture[strings.Fields(line)[1]] = true
	}
	return p
}

// mine selects what is in the project.
func (p *project) mine() url.Values { return url.Values{"project_id": {p.ID}} }

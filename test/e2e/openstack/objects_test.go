package openstack_test

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
)

// objects are what annotations refer to.
type objects struct {
	network, subnet     string
	otherNetwork, other string
	port                string
	external            string
	// far is a subnet of the external network: one that a balancer which asks for none is not in.
	far, farName string
	farCIDR      netip.Prefix
	flavor, zone string
	container    string
}

// objects makes a second network with a way out, a port, and a certificate.
func (s *site) objects() objects {
	o := objects{network: s.project.NetworkID, subnet: s.project.SubnetID, external: s.project.ExternalID}
	o.otherNetwork, o.other = s.network("10.77.0.0/24")
	s.change(s.project.Network, http.MethodPut, "routers/"+s.project.RouterID+"/add_router_interface", object{"subnet_id": o.other})
	o.port = text(s.change(s.project.Network, http.MethodPost, "ports", object{"port": object{"network_id": o.network, "fixed_ips": []object{{"subnet_id": o.subnet}}}}), "id")
	s.show(o.external)
	for _, flavor := range s.all(s.project.Balancer, "flavors", "lbaas/flavors", nil) {
		o.flavor = text(flavor, "id")
	}
	for _, zone := range s.all(s.project.Balancer, "availability_zones", "lbaas/availabilityzones", nil) {
		o.zone = text(zone, "name")
	}
	o.container = s.project.NewCertificate(s.T, "www.example.com")
	return o
}

// away chooses the subnet of the external network that a balancer has no floating IP from.
func (s *site) away(o *objects, from tree) {
	s.Helper()
	near := netip.MustParseAddr(text(from.floating, "floating_ip_address"))
	for _, subnet := range s.all(s.project.Network, "subnets", "subnets", url.Values{"network_id": {o.external}}) {
		if cidr := netip.MustParsePrefix(text(subnet, "cidr")); !cidr.Contains(near) {
			o.far, o.farName, o.farCIDR = text(subnet, "id"), text(subnet, "name"), cidr
		}
	}
	if o.far == "" {
		s.Fatal("the external network has no second subnet")
	}
}

// isFar reports whether the floating IP is in the far subnet.
func (o objects) isFar(t tree) any {
	address, err := netip.ParseAddr(text(t.floating, "floating_ip_address"))
	return err == nil && o.farCIDR.Contains(address)
}

func text(o object, field string) string {
	value, _ := o[field].(string)
	return value
}

// show lets the project see the subnets of the external network, as shared ones are: else nobody
// can choose one by its name.
func (s *site) show(network string) {
	s.Helper()
	admin := s.project.Admin.Network
	var answer map[string]object
	_, err := admin.Post(s.Context(), admin.ServiceURL("rbac-policies"), object{"rbac_policy": object{
		"object_type": "network", "object_id": network, "action": "access_as_shared", "target_tenant": s.project.ID,
	}}, &answer, nil)
	s.must(err, "sharing the external network")
	s.Cleanup(func() {
		_, err := admin.Delete(context.WithoutCancel(s.Context()), admin.ServiceURL("rbac-policies", text(answer["rbac_policy"], "id")), nil)
		if err != nil {
			s.Errorf("unsharing the external network: %v", err)
		}
	})
}

// network makes a network with a subnet.
func (s *site) network(cidr string) (network, subnet string) {
	network = text(s.change(s.project.Network, http.MethodPost, "networks", object{"network": object{"name": cidr}}), "id")
	made := s.change(s.project.Network, http.MethodPost, "subnets", object{"subnet": object{"network_id": network, "ip_version": 4, "cidr": cidr}})
	return network, text(made, "id")
}

package openstack_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// objects are what annotations refer to.
type objects struct {
	network, subnet             string
	otherNetwork, other         string
	port                        string
	external, floatingSubnet    string
	floatingCIDR                netip.Prefix
	flavor, zone                string
	container, secret, imported string
}

// objects makes a second network with a way out, a port, and a certificate.
func (s *site) objects() objects {
	o := objects{network: s.project.NetworkID, subnet: s.project.SubnetID, external: s.project.ExternalID}
	o.otherNetwork, o.other = s.network("10.77.0.0/24")
	s.change(s.project.Network, http.MethodPut, "routers/"+s.project.RouterID+"/add_router_interface", object{"subnet_id": o.other})
	o.port = text(s.change(s.project.Network, http.MethodPost, "ports", object{"port": object{"network_id": o.network, "fixed_ips": []object{{"subnet_id": o.subnet}}}}), "id")
	for _, subnet := range s.all(s.project.Admin.Network, "subnets", "subnets", url.Values{"network_id": {o.external}}) {
		o.floatingSubnet, o.floatingCIDR = text(subnet, "id"), netip.MustParsePrefix(text(subnet, "cidr"))
	}
	for _, flavor := range s.all(s.project.Balancer, "flavors", "lbaas/flavors", nil) {
		o.flavor = text(flavor, "id")
	}
	for _, zone := range s.all(s.project.Balancer, "availability_zones", "lbaas/availabilityzones", nil) {
		o.zone = text(zone, "name")
	}
	o.container = s.certificate()
	return o
}

// inFloatingSubnet reports whether the floating IP is in the floating subnet.
func (o objects) inFloatingSubnet(t tree) any {
	address, err := netip.ParseAddr(text(t.floating, "floating_ip_address"))
	return err == nil && o.floatingCIDR.Contains(address)
}

func text(o object, field string) string {
	value, _ := o[field].(string)
	return value
}

// network makes a network with a subnet.
func (s *site) network(cidr string) (network, subnet string) {
	network = text(s.change(s.project.Network, http.MethodPost, "networks", object{"network": object{"name": cidr}}), "id")
	made := s.change(s.project.Network, http.MethodPost, "subnets", object{"subnet": object{"network_id": network, "ip_version": 4, "cidr": cidr}})
	return network, text(made, "id")
}

// certificate stores a self-signed certificate and its key in a container, and returns its
// reference.
func (s *site) certificate() string {
	s.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	s.must(err, "making a key")
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"www.example.com"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	s.must(err, "making a certificate")
	private, err := x509.MarshalPKCS8PrivateKey(key)
	s.must(err, "writing the key")
	return s.refOf("containers", object{"type": "certificate", "name": "www", "secret_refs": []object{
		{"name": "certificate", "secret_ref": s.secret(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))},
		{"name": "private_key", "secret_ref": s.secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))},
	}})
}

func (s *site) secret(content []byte) string {
	return s.refOf("secrets", object{"payload": string(content), "payload_content_type": "text/plain"})
}

// refOf stores something in the key manager.
func (s *site) refOf(kind string, body object) string {
	s.Helper()
	var answer map[string]string
	c := s.project.KeyManager
	_, err := c.Post(s.Context(), c.ServiceURL(kind), body, &answer, &gophercloud.RequestOpts{OkCodes: []int{http.StatusCreated}}) //nolint:bodyclose // gophercloud closes it
	s.must(err, "storing "+kind)
	return answer[map[string]string{"secrets": "secret_ref", "containers": "container_ref"}[kind]]
}

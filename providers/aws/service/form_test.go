package service

import (
	"errors"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	elbdesired "github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	nlbdesired "github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The form of ids is judged before anything is changed, under the key that has them.
func TestFormOfIDs(t *testing.T) {
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	bs := &Balancers{Cluster: cluster, Classic: &elb.Balancers{Settings: elbdesired.Settings{Cluster: cluster}}, Network: &nlb.Balancers{Settings: nlbdesired.Settings{Cluster: cluster}}}
	public, private, certificate := option.Addresses.Name, option.PrivateAddresses.Name, option.Certificate.Name
	for name, test := range map[string]struct {
		kind    string
		options map[string]string
		field   string
		value   string
	}{
		"an Elastic IP":                  {"nlb", map[string]string{public: "eipalloc-0123456789abcdef0"}, "", ""},
		"an address for its id":          {"nlb", map[string]string{public: "eipalloc-1,192.0.2.7"}, public, "192.0.2.7"},
		"an id of another kind":          {"nlb", map[string]string{public: "eipassoc-1"}, public, "eipassoc-1"},
		"an id without its end":          {"nlb", map[string]string{public: "eipalloc-"}, public, "eipalloc-"},
		"a private address":              {"nlb", map[string]string{private: "10.0.0.7"}, "", ""},
		"an id for a private address":    {"nlb", map[string]string{private: "eipalloc-1"}, private, "eipalloc-1"},
		"a private address of IPv6":      {"nlb", map[string]string{private: "fd00::1"}, private, "fd00::1"},
		"no effect on a classic one":     {"", map[string]string{public: "192.0.2.7"}, "", ""},
		"a certificate":                  {"nlb", map[string]string{certificate: "arn:aws:acm:eu-west-1:1:certificate/a"}, "", ""},
		"a certificate's name":           {"nlb", map[string]string{certificate: "arn:aws:acm:eu-west-1:1:certificate/a,web"}, certificate, "web"},
		"of a classic one":               {"", map[string]string{certificate: "web"}, certificate, "web"},
		"a name that no port asks about": {"", map[string]string{certificate: "web", option.TLSPorts.Name: "8443"}, "", ""},
	} {
		test.options[option.Type.Name] = test.kind
		spec := cloud.Spec{Owner: cloud.Owner{UID: "u"}, Options: test.options, Ports: []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443}}}
		_, _, err := bs.Normalize(cloud.Input{Spec: spec})
		wrong, refused := errors.AsType[*cloud.Invalid](err)
		if test.field == "" && err != nil || test.field != "" && (!refused || wrong.Field != test.field || wrong.Value != test.value) {
			t.Errorf("%s: %v, want one about %s %q", name, err, test.field, test.value)
		}
	}
}

// What has no effect is not refused: the balancer has the subnets, or no port uses the certificate.
func TestFormWithoutEffect(t *testing.T) {
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	bs := &Balancers{Cluster: cluster, Classic: &elb.Balancers{Settings: elbdesired.Settings{Cluster: cluster}}, Network: &nlb.Balancers{Settings: nlbdesired.Settings{Cluster: cluster}}}
	for name, test := range map[string]struct {
		key      string
		protocol cloud.Protocol
		found    balancer.Findings
	}{
		"an address where the subnet has one": {option.Addresses.Name, cloud.ProtocolTCP, balancer.Findings{Network: &balancer.Network{Places: map[string]string{"subnet-1": "eipalloc-1"}}}},
		"a certificate of a port of UDP":      {option.Certificate.Name, cloud.ProtocolUDP, balancer.Findings{}},
	} {
		options := map[string]string{option.Type.Name: "nlb", test.key: "192.0.2.1"}
		spec := cloud.Spec{Owner: cloud.Owner{UID: "u"}, Options: options, Ports: []cloud.Port{{Protocol: test.protocol, Port: 443, NodePort: 30443}}}
		if _, _, err := bs.Normalize(cloud.Input{Spec: spec, Environment: cloud.Environment{Findings: balancer.Found.Seal(test.found)}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// TestCheck: what AWS would refuse is known before the balancer there is goes for another one.
func TestCheck(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", network)
	s.ensure(svc)
	taken := s.service("taken", network, annotated(own+"name", "front"))
	taken.Spec.Ports = taken.Spec.Ports[:1]
	taken.Spec.Ports[0].NodePort = 31080
	free, used := s.world.ElasticIP(t), s.world.ElasticIP(t)
	s.ensure(taken)
	_, err := s.world.EC2.AssociateAddress(t.Context(), &ec2.AssociateAddressInput{AllocationId: &used, InstanceId: new(instanceID(s.nodes[0]))})
	s.must(err, "giving an address to a machine")
	at := annotation.Subnet.Name // drivers know a key by its name
	for name, test := range map[string]struct {
		options map[string]string
		want    string
	}{
		"as it is":                 {map[string]string{}, ""},
		"a free address":           {map[string]string{at: s.world.Public[0], own + "eip-allocations": free}, ""},
		"an address for its id":    {map[string]string{at: s.world.Public[0], own + "eip-allocations": "192.0.2.7"}, own + "eip-allocations"},
		"an address in use":        {map[string]string{at: s.world.Public[0], own + "eip-allocations": used}, own + "eip-allocations"},
		"no such address":          {map[string]string{at: s.world.Public[0], own + "eip-allocations": "eipalloc-0123456789abcdef0"}, own + "eip-allocations"},
		"a name in use":            {map[string]string{"multicloud-ccm.io/name": "front"}, "multicloud-ccm.io/name"},
		"another name":             {map[string]string{"multicloud-ccm.io/name": "back"}, ""},
		"an address elsewhere":     {map[string]string{at: s.world.Private[0], own + "private-ipv4-addresses": "192.0.2.1", "multicloud-ccm.io/internal": "true"}, own + "private-ipv4-addresses"},
		"a subnet that is nowhere": {map[string]string{at: "subnet-0123456789abcdef0"}, at},
	} {
		options := map[string]string{own + "type": "nlb"}
		for key, value := range test.options {
			options[key] = value
		}
		in := cloud.Input{Spec: cloud.Spec{
			Owner:   cloud.Owner{Cluster: "test", Namespace: svc.Namespace, Name: svc.Name, UID: string(svc.UID)},
			Ports:   []cloud.Port{{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}},
			Options: options,
		}}
		before, err := s.cloud.Balancers.Observe(t.Context(), in)
		s.must(err, "observing")
		in.Findings = before.Findings
		from := len(s.proxy.Calls())
		err = s.cloud.Checker.Check(t.Context(), in, before)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want something of %q", name, err, test.want)
		}
		if wrote := s.wrote(from); len(wrote) > 0 {
			t.Errorf("%s: wrote %q", name, wrote)
		}
	}
}

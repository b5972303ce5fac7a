package desired

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Source ranges are refused where nobody would enforce them. A range of length 0 lets in its own family only.
func TestUnenforcedRanges(t *testing.T) {
	kept, hidden := "preserve_client_ip.enabled=true", "preserve_client_ip.enabled=false"
	for name, test := range map[string]struct {
		addresses string
		managed   bool
		dual      bool
		leave     bool
		ranges    []string
		refused   bool
		notes     int
	}{
		"its own group":              {hidden, true, true, false, []string{"10.0.0.0/8"}, false, 0},
		"the nodes' groups":          {kept, false, false, false, []string{"10.0.0.0/8"}, false, 0},
		"groups of others":           {kept, false, false, true, []string{"10.0.0.0/8"}, false, 1},
		"groups of others, everyone": {kept, false, false, true, []string{"0.0.0.0/0"}, false, 0},
		"hidden":                     {hidden, false, false, false, []string{"10.0.0.0/8"}, true, 0},
		"hidden, everyone":           {hidden, false, false, false, []string{"0.0.0.0/0"}, false, 0},
		"hidden, everyone of IPv6":   {hidden, false, false, false, []string{"10.0.0.0/8", "::/0"}, true, 0},
		"IPv6 clients":               {kept, false, true, false, []string{"0.0.0.0/0"}, true, 0},
		"IPv6 clients, everyone":     {kept, false, true, false, []string{"0.0.0.0/0", "::/0"}, false, 0},
	} {
		in := cloud.Input{Spec: cloud.Spec{
			Ports: []cloud.Port{{Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}}, DualStack: test.dual, HealthPort: 10256,
			Options: map[string]string{option.TargetAttributes.Name: test.addresses},
		}}
		in.Findings = balancer.Found.Seal(balancer.Findings{Subnets: []string{"subnet-1"}, IPv6: true})
		for _, text := range test.ranges {
			in.SourceRanges = append(in.SourceRanges, netip.MustParsePrefix(text))
		}
		_, notes, err := Settings{ManagedGroups: test.managed, LeaveNodeGroups: test.leave}.Normalize(in)
		if (err != nil) != test.refused || len(notes) != test.notes {
			t.Errorf("%s: %v, notes %v", name, err, notes)
		}
	}
}

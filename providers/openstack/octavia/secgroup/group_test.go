package secgroup

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// specOf is a Service with one port, of which the balancer connects from a network.
func specOf(from string) cloud.Input {
	return cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{Namespace: "n", Name: "web", UID: "u"},
			Ports: []cloud.Port{{Protocol: cloud.ProtocolTCP, NodePort: 30080}},
		},
		Environment: cloud.Environment{
			Findings: desired.Found.Seal(desired.Findings{MemberCIDR: from}),
		},
	}
}

// A rule that Neutron spells in another way is the wanted one, and one that only looks like it is not.
func TestRulesOfNeutron(t *testing.T) {
	const web, ports = `"direction":"ingress","ethertype":"IPv4","protocol":"tcp",`, `"port_range_min":30080,"port_range_max":30080,`
	for name, test := range map[string]struct{ rules, from, missing, surplus string }{
		"as it was made":            {`{"id":"1",` + web + ports + `"remote_ip_prefix":"10.0.0.0/24"}`, "10.0.0.0/24", "", ""},
		"bits of a host":            {`{"id":"1",` + web + ports + `"remote_ip_prefix":"10.0.0.7/24"}`, "10.0.0.0/24", "", ""},
		"a number":                  {`{"id":"1","direction":"ingress","ethertype":"IPv4","protocol":"6",` + ports + `"remote_ip_prefix":"10.0.0.0/24"}`, "10.0.0.0/24", "", ""},
		"IPv6 in another form":      {`{"id":"1","direction":"ingress","ethertype":"IPv6","protocol":"tcp",` + ports + `"remote_ip_prefix":"2001:DB8:0::/64"}`, "2001:db8::/64", "", ""},
		"null is everyone":          {`{"id":"1",` + web + ports + `"remote_ip_prefix":null}`, "0.0.0.0/0", "", ""},
		"of this family":            {`{"id":"1","direction":"ingress","ethertype":"IPv6","protocol":"tcp",` + ports + `"remote_ip_prefix":null}`, "0.0.0.0/0", "tcp/30080 from 0.0.0.0/0", "tcp/30080 from ::/0"},
		"two of them":               {`{"id":"1",` + web + ports + `"remote_ip_prefix":null},{"id":"2",` + web + ports + `"remote_ip_prefix":"0.0.0.0/0"}`, "0.0.0.0/0", "", "tcp/30080 from 0.0.0.0/0 (copy 1)"},
		"another group":             {`{"id":"1",` + web + ports + `"remote_group_id":"g"}`, "0.0.0.0/0", "tcp/30080 from 0.0.0.0/0", "tcp/30080 IPv4 from g"},
		"a list of addresses":       {`{"id":"1",` + web + ports + `"remote_address_group_id":"a"}`, "0.0.0.0/0", "tcp/30080 from 0.0.0.0/0", "tcp/30080 IPv4 from a"},
		"all ports":                 {`{"id":"1",` + web + `"remote_ip_prefix":"10.0.0.0/24"}`, "10.0.0.0/24", "tcp/30080 from 10.0.0.0/24", "tcp from 10.0.0.0/24"},
		"any protocol, out":         {`{"id":"1","direction":"egress","ethertype":"IPv6","protocol":null}`, "10.0.0.0/24", "tcp/30080 from 10.0.0.0/24", "egress all to ::/0"},
		"pings, which have type 0":  {`{"id":"1","direction":"ingress","ethertype":"IPv4","protocol":"icmp","port_range_min":0,"port_range_max":0}`, "10.0.0.0/24", "tcp/30080 from 10.0.0.0/24", "icmp/0 from 0.0.0.0/0"},
		"nothing that can be known": {`{"id":"1"}`, "10.0.0.0/24", "tcp/30080 from 10.0.0.0/24", "egress all to "},
	} {
		var group object.SecurityGroup
		if err := json.Unmarshal([]byte(`{"id":"sg","security_group_rules":[`+test.rules+`]}`), &group); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m := &Manager{Rules: &desired.Rules{}}
		m.Rules.Config.ManageSecurityGroups = true
		in := specOf(test.from)
		var r cloud.Resources
		needed, err := m.Add(t.Context(), &r, &object.Snapshot{Security: object.Security{Groups: []object.SecurityGroup{group}}}, cloud.Change{Input: in, After: &cloud.Balancer{}, Before: cloud.Observed{Found: true}}, nil)
		if missing, surplus := keyOf(r.Wanted), keyOf(r.Present); missing != test.missing || surplus != test.surplus {
			t.Errorf("%s: lacks %q, has %q too; want %q and %q", name, missing, surplus, test.missing, test.surplus)
		}
		if err != nil || len(needed) != len(r.Wanted) {
			t.Errorf("%s: %v; needed are %v, wanted %v", name, err, needed, r.Wanted)
		}
	}
}

// keyOf returns the rules among resources, without the name of their group.
func keyOf(list []cloud.Resource) string {
	var keys []string
	for _, r := range list {
		if r.Kind == kindRule {
			keys = append(keys, strings.TrimSuffix(r.Key, " in n/web"))
		}
	}
	return strings.Join(keys, ", ")
}

// What is sent for a rule.
func TestCreateRule(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, string(body))
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	m := &Manager{Network: &gophercloud.ServiceClient{ProviderClient: &gophercloud.ProviderClient{}, Endpoint: server.URL + "/"}}
	for _, source := range []string{"10.0.0.0/24", "2001:db8::/64"} {
		rule := packetfilter.Port(cloud.ProtocolUDP, 30053, packetfilter.Network(source))
		if _, err := m.createRule(t.Context(), packetfilter.Resource(cloud.ToID("sg"), rule, packetfilter.Attributes{}, nil), nil); err != nil {
			t.Error(err)
		}
	}
	want := []string{
		`{"security_group_rule":{"direction":"ingress","ethertype":"IPv4","port_range_max":"30053","port_range_min":"30053","protocol":"udp","remote_ip_prefix":"10.0.0.0/24","security_group_id":"sg"}}`,
		`{"security_group_rule":{"direction":"ingress","ethertype":"IPv6","port_range_max":"30053","port_range_min":"30053","protocol":"udp","remote_ip_prefix":"2001:db8::/64","security_group_id":"sg"}}`,
	}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %q", sent)
	}
}

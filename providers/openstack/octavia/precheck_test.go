package octavia

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/check"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/resource"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Ids of what the cloud of TestCheck has, and one of what it has not.
const (
	idPublic, idFarNet = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
	idPublicV4, idNode = "00000000-0000-4000-8000-000000000003", "00000000-0000-4000-8000-000000000004"
	idNodes, idFlavor  = "00000000-0000-4000-8000-000000000005", "00000000-0000-4000-8000-000000000006"
	idOldFlavor, idVIP = "00000000-0000-4000-8000-000000000007", "00000000-0000-4000-8000-000000000008"
	idLB               = "00000000-0000-4000-8000-00000000000a"
	idHidden, idNone   = "00000000-0000-4000-8000-000000000009", "00000000-0000-4000-8000-0000000000ff"
)

func checked() map[string]string {
	return map[string]string{
		"GET /networks/" + idPublic:         `{"network": {"id": "` + idPublic + `", "router:external": true, "subnets": ["` + idPublicV4 + `"]}}`,
		"GET /networks/" + idNodes:          `{"network": {"id": "` + idNodes + `", "router:external": false, "subnets": ["` + idNode + `"]}}`,
		"GET /networks/" + idFarNet:         `{"network": {"id": "` + idFarNet + `", "router:external": false, "subnets": []}}`,
		"GET /networks/" + idHidden:         "forbidden",
		"GET /subnets/" + idNode:            `{"subnet": {"id": "` + idNode + `", "network_id": "` + idNodes + `", "cidr": "10.0.0.0/16", "ip_version": 4}}`,
		"GET /subnets":                      `{"subnets": [{"id": "` + idPublicV4 + `", "name": "public-v4", "network_id": "` + idPublic + `", "tags": []}]}`,
		"GET /ports/" + idVIP:               `{"port": {"id": "` + idVIP + `"}}`,
		"GET /ports":                        `{"ports": []}`,
		"GET /ports?ip_address=10.0.0.7":    `{"ports": [{"id": "` + idVIP + `", "fixed_ips": [{"ip_address": "10.0.0.7", "subnet_id": "` + idNode + `"}]}]}`,
		"GET /floatingips":                  `{"floatingips": []}`,
		"GET /floatingips?172.24.0.9":       `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.9", "port_id": "other"}]}`,
		"GET /floatingips?172.24.0.8":       `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.8", "port_id": "` + idVIP + `"}]}`,
		"GET /floatingips?172.24.0.5":       `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.5", "port_id": null, "description": "Floating IP for Kubernetes external service shop/api from cluster prod (uid u-2)"}]}`,
		"GET /floatingips?172.24.0.4":       `{"floatingips": [{"id": "fip", "floating_ip_address": "172.24.0.4", "port_id": null, "description": "Kept of Service shop/api"}]}`,
		"GET /lbaas/flavors/" + idFlavor:    `{"flavor": {"id": "` + idFlavor + `", "enabled": true}}`,
		"GET /lbaas/flavors/" + idOldFlavor: `{"flavor": {"id": "` + idOldFlavor + `", "enabled": false}}`,
		"GET /lbaas/availabilityzones/az1":  `{"availability_zone": {"name": "az1", "enabled": true}}`,
	}
}

// TestCheck: what the cloud does not have is found before anything is made. The error names key and
// value, and says what would be right.
func TestCheck(t *testing.T) {
	internal := map[string]string{option.Internal.Name: "true"}
	for name, test := range map[string]struct {
		options map[string]string
		address string
		before  cloud.Observed
		want    string // a part of the error; "" for none
	}{
		"nothing named":                 {},
		"all is there":                  {options: map[string]string{option.FloatingNetwork.Name: idPublic, option.FloatingSubnet.Name: idPublicV4, option.Subnet.Name: idNode, option.Network.Name: idNodes, option.Flavor.Name: idFlavor, option.Zone.Name: "az1", option.Port.Name: idVIP}},
		"no such floating network":      {options: map[string]string{option.FloatingNetwork.Name: idNone}, want: option.FloatingNetwork.Name + `: "` + idNone},
		"a network that is not outside": {options: map[string]string{option.FloatingNetwork.Name: idNodes}, want: "want an external network"},
		"no such floating subnet":       {options: map[string]string{option.FloatingNetwork.Name: idPublic, option.FloatingSubnet.Name: idNode}, want: option.FloatingSubnet.Name + `: "` + idNode},
		"no floating subnet of a name":  {options: map[string]string{option.FloatingNetwork.Name: idPublic, option.FloatingName.Name: "private-*"}, want: option.FloatingName.Name + `: "private-*"`},
		"a floating subnet of a name":   {options: map[string]string{option.FloatingNetwork.Name: idPublic, option.FloatingName.Name: "public-*"}},
		"a network nobody may read":     {options: map[string]string{option.FloatingNetwork.Name: idHidden}},
		"internal":                      {options: map[string]string{option.Internal.Name: "true", option.FloatingNetwork.Name: idNone}},
		"no such subnet":                {options: map[string]string{option.Subnet.Name: idNone}, want: option.Subnet.Name + `: "` + idNone},
		"a subnet of another network":   {options: map[string]string{option.Subnet.Name: idNode, option.Network.Name: idFarNet}, want: "and not in " + idFarNet},
		"no such network":               {options: map[string]string{option.Network.Name: idNone}, want: option.Network.Name + `: "` + idNone},
		"no such member subnet":         {options: map[string]string{option.MemberSubnet.Name: idNone}, want: option.MemberSubnet.Name + `: "` + idNone},
		"no such port":                  {options: map[string]string{option.Port.Name: idNone}, want: option.Port.Name + `: "` + idNone},
		"no such flavor":                {options: map[string]string{option.Flavor.Name: idNone}, want: option.Flavor.Name + `: "` + idNone},
		"a flavor of the past":          {options: map[string]string{option.Flavor.Name: idOldFlavor}, want: "the flavor is disabled"},
		"no such zone":                  {options: map[string]string{option.Zone.Name: "../az1"}, want: option.Zone.Name + `: "../az1"`},
		"two mistakes":                  {options: map[string]string{option.Flavor.Name: idNone, option.Subnet.Name: idNone}, want: option.Subnet.Name},
		"an address that is in use":     {address: "172.24.0.9", want: `spec.loadBalancerIP: "172.24.0.9" is not possible: it is in use at port other`},
		"the same by annotation":        {options: map[string]string{option.WantedAddress.Name: "172.24.0.9"}, want: `multicloud-ccm.io/address: "172.24.0.9" is not possible: it is in use at port other`},
		"an address of another Service": {address: "172.24.0.5", want: `spec.loadBalancerIP: "172.24.0.5" is not possible: it was made for another Service`},
		"a free address":                {address: "172.24.0.4"},
		"the address of the one before": {address: "172.24.0.8", before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{LB: object.Balancer{Port: idVIP}})}},
		"no address":                    {address: "web", want: `spec.loadBalancerIP: "web" is not possible: want an IP address`},
		"an address outside":            {options: maps.Clone(internal), address: "10.9.0.1", want: "10.0.0.0/16"},
		"an inner address in use":       {options: maps.Clone(internal), address: "10.0.0.7", want: "in use at port " + idVIP},
		"the same, of the one before":   {options: maps.Clone(internal), address: "10.0.0.7", before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{LB: object.Balancer{Port: idVIP}})}},
		"an inner address":              {options: maps.Clone(internal), address: "10.0.0.8"},
	} {
		c := newCase(t, checked())
		c.driver.Config.Placement.FloatingNetwork = idPublic
		in := specOf(test.options)
		in.LoadBalancerIP = test.address
		if option.Internal.Bool(test.options) && test.address != "" {
			in.Options[option.Subnet.Name] = idNode
		}
		err := c.driver.Check(t.Context(), in, test.before)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || api.Classify(err).Class != cloud.FailureInvalid):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if len(c.writes) > 0 {
			t.Errorf("%s: wrote %q", name, c.writes)
		}
	}
}

// TestCheckOfTheConfiguration: what the configuration says is not said to be an annotation's, which nobody wrote.
func TestCheckOfTheConfiguration(t *testing.T) {
	const configured = " in [LoadBalancer] of the configuration: "
	subnet := func(p *config.Placement) { p.Subnet = idNone }
	for name, test := range map[string]struct {
		options   map[string]string
		configure func(*config.Placement)
		want      string
	}{
		"of all":            {nil, subnet, "subnet-id" + configured + `"` + idNone},
		"or of a class":     {map[string]string{option.Class.Name: "gold"}, subnet, `subnet-id in [LoadBalancer] or [LoadBalancerClass "gold"] of the configuration: "` + idNone},
		"of the Service":    {map[string]string{option.Subnet.Name: idNone}, subnet, option.Subnet.Name + `: "` + idNone},
		"another network":   {map[string]string{option.FloatingNetwork.Name: idNone}, subnet, option.FloatingNetwork.Name + `: "` + idNone},
		"an inner network":  {nil, func(p *config.Placement) { p.FloatingNetwork = idNodes }, "floating-network-id" + configured + `"` + idNodes},
		"a floating subnet": {nil, func(p *config.Placement) { p.FloatingNetwork, p.FloatingSubnet = idPublic, idNode }, "floating-subnet-id" + configured + `"` + idNode},
		"the name of one":   {nil, func(p *config.Placement) { p.FloatingNetwork, p.FloatingSubnetName = idPublic, "none-*" }, "floating-subnet" + configured + `"none-*"`},
		"the tags of one":   {nil, func(p *config.Placement) { p.FloatingNetwork, p.FloatingSubnetTags = idPublic, "none" }, "floating-subnet-tags" + configured + `"none"`},
	} {
		c := newCase(t, checked())
		test.configure(&c.driver.Config.Placement)
		if err := c.driver.Check(t.Context(), specOf(test.options), cloud.Observed{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	in := specOf(nil)
	in.Findings = desired.Found.Seal(desired.Findings{NoSubnet: idNone})
	if _, _, err := newCase(t, checked()).driver.Normalize(in); err == nil || !strings.Contains(err.Error(), "member-subnet-id"+configured+`"`+idNone) {
		t.Errorf("the members' subnet: %v", err)
	}
}

// TestFloatingIPFromNowhere: an existing balancer that is to get a floating IP does not ask for one
// that cannot be.
func TestFloatingIPFromNowhere(t *testing.T) {
	c := newCase(t, checked())
	in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic, option.FloatingSubnet.Name: idNone})
	lb := &object.Snapshot{LB: object.Balancer{ID: "lb", Port: idVIP}}
	_, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(lb)}, After: &cloud.Balancer{Scope: cloud.ScopeExternal}})
	if !check.IsInvalid(err) || !strings.Contains(err.Error(), option.FloatingSubnet.Name) {
		t.Errorf("error %v", err)
	}
	c.wrote("a floating IP from no subnet")
}

// TestChosenFloatingIP is made before the balancer, which would wait for it for ever.
func TestChosenFloatingIP(t *testing.T) {
	c := newCase(t, checked())
	in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic, option.Subnet.Name: idNode})
	in.LoadBalancerIP = "172.24.0.7"
	made, err := c.driver.Resources(t.Context(), cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &cloud.Balancer{}})
	if err != nil {
		t.Fatal(err)
	}
	first := resource.Find(made.Wanted, cloud.IDOf{Kind: floatingip.KindFloatingIP, Key: "172.24.0.7"})
	lb := resource.Find(made.Wanted, resource.TheBalancer(in.Spec))
	if first == nil || lb == nil || !slices.Contains(lb.Needs, first.Ref()) {
		t.Fatalf("the balancer is not made after the floating IP: %+v", made.Wanted)
	}
	if _, err := c.driver.floating.Create(t.Context(), *first, nil); err != nil || len(c.writes) != 1 {
		t.Fatalf("%v, wrote %q", err, c.writes)
	}
	if body := fieldsOf(t, c.writes[0]); body["floating_ip_address"] != "172.24.0.7" || body["port_id"] != nil || body["description"] != c.driver.OwnershipTags.OwnDescription(tag.FloatingIP, web) {
		t.Errorf("made %v", body)
	}
	in.LoadBalancerIP = "172.24.0.9"
	made, err = c.driver.Resources(t.Context(), cloud.Change{Input: in, Before: cloud.Observed{Native: object.Native.Seal(&object.Snapshot{})}, After: &cloud.Balancer{}})
	if lb := resource.Find(made.Wanted, resource.TheBalancer(in.Spec)); err != nil || len(lb.Needs) > 0 {
		t.Errorf("an address that is there: %v, %v", lb, err)
	}
}

// TestIDOfAnotherForm is no path of the API.
func TestIDOfAnotherForm(t *testing.T) {
	for _, id := range []string{"10", "regional", "../ports", "a/b?c"} {
		c := newCase(t, map[string]string{"GET /lbaas/loadbalancers": `{"loadbalancers": []}`})
		f, err := c.driver.find(t.Context(), nil, cloud.Input{Spec: cloud.Spec{Owner: web}, Known: cloud.Known{ID: id}})
		if err != nil || f.lb != nil || len(c.reads) != 1 || c.reads[0] != "/lbaas/loadbalancers" {
			t.Errorf("id %q: %+v, %v, asked for %q", id, f, err, c.reads)
		}
	}
}

// TestFloatingIPOfAnotherService: one that is free and was made for another Service is not attached, with whatever address a Service
// asks for: it would be deleted with this Service.
func TestFloatingIPOfAnotherService(t *testing.T) {
	for _, test := range []struct {
		address, preserved string
		attached           bool
	}{
		{"172.24.0.5", "", false},
		{"172.24.0.4", "", true},
		{"", "172.24.0.5", true}, // the balancer that is replaced had it
	} {
		c := newCase(t, checked())
		in := specOf(map[string]string{option.FloatingNetwork.Name: idPublic, option.Subnet.Name: idNode})
		in.LoadBalancerIP, in.Preserved = test.address, map[string]string{desired.FieldFloatingIP: test.preserved}
		lb := &object.Snapshot{LB: object.Balancer{ID: "lb", Port: idVIP}}
		_, err := apply(t, c.driver, cloud.Change{Input: in, Before: cloud.Observed{Found: true, Native: object.Native.Seal(lb)}, After: &cloud.Balancer{Scope: cloud.ScopeExternal}})
		if test.attached {
			c.wrote("a free floating IP", `PUT /floatingips/fip {"floatingip":{"port_id":"`+idVIP+`"}}`)
		} else if c.wrote("another's floating IP"); !check.IsInvalid(err) || !strings.Contains(err.Error(), "another Service") {
			t.Errorf("%s: %v", test.address, err)
		}
	}
}

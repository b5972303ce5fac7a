package aws

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// tablesWorld answers for route tables and the instances behind them, and records writes.
type tablesWorld struct {
	*fakeEC2
	// tables are the routes of each table.
	tables map[string][]string
	// instances are the inside of each.
	instances map[string]string
	writes    []string
}

func newTables(t *testing.T) (*Driver, *tablesWorld) {
	d, fake := newFakeEC2(t)
	w := &tablesWorld{fakeEC2: fake, tables: map[string][]string{}, instances: map[string]string{}}
	fake.answer("DescribeRouteTables", func(url.Values) string {
		var tables []string
		for _, id := range slices.Sorted(mapKeys(w.tables)) {
			tables = append(tables, element("routeTableId", id)+items("routeSet", w.tables[id]...)+items("tagSet", element("key", "kubernetes.io/cluster/c")))
		}
		return items("routeTableSet", tables...)
	})
	fake.answers["DescribeInstances"] = func(form url.Values) (int, string) {
		var found []string
		for _, id := range numbered(form, "InstanceId") {
			inside, known := w.instances[id]
			if !known {
				return refusal("InvalidInstanceID.NotFound")(form)
			}
			found = append(found, element("instanceId", id)+inside)
		}
		return http.StatusOK, "<DescribeInstancesResponse>" + reservations(found...) + "</DescribeInstancesResponse>"
	}
	for _, action := range []string{"CreateRoute", "ReplaceRoute", "DeleteRoute", "ModifyInstanceAttribute", "ModifyNetworkInterfaceAttribute"} {
		fake.answer(action, func(form url.Values) string {
			var said []string
			for _, key := range []string{"RouteTableId", "DestinationCidrBlock", "DestinationIpv6CidrBlock", "InstanceId", "NetworkInterfaceId", "SourceDestCheck.Value"} {
				if form.Has(key) {
					said = append(said, form.Get(key))
				}
			}
			w.writes = append(w.writes, action+" "+strings.Join(said, " "))
			return "<return>true</return>"
		})
	}
	return d, w
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

func to(destination, instance, state string) string {
	kind := "destinationCidrBlock"
	if strings.Contains(destination, ":") {
		kind = "destinationIpv6CidrBlock"
	}
	return element(kind, destination) + element("instanceId", instance) + element("networkInterfaceId", "eni-of-"+instance) + element("state", state)
}

const (
	clusterTag = `<tagSet><item><key>kubernetes.io/cluster/c</key><value>owned</value></item></tagSet>`
	forwards   = `<sourceDestCheck>false</sourceDestCheck>`
)

// interfaces are in use, from device index 0 on, with the check.
func interfaces(ids ...string) string {
	var each []string
	for n, id := range ids {
		each = append(each, element("networkInterfaceId", id)+element("status", "in-use")+element("sourceDestCheck", "true")+
			"<attachment>"+element("deviceIndex", fmt.Sprint(n))+"</attachment>")
	}
	return items("networkInterfaceSet", each...)
}

func network(text string) netip.Prefix { return netip.MustParsePrefix(text) }

func TestListRoutes(t *testing.T) {
	d, w := newTables(t)
	gateway := element("destinationCidrBlock", "0.0.0.0/0") + element("gatewayId", "igw-1") + element("state", "active")
	local := element("destinationCidrBlock", "10.0.0.0/16") + element("gatewayId", "local") + element("state", "active")
	w.tables["rtb-1"] = []string{
		local, gateway, to("10.1.1.0/24", "i-1", "active"), to("fd00:1::/80", "i-1", "active"), to("10.1.2.0/24", "i-2", "blackhole"),
		element("destinationCidrBlock", "10.1.3.0/24") + element("networkInterfaceId", "eni-gone") + element("state", "blackhole"),
		element("destinationCidrBlock", "10.1.4.0/24") + element("networkInterfaceId", "eni-lambda") + element("state", "active"),
		element("destinationCidrBlock", "10.1.5.0/24") + element("vpcPeeringConnectionId", "pcx-1") + element("state", "blackhole"),
		element("destinationPrefixListId", "pl-1") + element("gatewayId", "vpce-1") + element("state", "active"),
		to("10.1.6.0/24", "i-6", "active"), to("10.1.7.0/24", "i-7", "active"),
	}
	w.tables["rtb-2"] = []string{
		local, to("10.1.1.0/24", "i-1", "active"), to("fd00:1::/80", "i-1", "active"), to("10.1.2.0/24", "i-2", "active"),
		element("destinationCidrBlock", "10.1.3.0/24") + element("networkInterfaceId", "eni-gone") + element("state", "blackhole"),
		to("10.1.7.0/24", "i-other", "active"),
	}
	got, err := d.ListRoutes(t.Context(), cloud.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	want := []cloud.Route{
		{Name: "i-1", Destination: network("10.1.1.0/24"), Target: "i-1"},
		{Name: "i-1", Destination: network("fd00:1::/80"), Target: "i-1"},
		{Name: "i-2", Destination: network("10.1.2.0/24"), Target: "i-2", Blackhole: true},
		{Name: "eni-gone", Destination: network("10.1.3.0/24"), Blackhole: true},
		{Name: "i-6", Destination: network("10.1.6.0/24"), Target: "i-6", Partial: true},
		{Name: "i-7", Destination: network("10.1.7.0/24"), Target: "i-7", Partial: true},
		{Name: "i-other", Destination: network("10.1.7.0/24"), Target: "i-other", Partial: true},
	}
	same := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	if difference := cmp.Diff(want, got, same); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
	asked := filters(w.calls[0])
	if !slices.Equal(asked["vpc-id"], []string{"vpc-1"}) || !slices.Equal(asked["tag-key"], []string{"kubernetes.io/cluster/c"}) || len(w.calls) != 1 {
		t.Errorf("%d calls with filters %v", len(w.calls), asked)
	}
}

func TestRouteTablesOfTheConfiguration(t *testing.T) {
	d, w := newTables(t)
	if _, err := d.ListRoutes(t.Context(), cloud.Owner{}); !cloud.IsClass(err, cloud.FailureInvalid) {
		t.Errorf("no table: %v", err)
	}
	d.config.RouteTables = []string{"rtb-1"}
	w.tables["rtb-1"] = nil
	if routes, err := d.ListRoutes(t.Context(), cloud.Owner{}); err != nil || len(routes) > 0 {
		t.Errorf("%v, %v", routes, err)
	}
	last := w.calls[len(w.calls)-1]
	if !slices.Equal(numbered(last, "RouteTableId"), []string{"rtb-1"}) || len(filters(last)) > 0 {
		t.Errorf("asked for %v", last)
	}
}

func TestCreateRoute(t *testing.T) {
	for name, c := range map[string]struct {
		tables      map[string][]string
		instances   map[string]string
		destination string
		writes      []string
		refused     cloud.Class
	}{
		"new, and the check is on": {
			map[string][]string{"rtb-1": nil}, map[string]string{"i-1": interfaces("eni-1")}, "10.1.1.0/24",
			[]string{"ModifyInstanceAttribute i-1 false", "CreateRoute rtb-1 10.1.1.0/24 i-1"}, "",
		},
		"new in two tables, and the check is off": {
			map[string][]string{"rtb-1": nil, "rtb-2": nil}, map[string]string{"i-1": forwards}, "10.1.1.0/24",
			[]string{"CreateRoute rtb-1 10.1.1.0/24 i-1", "CreateRoute rtb-2 10.1.1.0/24 i-1"}, "",
		},
		"IPv6 to an instance with several interfaces": {
			map[string][]string{"rtb-1": nil}, map[string]string{"i-1": interfaces("eni-1", "eni-2")}, "fd00:1::/80",
			[]string{"ModifyNetworkInterfaceAttribute eni-1 false", "CreateRoute rtb-1 fd00:1::/80 eni-1"}, "",
		},
		"there is one in one of two tables": {
			map[string][]string{"rtb-1": {to("10.1.1.0/24", "i-1", "active")}, "rtb-2": nil}, map[string]string{"i-1": forwards}, "10.1.1.0/24",
			[]string{"CreateRoute rtb-2 10.1.1.0/24 i-1"}, "",
		},
		"there is one": {
			map[string][]string{"rtb-1": {to("10.1.1.0/24", "i-1", "active")}}, map[string]string{"i-1": forwards}, "10.1.1.0/24", nil, "",
		},
		"to another instance of the cluster": {
			map[string][]string{"rtb-1": {to("10.1.1.0/24", "i-2", "active")}}, map[string]string{"i-1": forwards, "i-2": clusterTag}, "10.1.1.0/24",
			[]string{"ReplaceRoute rtb-1 10.1.1.0/24 i-1"}, "",
		},
		"a black hole": {
			map[string][]string{"rtb-1": {to("10.1.1.0/24", "i-gone", "blackhole")}}, map[string]string{"i-1": forwards}, "10.1.1.0/24",
			[]string{"ReplaceRoute rtb-1 10.1.1.0/24 i-1"}, "",
		},
		"to somebody else's instance": {
			map[string][]string{"rtb-1": nil, "rtb-2": {to("10.1.1.0/24", "i-nat", "active")}}, map[string]string{"i-1": "", "i-nat": ""}, "10.1.1.0/24",
			nil, cloud.FailureConflict,
		},
		"to a gateway": {
			map[string][]string{"rtb-1": {element("destinationCidrBlock", "10.1.1.0/24") + element("transitGatewayId", "tgw-1")}},
			map[string]string{"i-1": ""}, "10.1.1.0/24", nil, cloud.FailureConflict,
		},
		"the instance is gone": {
			map[string][]string{"rtb-1": nil}, map[string]string{}, "10.1.1.0/24", nil, cloud.FailureNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, w := newTables(t)
			w.tables, w.instances = c.tables, c.instances
			err := d.CreateRoute(t.Context(), cloud.Owner{}, cloud.Route{Destination: network(c.destination), Target: "i-1"})
			if c.refused == "" && err != nil || c.refused != "" && !cloud.IsClass(err, c.refused) {
				t.Errorf("error = %v, want class %q", err, c.refused)
			}
			if difference := cmp.Diff(c.writes, w.writes); difference != "" {
				t.Errorf("writes (-want +got):\n%s", difference)
			}
		})
	}
}

func TestDeleteRoute(t *testing.T) {
	d, w := newTables(t)
	w.tables["rtb-1"] = []string{to("10.1.1.0/24", "i-1", "active")}
	w.tables["rtb-2"] = []string{to("10.1.1.0/24", "i-2", "active")} // replaced meanwhile
	w.tables["rtb-3"] = []string{to("10.1.1.0/24", "i-1", "blackhole")}
	w.tables["rtb-4"] = nil
	route := cloud.Route{Name: "i-1", Destination: network("10.1.1.0/24"), Target: "i-1"}
	if err := d.DeleteRoute(t.Context(), cloud.Owner{}, route); err != nil {
		t.Fatal(err)
	}
	want := []string{"DeleteRoute rtb-1 10.1.1.0/24", "DeleteRoute rtb-3 10.1.1.0/24"}
	if difference := cmp.Diff(want, w.writes); difference != "" {
		t.Errorf("writes (-want +got):\n%s", difference)
	}
	w.answers["DeleteRoute"] = refusal("InvalidRoute.NotFound")
	if err := d.DeleteRoute(t.Context(), cloud.Owner{}, route); err != nil {
		t.Errorf("a route that somebody else deleted: %v", err)
	}
	w.answers["DeleteRoute"] = refusal("UnauthorizedOperation")
	if err := d.DeleteRoute(t.Context(), cloud.Owner{}, route); err == nil {
		t.Error("a refusal is no success")
	}
}

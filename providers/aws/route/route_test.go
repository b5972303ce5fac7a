package route

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
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// tablesWorld answers for route tables and the instances behind them, and records writes.
type tablesWorld struct {
	*ec2test.Server
	// tables are the routes of each table.
	tables map[string][]string
	// instances are the inside of each.
	instances map[string]string
	writes    []string
}

func newTables(t *testing.T) (*Tables, *tablesWorld) {
	client, fake := ec2test.New(t)
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	d := &Tables{Cluster: cluster, Client: client, Instances: &instance.Machines{Region: "eu-west-1", Cluster: cluster, Client: client}}
	w := &tablesWorld{Server: fake, tables: map[string][]string{}, instances: map[string]string{}}
	fake.Answer("DescribeRouteTables", func(url.Values) string {
		var tables []string
		for _, id := range slices.Sorted(mapKeys(w.tables)) {
			tables = append(tables, ec2test.Element("routeTableId", id)+ec2test.Items("routeSet", w.tables[id]...)+ec2test.Items("tagSet", ec2test.Element("key", "kubernetes.io/cluster/c")))
		}
		return ec2test.Items("routeTableSet", tables...)
	})
	fake.Answers["DescribeInstances"] = func(form url.Values) (int, string) {
		var found []string
		for _, id := range ec2test.Numbered(form, "InstanceId") {
			inside, known := w.instances[id]
			if !known {
				return ec2test.Refusal("InvalidInstanceID.NotFound")(form)
			}
			found = append(found, ec2test.Element("instanceId", id)+inside)
		}
		return http.StatusOK, "<DescribeInstancesResponse>" + ec2test.Reservations(found...) + "</DescribeInstancesResponse>"
	}
	for _, action := range []string{"CreateRoute", "ReplaceRoute", "DeleteRoute", "ModifyInstanceAttribute", "ModifyNetworkInterfaceAttribute"} {
		fake.Answer(action, func(form url.Values) string {
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
	return ec2test.Element(kind, destination) + ec2test.Element("instanceId", instance) + ec2test.Element("networkInterfaceId", "eni-of-"+instance) + ec2test.Element("state", state)
}

const (
	clusterTag = `<tagSet><item><key>kubernetes.io/cluster/c</key><value>owned</value></item></tagSet>`
	forwards   = `<sourceDestCheck>false</sourceDestCheck>`
)

// interfaces are in use, from device index 0 on, with the check.
func interfaces(ids ...string) string {
	var each []string
	for n, id := range ids {
		each = append(each, ec2test.Element("networkInterfaceId", id)+ec2test.Element("status", "in-use")+ec2test.Element("sourceDestCheck", "true")+
			"<attachment>"+ec2test.Element("deviceIndex", fmt.Sprint(n))+"</attachment>")
	}
	return ec2test.Items("networkInterfaceSet", each...)
}

func network(text string) netip.Prefix { return netip.MustParsePrefix(text) }

func TestListRoutes(t *testing.T) {
	d, w := newTables(t)
	gateway := ec2test.Element("destinationCidrBlock", "0.0.0.0/0") + ec2test.Element("gatewayId", "igw-1") + ec2test.Element("state", "active")
	local := ec2test.Element("destinationCidrBlock", "10.0.0.0/16") + ec2test.Element("gatewayId", "local") + ec2test.Element("state", "active")
	w.tables["rtb-1"] = []string{
		local, gateway, to("10.1.1.0/24", "i-1", "active"), to("fd00:1::/80", "i-1", "active"), to("10.1.2.0/24", "i-2", "blackhole"),
		ec2test.Element("destinationCidrBlock", "10.1.3.0/24") + ec2test.Element("networkInterfaceId", "eni-gone") + ec2test.Element("state", "blackhole"),
		ec2test.Element("destinationCidrBlock", "10.1.4.0/24") + ec2test.Element("networkInterfaceId", "eni-lambda") + ec2test.Element("state", "active"),
		ec2test.Element("destinationCidrBlock", "10.1.5.0/24") + ec2test.Element("vpcPeeringConnectionId", "pcx-1") + ec2test.Element("state", "blackhole"),
		ec2test.Element("destinationPrefixListId", "pl-1") + ec2test.Element("gatewayId", "vpce-1") + ec2test.Element("state", "active"),
		to("10.1.6.0/24", "i-6", "active"), to("10.1.7.0/24", "i-7", "active"),
	}
	w.tables["rtb-2"] = []string{
		local, to("10.1.1.0/24", "i-1", "active"), to("fd00:1::/80", "i-1", "active"), to("10.1.2.0/24", "i-2", "active"),
		ec2test.Element("destinationCidrBlock", "10.1.3.0/24") + ec2test.Element("networkInterfaceId", "eni-gone") + ec2test.Element("state", "blackhole"),
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
	same := cmp.Options{cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }), cmp.Comparer(func(a, b netip.Addr) bool { return a == b })}
	if difference := cmp.Diff(want, got, same); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
	asked := ec2test.Filters(w.Calls[0])
	if !slices.Equal(asked["vpc-id"], []string{"vpc-1"}) || !slices.Equal(asked["tag-key"], []string{"kubernetes.io/cluster/c"}) || len(w.Calls) != 1 {
		t.Errorf("%d calls with filters %v", len(w.Calls), asked)
	}
}

func TestRouteTablesOfTheConfiguration(t *testing.T) {
	d, w := newTables(t)
	if _, err := d.ListRoutes(t.Context(), cloud.Owner{}); !cloud.IsClass(err, cloud.FailureInvalid) || !strings.Contains(err.Error(), "no route table of VPC vpc-1 has the tag kubernetes.io/cluster/c") {
		t.Errorf("no table: %v", err)
	}
	w.tables["rtb-1"] = nil
	d.IDs = []string{"rtb-1", "rtb-8", "rtb-9"}
	if _, err := d.ListRoutes(t.Context(), cloud.Owner{}); !cloud.IsClass(err, cloud.FailureInvalid) || !strings.Contains(err.Error(), "there is no route table rtb-8 and no rtb-9, which") {
		t.Errorf("one of three tables: %v", err)
	}
	d.IDs = []string{"rtb-1"}
	if routes, err := d.ListRoutes(t.Context(), cloud.Owner{}); err != nil || len(routes) > 0 {
		t.Errorf("%v, %v", routes, err)
	}
	last := w.Calls[len(w.Calls)-1]
	if !slices.Equal(ec2test.Numbered(last, "RouteTableId"), []string{"rtb-1"}) || len(ec2test.Filters(last)) > 0 {
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
			map[string][]string{"rtb-1": {ec2test.Element("destinationCidrBlock", "10.1.1.0/24") + ec2test.Element("transitGatewayId", "tgw-1")}},
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

// TestRefusedRoute: what was made before AWS refused a table is taken back, and nothing that was there before. A failure that may
// be none is tried again instead.
func TestRefusedRoute(t *testing.T) {
	checked, free := interfaces("eni-1"), forwards
	switchedOff := "ModifyInstanceAttribute i-1 false" // another route may lead to the instance that EC2 does not show yet
	first, back := "CreateRoute rtb-1 10.1.1.0/24 i-1", "DeleteRoute rtb-1 10.1.1.0/24"
	for name, c := range map[string]struct {
		instance string
		one      []string
		code     string
		writes   []string
	}{
		"a full table":                       {checked, nil, "RouteLimitExceeded", []string{switchedOff, first, back}},
		"rights for one table only":          {checked, nil, "UnauthorizedOperation", []string{switchedOff, first, back}},
		"the check was off":                  {free, nil, "RouteLimitExceeded", []string{first, back}},
		"a route that was there":             {checked, []string{to("10.1.1.0/24", "i-1", "active")}, "RouteLimitExceeded", []string{switchedOff}},
		"a route that is led elsewhere":      {checked, []string{to("10.1.1.0/24", "i-gone", "blackhole")}, "RouteLimitExceeded", []string{switchedOff, "ReplaceRoute rtb-1 10.1.1.0/24 i-1"}},
		"a failure that may be over already": {checked, nil, "IncorrectState", []string{switchedOff, first}},
	} {
		d, w := newTables(t)
		w.tables, w.instances = map[string][]string{"rtb-1": c.one, "rtb-2": nil}, map[string]string{"i-1": c.instance}
		create := w.Answers["CreateRoute"]
		w.Answers["CreateRoute"] = func(form url.Values) (int, string) {
			if form.Get("RouteTableId") == "rtb-2" {
				return ec2test.Refusal(c.code)(form)
			}
			return create(form)
		}
		if err := d.CreateRoute(t.Context(), cloud.Owner{}, cloud.Route{Destination: network("10.1.1.0/24"), Target: "i-1"}); !failure.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
		if difference := cmp.Diff(c.writes, w.writes); difference != "" {
			t.Errorf("%s: writes (-want +got):\n%s", name, difference)
		}
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
	w.Answers["DeleteRoute"] = ec2test.Refusal("InvalidRoute.NotFound")
	if err := d.DeleteRoute(t.Context(), cloud.Owner{}, route); err != nil {
		t.Errorf("a route that somebody else deleted: %v", err)
	}
	w.Answers["DeleteRoute"] = ec2test.Refusal("UnauthorizedOperation")
	if err := d.DeleteRoute(t.Context(), cloud.Owner{}, route); err == nil {
		t.Error("a refusal is no success")
	}
}

package instance

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// newMachines returns the machines of cluster "c" in vpc-1 of eu-west-1, and what they are read from.
func newMachines(t *testing.T) (*Machines, *ec2test.Server) {
	client, fake := ec2test.New(t)
	return &Machines{
		Client: client, Region: "eu-west-1", Cluster: tag.Cluster{ID: "c", VPC: "vpc-1"}, Families: []string{ipv4},
		TopologyPattern: regexp.MustCompile(`^(hpc|trn|p)[0-9]+[a-z]*(-[a-z0-9]+)?(\.[0-9a-z]*)$`),
	}, fake
}

func TestListAsksForTheClusterOnly(t *testing.T) {
	m, fake := newMachines(t)
	fake.Answer("DescribeInstances", func(form url.Values) string {
		if form.Get("NextToken") == "" {
			return ec2test.Reservations(ec2test.MachineXML("i-1", "running", "")) + ec2test.Element("nextToken", "more")
		}
		return ec2test.Reservations(ec2test.MachineXML("i-2", "stopped", ""))
	})
	list, err := m.List(t.Context())
	if err != nil || !list.Complete {
		t.Fatalf("List: %+v, %v", list, err)
	}
	want := cloud.Instance{
		ID: "i-1", ProviderID: "aws:///eu-west-1a/i-1", Name: "ip-10-0-0-1.eu-west-1.compute.internal", Type: "t3.small",
		Region: "eu-west-1", Zone: "eu-west-1a", State: cloud.StateRunning,
		Addresses: []cloud.Address{
			{Type: cloud.AddressInternalDNS, Address: "ip-10-0-0-1.eu-west-1.compute.internal"},
			{Type: cloud.AddressHostname, Address: "ip-10-0-0-1.eu-west-1.compute.internal"},
		},
		Labels:     map[string]string{"topology.k8s.aws/zone-id": "euw1-az1"},
		Attributes: map[string]string{"groups": "sg-1,sg-2", "vpc": "vpc-1", "subnet": "subnet-1", "tagged": "true"},
	}
	if difference := cmp.Diff(want, list.Items[0]); difference != "" {
		t.Errorf("the first (-want +got):\n%s", difference)
	}
	if len(list.Items) != 2 || list.Items[1].State != cloud.StateStopped {
		t.Errorf("items = %+v", list.Items)
	}
	calls := fake.Made("DescribeInstances")
	if len(calls) != 2 || len(fake.Calls) != 2 {
		t.Fatalf("%d calls, %d in all; want one a page", len(calls), len(fake.Calls))
	}
	wantFilters := map[string][]string{
		"tag-key": {"kubernetes.io/cluster/c"}, "vpc-id": {"vpc-1"},
		"instance-state-name": {"pending", "running", "shutting-down", "stopping", "stopped"},
	}
	if difference := cmp.Diff(wantFilters, ec2test.Filters(calls[0])); difference != "" || calls[0].Get("MaxResults") != "1000" {
		t.Errorf("filters (-want +got):\n%sMaxResults %s", difference, calls[0].Get("MaxResults"))
	}
}

// The SDK takes any answer that is not understood for an empty one.
func TestListBelievesOnlyAnswers(t *testing.T) {
	for _, body := range []string{"", "{}", "<html><body>busy</body></html>"} {
		m, fake := newMachines(t)
		fake.Answers["DescribeInstances"] = func(url.Values) (int, string) { return http.StatusOK, body }
		if list, err := m.List(t.Context()); err == nil {
			t.Errorf("List with the answer %q = %+v", body, list)
		}
		if found, err := m.Get(t.Context(), "i-1"); err == nil {
			t.Errorf("Get with the answer %q = %+v", body, found)
		}
		if found, err := m.FindByName(t.Context(), "a"); err == nil {
			t.Errorf("FindByName with the answer %q = %+v", body, found)
		}
	}
}

// An empty list is an answer.
func TestNothingIsThere(t *testing.T) {
	m, fake := newMachines(t)
	fake.Answer("DescribeInstances", func(url.Values) string { return ec2test.Reservations() })
	if found, err := m.FindByName(t.Context(), "a"); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	if list, err := m.List(t.Context()); err != nil || !list.Complete || len(list.Items) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// EC2 refuses a batch as a whole: what is there has to be found with few calls, and what is not
// by an answer about itself.
func TestGetHalvesRefusedBatches(t *testing.T) {
	const size = 64
	states := map[string]string{}
	var ids []cloud.InstanceID
	for n := range size {
		id := fmt.Sprintf("i-%02d", n)
		ids = append(ids, cloud.InstanceID(id))
		states[id] = "running"
	}
	states["i-40"] = "terminated"
	delete(states, "i-17")
	m, fake := newMachines(t)
	fake.Fleet(states)
	found, err := m.Get(t.Context(), ids...)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := found["i-40"]; len(found) != size-2 || there {
		t.Errorf("%d found: %v", len(found), slices.Sorted(maps.Keys(found)))
	}
	calls := fake.Made("DescribeInstances")
	if len(calls) > 13 {
		t.Errorf("%d calls for one unknown of %d", len(calls), size)
	}
	if !slices.ContainsFunc(calls, func(c url.Values) bool { return slices.Equal(ec2test.Numbered(c, "InstanceId"), []string{"i-17"}) }) {
		t.Error("the unknown instance was not asked for by itself")
	}
}

func TestGetOfAFailureIsAnError(t *testing.T) {
	for _, code := range []string{"RequestLimitExceeded", "UnauthorizedOperation", "InvalidInstanceID", "InvalidInstanceID.Malformed"} {
		m, fake := newMachines(t)
		fake.Answers["DescribeInstances"] = ec2test.Refusal(code)
		if found, err := m.Get(t.Context(), "i-1", "i-2"); err == nil {
			t.Errorf("%s: %v without an error", code, found)
		}
	}
	m, fake := newMachines(t)
	fake.Answer("DescribeInstances", func(url.Values) string { return ec2test.Reservations(ec2test.MachineXML("i-1", "running", "")) })
	if found, err := m.Get(t.Context(), "i-1", "i-2"); err == nil {
		t.Errorf("an answer about one of two proves nothing about the other: %v", found)
	}
}

func TestFindByName(t *testing.T) {
	const id = "i-0123456789abcdef0"
	for _, name := range []string{id, id + ".ec2.internal", id + ".eu-west-1.compute.internal"} {
		m, fake := newMachines(t)
		fake.Fleet(map[string]string{id: "running"})
		found, err := m.FindByName(t.Context(), name)
		if err != nil || len(found) != 1 || found[0].ID != id {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	for _, name := range []string{"i-web", "i-web.example.com", "ip-10-0-0-1.eu-west-1.compute.internal"} {
		m, fake := newMachines(t)
		fake.Answer("DescribeInstances", func(url.Values) string { return ec2test.Reservations(ec2test.MachineXML("i-1", "running", "")) })
		found, err := m.FindByName(t.Context(), name)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %+v, %v", name, found, err)
		}
		if asked := ec2test.Filters(fake.Calls[0]); !slices.Equal(asked["private-dns-name"], []string{name}) || asked["tag-key"] == nil {
			t.Errorf("%s: filters %v", name, asked)
		}
	}
}

// Other clusters' machines are found too where the legacy tag is in use.
func TestLegacyTag(t *testing.T) {
	m, fake := newMachines(t)
	m.Cluster.Legacy = true
	tags := func(key, value string) string {
		return ec2test.Element("instanceId", "i-"+value) + ec2test.Items("tagSet", ec2test.Element("key", key)+ec2test.Element("value", value))
	}
	fake.Answer("DescribeInstances", func(url.Values) string {
		return ec2test.Reservations(tags("KubernetesCluster", "c"), tags("KubernetesCluster", "other"), tags("kubernetes.io/cluster/c", "shared"))
	})
	list, err := m.List(t.Context())
	if err != nil || len(list.Items) != 2 || list.Items[0].ID != "i-c" || list.Items[1].ID != "i-shared" {
		t.Errorf("List = %+v, %v", list.Items, err)
	}
	if keys := ec2test.Filters(fake.Calls[0])["tag-key"]; !slices.Equal(keys, []string{"kubernetes.io/cluster/c", "KubernetesCluster"}) {
		t.Errorf("tag-key = %v", keys)
	}
}

// An endpoint that does not say the ids of zones with the instances is asked when a Node is initialised, once for all zones.
func TestZoneIDsAreReadWhereTheyAreMissing(t *testing.T) {
	m, fake := newMachines(t)
	old := ec2test.Element("instanceId", "i-1") + "<placement>" + ec2test.Element("availabilityZone", "eu-west-1-lax-1a") + "</placement>" +
		ec2test.Items("tagSet", ec2test.Element("key", "kubernetes.io/cluster/c"))
	fake.Answer("DescribeInstances", func(url.Values) string { return ec2test.Reservations(old, old) })
	fake.Answer("DescribeAvailabilityZones", func(url.Values) string {
		return ec2test.Items("availabilityZoneInfo", ec2test.Element("zoneName", "eu-west-1-lax-1a")+ec2test.Element("zoneId", "euw1-lax1-az1"))
	})
	list, err := m.List(t.Context())
	if err != nil || len(list.Items) != 2 || len(fake.Made("DescribeAvailabilityZones")) != 0 {
		t.Fatalf("List = %+v, %v, with %d calls about zones", list.Items, err, len(fake.Made("DescribeAvailabilityZones")))
	}
	const label = "topology.k8s.aws/zone-id"
	if before, after := m.LabelNeed(list.Items[0], nil), m.LabelNeed(list.Items[0], map[string]string{label: "euw1-lax1-az1"}); before != cloud.LabelsWanted || after != cloud.LabelsNone {
		t.Errorf("a Node needs labels: %q, and with the zone's id %q", before, after)
	}
	labels, err := m.Labels(t.Context(), list.Items)
	if calls := len(fake.Made("DescribeAvailabilityZones")); err != nil || labels["i-1"][label] != "euw1-lax1-az1" || calls != 1 {
		t.Errorf("Labels = %v, %v, with %d calls", labels, err, calls)
	}
	if keys := m.ZoneKeys(); !slices.Equal(keys, []string{label}) {
		t.Errorf("labels that are the same in a zone: %v", keys)
	}
}

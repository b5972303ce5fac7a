package instance

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

func TestLabelNeed(t *testing.T) {
	m, _ := newMachines(t)
	for _, c := range []struct {
		kind   string
		labels map[string]string
		want   cloud.LabelNeed
	}{
		{"t3.small", nil, cloud.LabelsWanted},
		{"p5.48xlarge", nil, cloud.LabelsRequired},
		{"hpc7g.16xlarge", nil, cloud.LabelsRequired},
		{"trn1.32xlarge", nil, cloud.LabelsRequired},
		{"p5.48xlarge", map[string]string{"topology.k8s.aws/network-node-layer-1": "nn-1"}, cloud.LabelsNone},
		{"p5.48xlarge", map[string]string{"topology.k8s.aws/network-node-layer-2": "nn-1"}, cloud.LabelsRequired},
		{"", nil, cloud.LabelsNone},
	} {
		if got := m.LabelNeed(cloud.Instance{Type: c.kind}, c.labels); got != c.want {
			t.Errorf("%q with %v needs %q, want %q", c.kind, c.labels, got, c.want)
		}
	}
}

func machinesNamed(n int) []cloud.Instance {
	machines := make([]cloud.Instance, n)
	for k := range machines {
		machines[k] = cloud.Instance{ID: cloud.InstanceID(fmt.Sprintf("i-%d", k)), Type: "p5.48xlarge"}
	}
	return machines
}

func TestLabelsInBatches(t *testing.T) {
	m, fake := newMachines(t)
	fake.Answers["DescribeInstanceTopology"] = func(form url.Values) (int, string) {
		var found []string
		for _, id := range ec2test.Numbered(form, "InstanceId") {
			switch id {
			case "i-7": // gone
				return ec2test.Refusal("InvalidInstanceID.NotFound")(form)
			case "i-8": // of a type without
			default:
				found = append(found, ec2test.Element("instanceId", id)+ec2test.Items("networkNodeSet", "nn-a", "nn-b", "nn-"+id))
			}
		}
		return http.StatusOK, "<DescribeInstanceTopologyResponse>" + ec2test.Items("instanceSet", found...) + "</DescribeInstanceTopologyResponse>"
	}
	labels, err := m.Labels(t.Context(), machinesNamed(250))
	if err != nil || len(labels) != 248 {
		t.Fatalf("labels of %d machines, %v", len(labels), err)
	}
	want := map[string]string{
		"topology.k8s.aws/network-node-layer-1": "nn-a", "topology.k8s.aws/network-node-layer-2": "nn-b",
		"topology.k8s.aws/network-node-layer-3": "nn-i-249",
	}
	if difference := cmp.Diff(want, labels["i-249"]); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
	if calls := len(fake.Made("DescribeInstanceTopology")); calls > 3+2*7 {
		t.Errorf("%d calls for 250 machines, one of them gone", calls)
	}
}

func TestLabelsThatAreNotTold(t *testing.T) {
	for code, isError := range map[string]bool{
		"UnsupportedOperation": false, "UnauthorizedOperation": false, "RequestLimitExceeded": true, "InternalError": true,
	} {
		m, fake := newMachines(t)
		fake.Answers["DescribeInstanceTopology"] = ec2test.Refusal(code)
		labels, err := m.Labels(t.Context(), machinesNamed(250))
		if (err != nil) != isError || len(labels) > 0 {
			t.Errorf("%s: %v, %v", code, labels, err)
		}
		if calls := len(fake.Calls); calls != 1 {
			t.Errorf("%s: %d calls", code, calls)
		}
	}
	m, fake := newMachines(t)
	fake.Answers["DescribeInstanceTopology"] = func(url.Values) (int, string) { return http.StatusOK, "{}" }
	if labels, err := m.Labels(t.Context(), machinesNamed(1)); err == nil {
		t.Errorf("an answer that is none: %v", labels)
	}
}

// Nobody has asked for the labels of an ordinary instance: its Node does not wait for them. What was read of its zone is kept when
// the topology cannot be read, and the other way round.
func TestLabelsOfOrdinaryInstances(t *testing.T) {
	m, fake := newMachines(t)
	ordinary := cloud.Instance{ID: "i-1", Type: "t3.small", Zone: "eu-west-1a"}
	listed, special := ordinary, ordinary
	listed.Labels, special.Type = zoneLabels("euw1-az1"), "p5.48xlarge"
	layer := map[string]string{labelNetworkLayer + "1": "nn-1"}
	for _, c := range []struct {
		machine cloud.Instance
		has     map[string]string
		want    cloud.LabelNeed
	}{
		{ordinary, nil, cloud.LabelsWanted},
		{ordinary, layer, cloud.LabelsWanted},
		{listed, layer, cloud.LabelsNone},
		{special, nil, cloud.LabelsRequired},
		{special, layer, cloud.LabelsWanted},
		{cloud.Instance{Zone: "eu-west-1a"}, nil, cloud.LabelsWanted},
	} {
		if got := m.LabelNeed(c.machine, c.has); got != c.want {
			t.Errorf("%s with %v needs %q, want %q", c.machine.Type, c.has, got, c.want)
		}
	}
	fake.Answer("DescribeAvailabilityZones", func(url.Values) string {
		return ec2test.Items("availabilityZoneInfo", ec2test.Element("zoneName", "eu-west-1a")+ec2test.Element("zoneId", "euw1-az1"))
	})
	for _, code := range []string{"RequestLimitExceeded", "AuthFailure", "InternalError"} {
		fake.Answers["DescribeInstanceTopology"] = ec2test.Refusal(code)
		labels, err := m.Labels(t.Context(), []cloud.Instance{ordinary})
		if err == nil || labels["i-1"][labelZoneID] != "euw1-az1" {
			t.Errorf("%s: %v, %v", code, labels, err)
		}
	}
	fake.Answers["DescribeAvailabilityZones"] = ec2test.Refusal("UnauthorizedOperation")
	fake.Answer("DescribeInstanceTopology", func(url.Values) string {
		return ec2test.Items("instanceSet", ec2test.Element("instanceId", "i-1")+ec2test.Items("networkNodeSet", "nn-1"))
	})
	labels, err := m.Labels(t.Context(), []cloud.Instance{ordinary})
	if err == nil || labels["i-1"][labelNetworkLayer+"1"] != "nn-1" {
		t.Errorf("zones are not told: %v, %v", labels, err)
	}
}

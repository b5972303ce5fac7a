package instance

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
)

// onlyKnown answers writes of tags, which EC2 refuses as a whole for one unknown resource.
func onlyKnown(f *ec2test.Server, action string, known func(id string) bool) {
	f.Answers[action] = func(form url.Values) (int, string) {
		if slices.ContainsFunc(ec2test.Numbered(form, "ResourceId"), func(id string) bool { return !known(id) }) {
			return ec2test.Refusal("InvalidInstanceID.NotFound")(form)
		}
		return http.StatusOK, "<" + action + "Response><return>true</return></" + action + "Response>"
	}
}

func TestTagInBatches(t *testing.T) {
	var ids []cloud.InstanceID
	for n := range 1500 {
		ids = append(ids, cloud.InstanceID(fmt.Sprintf("i-%04d", n)))
	}
	m, fake := newMachines(t)
	onlyKnown(fake, "CreateTags", func(id string) bool { return id != "i-1234" })
	missing, err := m.Tag(t.Context(), ids, []string{"instance"}, map[string]string{"team": "shop", "env": ""})
	if err != nil || !slices.Equal(missing, []cloud.InstanceID{"i-1234"}) {
		t.Fatalf("missing %v, %v", missing, err)
	}
	calls := fake.Made("CreateTags")
	if len(ec2test.Numbered(calls[0], "ResourceId")) != 1000 || len(calls) > 2+2*9 || len(fake.Calls) != len(calls) {
		t.Errorf("%d calls, the first for %d", len(calls), len(ec2test.Numbered(calls[0], "ResourceId")))
	}
	if calls[0].Get("Tag.1.Key") != "env" || calls[0].Get("Tag.2.Key") != "team" || calls[0].Get("Tag.2.Value") != "shop" {
		t.Errorf("tags: %v", calls[0])
	}
}

func TestTagVolumes(t *testing.T) {
	m, fake := newMachines(t)
	disk := func(id, goes string) string {
		return "<ebs>" + ec2test.Element("volumeId", id) + ec2test.Element("deleteOnTermination", goes) + "</ebs>"
	}
	fake.Answers["DescribeInstances"] = func(form url.Values) (int, string) {
		if slices.Contains(ec2test.Numbered(form, "InstanceId"), "i-gone") {
			return ec2test.Refusal("InvalidInstanceID.NotFound")(form)
		}
		return http.StatusOK, "<DescribeInstancesResponse>" + ec2test.Reservations(ec2test.MachineXML("i-1", "running",
			ec2test.Items("blockDeviceMapping", disk("vol-root", "true"), disk("vol-data", "true"), disk("vol-of-csi", "false")))) + "</DescribeInstancesResponse>"
	}
	for _, action := range []string{"CreateTags", "DeleteTags"} {
		onlyKnown(fake, action, func(string) bool { return true })
	}
	tags := map[string]string{"team": "shop"}
	missing, err := m.Tag(t.Context(), []cloud.InstanceID{"i-1", "i-gone"}, []string{"instance", "volume"}, tags)
	if err != nil || !slices.Equal(missing, []cloud.InstanceID{"i-gone"}) {
		t.Fatalf("missing %v, %v", missing, err)
	}
	if err := m.Untag(t.Context(), []cloud.InstanceID{"i-1"}, []string{"volume"}, tags); err != nil {
		t.Fatal(err)
	}
	got := []string{
		strings.Join(ec2test.Numbered(fake.Made("CreateTags")[0], "ResourceId"), " "),
		strings.Join(ec2test.Numbered(fake.Made("DeleteTags")[0], "ResourceId"), " ") + " " + fake.Made("DeleteTags")[0].Get("Tag.1.Value"),
	}
	if difference := cmp.Diff([]string{"vol-root vol-data i-1", "vol-root vol-data shop"}, got); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

func TestTagRefusals(t *testing.T) {
	m, fake := newMachines(t)
	fake.Answers["CreateTags"] = ec2test.Refusal("UnauthorizedOperation")
	fake.Answers["DeleteTags"] = ec2test.Refusal("InvalidInstanceID.NotFound")
	if missing, err := m.Tag(t.Context(), []cloud.InstanceID{"i-1", "i-2"}, []string{"instance"}, nil); err == nil || len(missing) > 0 {
		t.Errorf("Tag without permission: %v, %v", missing, err)
	}
	if err := m.Untag(t.Context(), []cloud.InstanceID{"i-1"}, []string{"instance"}, nil); err != nil {
		t.Errorf("Untag of what is gone: %v", err)
	}
	if m.Taggable("fargate-ip-10-0-0-1.x") || !m.Taggable("i-1") {
		t.Error("machines of Fargate have no tags, instances have")
	}
}

package aws

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// onlyKnown answers writes of tags, which EC2 refuses as a whole for one unknown resource.
func (f *fakeEC2) onlyKnown(action string, known func(id string) bool) {
	f.answers[action] = func(form url.Values) (int, string) {
		if slices.ContainsFunc(numbered(form, "ResourceId"), func(id string) bool { return !known(id) }) {
			return refusal("InvalidInstanceID.NotFound")(form)
		}
		return http.StatusOK, "<" + action + "Response><return>true</return></" + action + "Response>"
	}
}

func TestTagInBatches(t *testing.T) {
	var ids []cloud.InstanceID
	for n := range 1500 {
		ids = append(ids, cloud.InstanceID(fmt.Sprintf("i-%04d", n)))
	}
	d, fake := newFakeEC2(t)
	fake.onlyKnown("CreateTags", func(id string) bool { return id != "i-1234" })
	missing, err := d.Tag(t.Context(), ids, []string{"instance"}, map[string]string{"team": "shop", "env": ""})
	if err != nil || !slices.Equal(missing, []cloud.InstanceID{"i-1234"}) {
		t.Fatalf("missing %v, %v", missing, err)
	}
	calls := fake.made("CreateTags")
	if len(numbered(calls[0], "ResourceId")) != 1000 || len(calls) > 2+2*9 || len(fake.calls) != len(calls) {
		t.Errorf("%d calls, the first for %d", len(calls), len(numbered(calls[0], "ResourceId")))
	}
	if calls[0].Get("Tag.1.Key") != "env" || calls[0].Get("Tag.2.Key") != "team" || calls[0].Get("Tag.2.Value") != "shop" {
		t.Errorf("tags: %v", calls[0])
	}
}

func TestTagVolumes(t *testing.T) {
	d, fake := newFakeEC2(t)
	disk := func(id, goes string) string {
		return "<ebs>" + element("volumeId", id) + element("deleteOnTermination", goes) + "</ebs>"
	}
	fake.answers["DescribeInstances"] = func(form url.Values) (int, string) {
		if slices.Contains(numbered(form, "InstanceId"), "i-gone") {
			return refusal("InvalidInstanceID.NotFound")(form)
		}
		return http.StatusOK, "<DescribeInstancesResponse>" + reservations(machineXML("i-1", "running",
			items("blockDeviceMapping", disk("vol-root", "true"), disk("vol-data", "true"), disk("vol-of-csi", "false")))) + "</DescribeInstancesResponse>"
	}
	for _, action := range []string{"CreateTags", "DeleteTags"} {
		fake.onlyKnown(action, func(string) bool { return true })
	}
	tags := map[string]string{"team": "shop"}
	missing, err := d.Tag(t.Context(), []cloud.InstanceID{"i-1", "i-gone"}, []string{"instance", "volume"}, tags)
	if err != nil || !slices.Equal(missing, []cloud.InstanceID{"i-gone"}) {
		t.Fatalf("missing %v, %v", missing, err)
	}
	if err := d.Untag(t.Context(), []cloud.InstanceID{"i-1"}, []string{"volume"}, tags); err != nil {
		t.Fatal(err)
	}
	got := []string{
		strings.Join(numbered(fake.made("CreateTags")[0], "ResourceId"), " "),
		strings.Join(numbered(fake.made("DeleteTags")[0], "ResourceId"), " ") + " " + fake.made("DeleteTags")[0].Get("Tag.1.Value"),
	}
	if difference := cmp.Diff([]string{"vol-root vol-data i-1", "vol-root vol-data shop"}, got); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

func TestTagRefusals(t *testing.T) {
	d, fake := newFakeEC2(t)
	fake.answers["CreateTags"] = refusal("UnauthorizedOperation")
	fake.answers["DeleteTags"] = refusal("InvalidInstanceID.NotFound")
	if missing, err := d.Tag(t.Context(), []cloud.InstanceID{"i-1", "i-2"}, []string{"instance"}, nil); err == nil || len(missing) > 0 {
		t.Errorf("Tag without permission: %v, %v", missing, err)
	}
	if err := d.Untag(t.Context(), []cloud.InstanceID{"i-1"}, []string{"instance"}, nil); err != nil {
		t.Errorf("Untag of what is gone: %v", err)
	}
	if d.Taggable("fargate-ip-10-0-0-1.x") || !d.Taggable("i-1") {
		t.Error("machines of Fargate have no tags, instances have")
	}
}

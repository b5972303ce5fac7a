package tag

import (
	"maps"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// TestFields: tags of the annotation are written, recorded and removed again, others are left alone.
func TestFields(t *testing.T) {
	c := Cluster{ID: "c"}
	spec := cloud.Spec{Ref: cloud.Ref{Owner: cloud.Owner{Namespace: "shop", Name: "web", UID: "1"}}, Options: map[string]string{option.Tags.Name: "stage=prod,team=web"}}
	tags := c.ObjectTags(spec)
	if tags["team"] != "web" || tags["multicloud-ccm.io/additional-tags"] != "stage=team" || tags["kubernetes.io/service-name"] != "shop/web" || tags["kubernetes.io/cluster/c"] != "owned" {
		t.Fatalf("made with %v", tags)
	}
	tags["somebody"] = "else"
	spec.Options = map[string]string{option.Tags.Name: "team=db"}
	_, wanted := c.fields(tags, cloud.Change{Spec: spec, After: &cloud.Balancer{OwnershipTags: c.WantedMarks(spec.Ref.Owner)}})
	add, remove := Split(wanted, slices.Sorted(maps.Keys(wanted)))
	if want := map[string]string{"team": "db", "multicloud-ccm.io/additional-tags": "team"}; !maps.Equal(add, want) || len(remove) != 1 || remove[0] != "stage" {
		t.Errorf("adds %v, removes %v", add, remove)
	}
}

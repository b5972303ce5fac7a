package tag

import (
	"context"
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
	kind := Kind("tags", func(_ context.Context, ids []string, add map[string]string, remove []string) error {
		want := map[string]string{"team": "db", "multicloud-ccm.io/additional-tags": "team"}
		if !slices.Equal(ids, []string{"lb"}) || !maps.Equal(add, want) || !slices.Equal(remove, []string{"stage"}) {
			t.Errorf("of %q: adds %v, removes %v", ids, add, remove)
		}
		return nil
	})
	r := cloud.Resource{Fields: wanted, Native: []string{"lb"}}
	if err := kind.Update(t.Context(), r, r, slices.Sorted(maps.Keys(wanted))); err != nil {
		t.Error(err)
	}
}

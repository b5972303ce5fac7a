package tag

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// TestAdd: tags of the annotation are written, recorded and removed again, others are left alone.
func TestAdd(t *testing.T) {
	c := Cluster{ID: "c"}
	spec := cloud.Spec{Ref: cloud.Ref{Owner: cloud.Owner{Namespace: "shop", Name: "web", UID: "1"}}, Options: map[string]string{option.Tags.Name: "stage=prod,team=web"}}
	tags := c.ObjectTags(spec)
	if tags["team"] != "web" || tags["multicloud-ccm.io/additional-tags"] != "stage=team" || tags["kubernetes.io/service-name"] != "shop/web" || tags["kubernetes.io/cluster/c"] != "owned" {
		t.Fatalf("made with %v", tags)
	}
	tags["somebody"] = "else"
	spec.Options = map[string]string{option.Tags.Name: "team=db"}
	var r cloud.Resources
	c.Add(&r, cloud.Resource{Native: []string{"lb"}}, tags, cloud.Change{Spec: spec, After: &cloud.Balancer{OwnershipTags: c.WantedOwnershipTags(spec.Ref.Owner)}})
	present, wanted := r.Present[0], r.Wanted[0]
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(wanted.Fields)) {
		if present.Fields[key] != wanted.Fields[key] {
			changed = append(changed, key)
		}
	}
	kind := Kind("tags", func(_ context.Context, ids []string, add map[string]string, remove []string) error {
		want := map[string]string{"team": "db", "multicloud-ccm.io/additional-tags": "team"}
		if !slices.Equal(ids, []string{"lb"}) || !maps.Equal(add, want) || !slices.Equal(remove, []string{"stage"}) {
			t.Errorf("of %q: adds %v, removes %v", ids, add, remove)
		}
		return nil
	})
	if err := kind.Update(t.Context(), present, wanted, changed); err != nil {
		t.Error(err)
	}
}

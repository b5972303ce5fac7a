package tag

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// TestAdd: tags of the annotation are written, recorded and removed again, others are left alone.
func TestAdd(t *testing.T) {
	c := Cluster{ID: "c"}
	in := cloud.Input{Spec: cloud.Spec{Owner: cloud.Owner{Namespace: "shop", Name: "web", UID: "1"}, Options: map[string]string{option.Tags.Name: "stage=prod,team=web"}}}
	tags := c.ObjectTags(in.Spec)
	if tags["team"] != "web" || tags["multicloud-ccm.io/additional-tags"] != "stage=team" || tags["kubernetes.io/service-name"] != "shop/web" || tags["kubernetes.io/cluster/c"] != "owned" {
		t.Fatalf("made with %v", tags)
	}
	tags["somebody"] = "else"
	in.Options = map[string]string{option.Tags.Name: "team=db"}
	var r cloud.Resources
	c.Add(&r, cloud.Resource{Native: NativeIDs.Seal([]string{"lb"})}, tags, cloud.Change{Input: in, After: &cloud.Balancer{OwnershipTags: c.WantedOwnershipTags(in.Owner)}})
	var done []string
	kind := Kind("tags", func(_ context.Context, ids []string, add map[string]string, remove []string) error {
		done = append(done, fmt.Sprintf("%q: adds %v, removes %v", ids, add, remove))
		return nil
	})
	for i, wanted := range r.Wanted {
		present := r.Present[i]
		var changed []string
		for _, shall := range wanted.Fields.All() {
			if is, _ := present.Fields.Named(shall.Name()); !is.Equal(shall) {
				changed = append(changed, shall.Name())
			}
		}
		if err := kind.Update(t.Context(), present, wanted, changed); err != nil {
			t.Error(err)
		}
	}
	want := []string{`["lb"]: adds map[multicloud-ccm.io/additional-tags:team team:db], removes []`, `["lb"]: adds map[], removes [stage]`}
	if !slices.Equal(done, want) {
		t.Errorf("done %q, want %q", done, want)
	}
}

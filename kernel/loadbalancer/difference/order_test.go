package difference

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOrder(t *testing.T) {
	field := func(name, before, after string) cloud.Operation {
		return cloud.Operation{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: name, Before: before, After: after}
	}
	of := func(verb cloud.Verb, kind cloud.Kind) cloud.Operation { return cloud.Operation{Verb: verb, Kind: kind} }
	want := []cloud.Operation{
		field(cloud.FieldOwnershipTags, "", "uid=1"),
		of(cloud.Create, cloud.KindBalancer),
		field(cloud.FieldAllow, "10.0.0.0/8", "10.0.0.0/8,11.0.0.0/8"),
		field(cloud.FieldAllow, "10.0.0.0/8", ""),
		field(cloud.FieldDeny, "10.0.0.0/8,11.0.0.0/8", "11.0.0.0/8"),
		field(cloud.FieldDualStack, "false", "true"),
		field(cloud.FieldScope, "internal", "external"),
		of(cloud.Create, cloud.KindTarget),
		of(cloud.Create, cloud.KindListener),
		field(cloud.FieldAllow, "10.0.0.0/8", "11.0.0.0/8"),
		field(cloud.FieldName, "a", "b"),
		{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80", Field: cloud.FieldAllow, After: "10.0.0.0/8"},
		of(cloud.Delete, cloud.KindListener),
		of(cloud.Delete, cloud.KindTarget),
		field(cloud.FieldAllow, "", "10.0.0.0/8"),
		field(cloud.FieldAllow, "10.0.0.0/8,11.0.0.0/8", "11.0.0.0/8"),
		field(cloud.FieldDeny, "", "10.0.0.0/8"),
		field(cloud.FieldDualStack, "true", "false"),
		field(cloud.FieldScope, "external", "internal"),
		of(cloud.Delete, cloud.KindBalancer),
	}
	// From every rotation the steps come out in order, and equal steps keep theirs.
	for i := range want {
		rotated := append(append([]cloud.Operation{}, want[i:]...), want[:i]...)
		input := append([]cloud.Operation{}, rotated...)
		var got, expected []step
		for _, op := range Order(rotated) {
			got = append(got, stepOf(op))
		}
		for _, op := range want {
			expected = append(expected, stepOf(op))
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Fatalf("rotation %d (-want +got):\n%s", i, diff)
		}
		if !cmp.Equal(input, rotated) {
			t.Fatal("Order changed its argument")
		}
	}
	if diff := cmp.Diff(want, Order(want)); diff != "" {
		t.Errorf("Order() (-want +got):\n%s", diff)
	}
}

package cloud_test

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A range of length 0 counts for its own family only.
func TestRestricts(t *testing.T) {
	four, six, both := cloud.Families{IPv4: true}, cloud.Families{IPv6: true}, cloud.Families{IPv4: true, IPv6: true}
	for _, test := range []struct {
		ranges   []string
		families cloud.Families
		want     bool
	}{
		{nil, both, false},
		{[]string{"0.0.0.0/0"}, four, false},
		{[]string{"0.0.0.0/0"}, six, true},
		{[]string{"0.0.0.0/0"}, both, true},
		{[]string{"::/0"}, four, true},
		{[]string{"::/0"}, six, false},
		{[]string{"::/0"}, both, true},
		{[]string{"0.0.0.0/0", "::/0"}, both, false},
		{[]string{"10.0.0.0/8", "::/0"}, four, true},
		{[]string{"10.0.0.0/8", "0.0.0.0/0"}, four, false},
		{[]string{"10.0.0.0/8"}, cloud.Families{}, false},
	} {
		spec := cloud.Spec{}
		for _, text := range test.ranges {
			spec.SourceRanges = append(spec.SourceRanges, netip.MustParsePrefix(text))
		}
		if got := spec.Restricts(test.families); got != test.want {
			t.Errorf("%v for %q: restricts %v, want %v", test.ranges, test.families, got, test.want)
		}
	}
}

func TestFamiliesOfSpec(t *testing.T) {
	for want, spec := range map[string]cloud.Spec{"IPv4": {}, "IPv6": {IPv6: true}, "IPv4, IPv6": {IPv6: true, DualStack: true}} {
		if got := spec.Families().String(); got != want {
			t.Errorf("%+v: %s, want %s", spec, got, want)
		}
	}
	if left := (cloud.Spec{DualStack: true}).Families().Without(cloud.Families{IPv4: true}).String(); left != "IPv6" {
		t.Errorf("without IPv4: %q", left)
	}
}

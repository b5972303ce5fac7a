package cloud_test

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestLabelValue(t *testing.T) {
	long := strings.Repeat("a", 62)
	for name, want := range map[string]string{
		"nova": "nova", "": "", "zone 1": "zone-1", "-_.a.b_c-._": "a.b_c", "Zürich (2)": "Z-rich-2", "--": "", "ä": "",
		long + "bcd": long + "b", long + "-d": long, long + " ._d": long,
	} {
		if got := cloud.LabelValue(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzLabelValue(f *testing.F) {
	f.Add("zone 1")
	f.Add(strings.Repeat("a", 62) + "- x")
	f.Fuzz(func(t *testing.T, name string) {
		value := cloud.LabelValue(name)
		if value != "" && !cloud.IsLabelValue(value) {
			t.Errorf("%q: %q is no label", name, value)
		}
		if cloud.LabelValue(value) != value {
			t.Errorf("%q: %q becomes %q", name, value, cloud.LabelValue(value))
		}
		if cloud.IsLabelValue(name) && value != name {
			t.Errorf("%q, a label, becomes %q", name, value)
		}
	})
}

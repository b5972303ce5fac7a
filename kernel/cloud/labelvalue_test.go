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

// What a label cannot hold comes back all the same.
func TestEncodedLabels(t *testing.T) {
	for _, text := range []string{
		"prod", "8b5a3c1e-0000-4000-8000-123456789abc", "", "my cluster", "ä/b", "x-prod", "h-prod", "-prod", "prod.", strings.Repeat("x", 63), strings.Repeat("x", 64),
		strings.Repeat("long cluster ", 20),
	} {
		value := cloud.EncodeLabel(text)
		if text != "" && !cloud.IsLabelValue(value) {
			t.Errorf("%q becomes %q, which is no label value", text, value)
		}
		if back := cloud.DecodeLabel(value, text); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
		if len(text) < 35 {
			if back := cloud.DecodeLabel(value, "another"); back != text {
				t.Errorf("%q comes back to another Service as %q", text, back)
			}
		}
	}
}

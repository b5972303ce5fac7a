package nova

import (
	"strings"
	"testing"
)

func TestLabel(t *testing.T) {
	long := strings.Repeat("a", 62)
	for name, want := range map[string]string{
		"nova": "nova", "": "", "zone 1": "zone-1", "-_.a.b_c-._": "a.b_c", "Zürich (2)": "Z-rich-2", "--": "", "ä": "",
		long + "bcd": long + "b", long + "-d": long, long + " ._d": long,
	} {
		if got := label(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzLabel(f *testing.F) {
	f.Add("zone 1")
	f.Add(strings.Repeat("a", 62) + "- x")
	f.Fuzz(func(t *testing.T, name string) {
		value := label(name)
		if value != "" && !labelValue.MatchString(value) {
			t.Errorf("%q: %q is no label", name, value)
		}
		if label(value) != value {
			t.Errorf("%q: %q becomes %q", name, value, label(value))
		}
		if labelValue.MatchString(name) && value != name {
			t.Errorf("%q, a label, becomes %q", name, value)
		}
	})
}

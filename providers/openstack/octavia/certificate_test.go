package octavia

import (
	"strings"
	"testing"
)

func FuzzTLSRef(f *testing.F) {
	f.Add("https://host:9311/v1/containers/0e6f1c1e-5b0c-4a52-9a4f-0b2a3a1d8a11")
	f.Add("http://h/key-manager/v1/secrets/0e6f1c1e-5b0c-4a52-9a4f-0b2a3a1d8a11")
	f.Add("https://host/v2/containers/x")
	f.Fuzz(func(t *testing.T, ref string) {
		kind, id, ok := parseTLSRef(ref)
		if ok && (!strings.Contains(ref, kind) || !strings.Contains(strings.ToLower(ref), id)) {
			t.Errorf("%q is %s %s", ref, kind, id)
		}
	})
}

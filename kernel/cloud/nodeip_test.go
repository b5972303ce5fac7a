package cloud

import (
	"fmt"
	"testing"
)

func TestNodeIPs(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "[]",
		"10.0.0.1":                 "[10.0.0.1]",
		"10.0.0.1, fd00:0::1":      "[10.0.0.1 fd00::1]",
		"::ffff:10.0.0.1":          "[10.0.0.1]",
		"10.0.0.1,10.0.0.2":        "[]",
		"10.0.0.1,fd00::1,fd00::2": "[]",
		"10.0.0.1,::ffff:10.0.0.2": "[]",
		"10.0.0.1,x":               "[]",
		"fe80::1%eth0":             "[]",
	} {
		if got := fmt.Sprint(NodeIPs(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

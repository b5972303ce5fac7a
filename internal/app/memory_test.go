package app

import (
	"runtime/debug"
	"testing"
)

func TestCollectSooner(t *testing.T) {
	const before = 100
	for _, test := range []struct {
		name, env string
		want      int
	}{
		{"by default", "", gcPercent},
		{"GOGC is set", "70", before}, // the runtime has read it at start
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("GOGC", test.env)
			defer debug.SetGCPercent(debug.SetGCPercent(before))
			collectSooner()
			if got := debug.SetGCPercent(before); got != test.want {
				t.Errorf("GC percent %d, want %d", got, test.want)
			}
		})
	}
}

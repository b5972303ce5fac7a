package absence

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What an operator reads is why the Nodes are held: an incomplete list only where there was one.
func TestReasonOfMass(t *testing.T) {
	start := time.Now()
	list := func(at time.Time, complete bool, from, to int) List {
		l := List{Started: at, Complete: complete, Limit: 5, Missing: map[string]bool{}}
		for n := from; n < to; n++ {
			l.Missing[fmt.Sprint("uid-", n)] = true
		}
		return l
	}
	const (
		lasts      = "that is believed when it lasts for 1h0m0s; "
		again      = "the time in which that is to last begins with the next list of machines"
		incomplete = "the cloud's list of machines is not complete"
	)
	m := NewMass(time.Hour)
	for _, step := range []struct {
		name string
		do   func(at time.Time)
		want string
	}{
		{"complete list", func(at time.Time) { m.Count(list(at, true, 0, 20), time.Hour) }, lasts},
		{"release of some", func(time.Time) { m.Release(func(uid string) bool { return len(uid) == len("uid-0") }) }, again},
		{"the next list", func(at time.Time) { m.Count(list(at, true, 10, 20), time.Hour) }, lasts},
		{"a list of another account", func(time.Time) { m.Restart() }, again},
		{"incomplete list", func(at time.Time) { m.Count(list(at, false, 10, 20), time.Hour) }, incomplete},
		{"a list again", func(at time.Time) { m.Count(list(at, true, 10, 20), time.Hour) }, lasts},
	} {
		start = start.Add(time.Minute)
		step.do(start)
		held := m.Deny("uid-15")
		if held == nil {
			t.Fatalf("%s: not held", step.name)
		}
		for _, reason := range []string{lasts, again, incomplete} {
			if got := strings.Contains(held.Error(), reason); got != (reason == step.want) {
				t.Errorf("%s: %q, want %q", step.name, held, step.want)
			}
		}
		if !strings.Contains(held.Error(), "release-brake") {
			t.Errorf("%s: %q does not say how to release it", step.name, held)
		}
	}
}

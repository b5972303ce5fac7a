package conformance

import (
	"fmt"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// phase is something a crash can interrupt.
type phase struct {
	name string
	// before is done in peace, attempt is interrupted and reports whether it got through.
	before, attempt func(f *fixture, in cloud.Input) error
}

var phases = []phase{
	{"creation", nothing, create},
	{"update", create, change},
	{"deletion", create, destroy},
}

func nothing(*fixture, cloud.Input) error { return nil }

func create(f *fixture, in cloud.Input) error {
	_, err := f.reconcile(in)
	return err
}

func change(f *fixture, in cloud.Input) error {
	in.Ports, in.Candidates = []cloud.Port{portHTTPS, portDNST}, nil
	return create(f, in)
}

func destroy(f *fixture, in cloud.Input) error { return f.destroy(cloud.Change{Input: in}) }

// interrupted breaks everything off at each of its requests, once before and once after
// the request takes effect. The next attempt has to end in the same state as an undisturbed
// one: nothing is there twice, nothing is left behind.
//
// Where changes are slow, one cloud sees one interruption after the other: each attempt goes on
// where the last was broken off, and ends with the answer to its first write.
func interrupted(f *fixture) {
	for _, p := range phases {
		if f.suite.Slow {
			f.Run(p.name+", the answer to each write is lost", func(t *testing.T) { stumble(f.suite.start(t), p) })
			continue
		}
		for _, fault := range []Fault{{Status: 503}, {Lost: true}} {
			through := false
			for after := 0; !through && !f.Failed(); after++ {
				f.Run(fmt.Sprintf("%s, %s after %d requests", p.name, fault, after), func(t *testing.T) {
					through = interrupt(f.suite.start(t), p, fault, after)
				})
			}
		}
	}
}

func interrupt(f *fixture, p phase, fault Fault, after int) (through bool) {
	in := f.withMachines(f.spec(basic), "node-1")
	f.must(p.before(f, in), "preparing")
	f.control.Fail(fault, after)
	through = p.attempt(f, in) == nil
	f.control.Heal()
	f.control.Settle()
	f.must(p.attempt(f, in), "trying again")
	f.control.Settle()
	f.remove(in)
	f.nothingLeft()
	return through
}

// mostStumbles is how many writes one phase may take.
const mostStumbles = 50

func stumble(f *fixture, p phase) {
	in := f.withMachines(f.spec(basic), "node-1")
	f.must(p.before(f, in), "preparing")
	for stumbles := 0; ; stumbles++ {
		f.control.Fail(Fault{Lost: true, Writes: true}, 0)
		err := p.attempt(f, in)
		f.control.Heal()
		f.control.Settle()
		if err == nil {
			break
		}
		if stumbles == mostStumbles {
			f.Fatalf("%s took more than %d writes; the last ended with: %v", p.name, mostStumbles, err)
		}
	}
	f.must(p.attempt(f, in), "trying again")
	f.control.Settle()
	f.remove(in)
	f.nothingLeft()
}

package refused

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// refusing is a cloud with these bad machines and that room, which says as much of them as asked.
type refusing struct {
	bad          map[cloud.InstanceID]bool
	room         int // 0 for any number
	names, vague bool
	unrelated    bool // it refuses to make a balancer for another reason
	made         bool
	has          []cloud.InstanceID
	requests     int
}

// ask is a request for these targets.
func (r *refusing) ask(targets []cloud.InstanceID) error {
	r.requests++
	fresh := slices.DeleteFunc(slices.Clone(targets), func(id cloud.InstanceID) bool { return slices.Contains(r.has, id) })
	err := &cloud.TargetsRefused{Asked: fresh, Perhaps: r.vague && !r.made, Err: errors.New("no")}
	for _, id := range fresh {
		if r.bad[id] {
			err.Named = append(err.Named, id)
		}
	}
	switch {
	case r.unrelated && len(fresh) == 0:
		return errors.New("no")
	case r.unrelated:
		return err
	case r.room > 0 && len(targets) > r.room:
		err.Named, err.TooMany = nil, true
		return err
	case len(err.Named) > 0 && !r.names:
		err.Named = nil
		return err
	case len(err.Named) > 0:
		return err
	}
	r.made, r.has = true, targets
	return nil
}

// converge makes requests until none has to follow soon, and returns how many and when the next one is due.
func (r *refusing) converge(t *testing.T, known *Targets, machines []cloud.Target) (wait time.Duration) {
	r.requests = 0
	for range 200 {
		ids := []cloud.InstanceID{}
		for _, m := range machines {
			ids = append(ids, m.InstanceID)
		}
		taken, _ := known.Hold(ids, time.Now(), func() (some, all map[cloud.InstanceID]bool) { return SetOf(r.has), SetOf(r.has) })
		var err error
		if !r.made || !slices.Equal(taken, r.has) {
			err = r.ask(taken)
		}
		if refusals := cloud.RefusedTargets(err); err != nil && !known.Note(refusals, time.Now()) {
			if len(refusals) == 0 {
				known.NoteUnrelated(time.Now())
			}
			return 0
		} else if err == nil {
			if wait = known.Settle(machines, time.Now()); wait != TrialPause {
				return wait
			}
		}
		time.Sleep(TrialPause)
	}
	t.Fatal("it never ends")
	return 0
}

func TestRefused(t *testing.T) {
	all := func(n int) (list []cloud.Target) {
		for i := range n {
			list = append(list, cloud.Target{InstanceID: cloud.InstanceID(fmt.Sprintf("m%03d", i)), NodeName: fmt.Sprintf("n%03d", i)})
		}
		return list
	}
	bad := func(ids ...cloud.InstanceID) map[cloud.InstanceID]bool { return SetOf(ids) }
	every := func(n int, machines []cloud.Target) map[cloud.InstanceID]bool {
		set := map[cloud.InstanceID]bool{}
		for i := 0; i < len(machines); i += n {
			set[machines[i].InstanceID] = true
		}
		return set
	}
	for name, test := range map[string]struct {
		cloud    refusing
		machines int
		requests int // at most
		targets  int
		again    bool
	}{
		"none is bad":                        {refusing{}, 5, 1, 5, false},
		"one is named":                       {refusing{bad: bad("m001"), names: true}, 5, 2, 4, true},
		"several are named":                  {refusing{bad: bad("m001", "m002", "m004"), names: true}, 5, 2, 2, true},
		"one is bad, not named":              {refusing{bad: bad("m001")}, 5, 7, 4, true},
		"one of two":                         {refusing{bad: bad("m000")}, 2, 3, 1, true},
		"one of one":                         {refusing{bad: bad("m000")}, 1, 2, 0, true},
		"one of 100":                         {refusing{bad: bad("m077")}, 100, 16, 99, true},
		"three of 100":                       {refusing{bad: bad("m003", "m050", "m099")}, 100, 40, 97, true},
		"every tenth of 100":                 {refusing{bad: every(10, all(100))}, 100, 90, 90, true},
		"all of 100":                         {refusing{bad: every(1, all(100))}, 100, 2*mostTrials + 2, 0, true},
		"their number":                       {refusing{room: 2}, 3, 3, 2, true},
		"their number, of many":              {refusing{room: 77}, 100, 16, 77, true},
		"a creation, perhaps for one":        {refusing{bad: bad("m001"), vague: true}, 3, 8, 2, true},
		"a creation, for something else":     {refusing{vague: true, unrelated: true}, 3, 2, 0, false},
		"a creation, perhaps, names it":      {refusing{bad: bad("m001"), vague: true, names: true}, 3, 2, 2, true},
		"a creation, its number is at fault": {refusing{room: 1}, 3, 4, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, known, machines := test.cloud, &Targets{}, all(test.machines)
				wait := r.converge(t, known, machines)
				if r.requests > test.requests || len(r.has) != test.targets || (wait > 0) != test.again {
					t.Errorf("%d requests, want at most %d; %d targets, want %d; next in %v", r.requests, test.requests, len(r.has), test.targets, wait)
				}
				if first := r.requests; !test.again {
					// Nothing is asked twice where it was something else.
					if r.converge(t, known, machines); r.requests > 1 {
						t.Errorf("%d more requests after %d", r.requests, first)
					}
					return
				}
				if r.converge(t, known, machines); r.requests > 0 {
					t.Errorf("%d more requests at once", r.requests)
				}
				time.Sleep(For)
				r.bad, r.room = nil, 0
				if wait := r.converge(t, known, machines); wait != 0 || len(r.has) != test.machines || r.requests == 0 {
					t.Errorf("what was refused is not asked for again: %d targets after %d requests, next in %v", len(r.has), r.requests, wait)
				}
			})
		})
	}
}

// TestRefusedTwice: behind two listeners the same machine is refused. That says nothing of those that were asked for with it.
func TestRefusedTwice(t *testing.T) {
	now := time.Now()
	for name, refusals := range map[string][]*cloud.TargetsRefused{
		"named":      {{Asked: []cloud.InstanceID{"a", "b"}, Named: []cloud.InstanceID{"a"}}, {Asked: []cloud.InstanceID{"a", "b"}, Named: []cloud.InstanceID{"a"}}},
		"alone once": {{Asked: []cloud.InstanceID{"a"}}, {Asked: []cloud.InstanceID{"a", "b"}}},
		"alone then": {{Asked: []cloud.InstanceID{"a", "b"}}, {Asked: []cloud.InstanceID{"a"}}},
	} {
		r := &Targets{}
		for _, one := range refusals {
			one.Err = errors.New("no")
		}
		if again := r.Note(refusals, now); !again || !maps.Equal(r.LeftOut(now), SetOf([]cloud.InstanceID{"a"})) {
			t.Errorf("%s: %v are left out, again %v", name, r.LeftOut(now), again)
		}
	}
}

// TestRefusedGo: machines that are no candidates any more are waited for no longer, and asked for at once when they come back.
func TestRefusedGo(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		asked, stay []cloud.InstanceID
		wait        time.Duration
	}{
		"the one that is left out":   {[]cloud.InstanceID{"a"}, []cloud.InstanceID{"b"}, 0},
		"those whose turn is next":   {[]cloud.InstanceID{"a", "b", "c", "d"}, []cloud.InstanceID{"a", "b"}, 0},
		"one whose turn is next":     {[]cloud.InstanceID{"a", "b", "c", "d"}, []cloud.InstanceID{"a", "b", "c"}, TrialPause},
		"one whose turn it just was": {[]cloud.InstanceID{"a", "b", "c", "d"}, []cloud.InstanceID{"a", "c", "d"}, TrialPause},
	} {
		r, candidates := &Targets{}, []cloud.Target{}
		for _, id := range test.stay {
			candidates = append(candidates, cloud.Target{InstanceID: id})
		}
		if !r.Note([]*cloud.TargetsRefused{{Asked: test.asked, Err: errors.New("no")}}, now) {
			t.Errorf("%s: no request follows", name)
		}
		if wait, out := r.Settle(candidates, now), r.LeftOut(now); wait != test.wait || len(out) > 0 {
			t.Errorf("%s: the next request is in %v, want %v; %v are left out", name, wait, test.wait, out)
		}
	}
}

// TestRefusedOthers: a machine that was not asked for is not left out, whatever the answer names.
func TestRefusedOthers(t *testing.T) {
	r, now := &Targets{}, time.Now()
	r.Note([]*cloud.TargetsRefused{{Asked: []cloud.InstanceID{"a", "b"}, Named: []cloud.InstanceID{"x"}, Err: errors.New("no")}}, now)
	if out := r.LeftOut(now); !maps.Equal(out, SetOf([]cloud.InstanceID{"b"})) {
		t.Errorf("%v are left out", out)
	}
}

// TestRefusedAlonePerhaps: the only machine that was asked for is not left out where it may have been anything else. What was found to be
// something else stays so for a while, also when the cloud has done in between what it was asked for.
func TestRefusedAlonePerhaps(t *testing.T) {
	r, now := &Targets{}, time.Now()
	perhaps := []*cloud.TargetsRefused{{Asked: []cloud.InstanceID{"a"}, Perhaps: true, Err: errors.New("no")}}
	if !r.Note(perhaps, now) || !r.IsTrial() || !r.NoteUnrelated(now) || len(r.LeftOut(now)) > 0 {
		t.Errorf("%v are left out", r.LeftOut(now))
	}
	left := &Targets{}
	left.Note([]*cloud.TargetsRefused{{Asked: []cloud.InstanceID{"b"}, Err: errors.New("no")}}, now)
	left.Note(perhaps, now)
	if left.NoteUnrelated(now); !maps.Equal(left.LeftOut(now), SetOf([]cloud.InstanceID{"b"})) {
		t.Errorf("%v are left out, want the one that was refused for itself", left.LeftOut(now))
	}
	if wait := r.Settle(nil, now); wait != 0 || r.Note(perhaps, now.Add(For-1)) || !r.Note(perhaps, now.Add(For)) {
		t.Errorf("the next request is in %v", wait)
	}
}

// TestRefusedServe: what serves stays, but where another listener got none for their number.
func TestRefusedServe(t *testing.T) {
	now := time.Now()
	ids := []cloud.InstanceID{"a", "b", "c", "d"}
	listeners := []cloud.Listener{{Targets: []cloud.InstanceID{"a", "b"}}, {Targets: []cloud.InstanceID{"a"}}, {}}
	serving := func() (some, all map[cloud.InstanceID]bool) {
		attached := []cloud.InstanceID{"a", "b"}
		return SetOf(attached), BehindAll(attached, listeners)
	}
	for _, tooMany := range []bool{false, true} {
		r := &Targets{}
		for _, id := range ids[:3] {
			r.Note([]*cloud.TargetsRefused{{Asked: []cloud.InstanceID{id}, TooMany: tooMany, Err: errors.New("no")}}, now)
		}
		want := []cloud.InstanceID{"a", "b", "d"}
		if tooMany {
			want = []cloud.InstanceID{"a", "d"}
		}
		taken, reasons := r.Hold(ids, now, serving)
		if !slices.Equal(taken, want) || reasons["a"] != "" || reasons["b"] == "" || reasons["c"] == "" {
			t.Errorf("too many %v: %v, want %v, reasons %q", tooMany, taken, want, reasons)
		}
		// Behind the listener that does not have it, it is not asked for either.
		if out := r.LeftOut(now); !maps.Equal(out, SetOf(ids[:3])) || len(r.LeftOut(now.Add(For))) > 0 {
			t.Errorf("too many %v: %v are left out", tooMany, out)
		}
		if r.Note([]*cloud.TargetsRefused{{Asked: ids[:3], Err: errors.New("no")}}, now) {
			t.Error("the same request would follow at once")
		}
	}
}

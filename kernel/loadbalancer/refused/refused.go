// Package refused remembers which machines the cloud has refused as targets of a load balancer, and says which are asked for in the
// next request. It does no I/O.
package refused

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// For is for how long a machine is left out that the cloud has refused as a target. Then it is asked for again.
const For = 5 * time.Minute

// TrialPause is the wait before the next request after one that was refused for its targets.
const TrialPause = time.Second

// mostTrials is how many requests in a row may be refused while the machines at fault are looked for.
const mostTrials = 32

// Targets is what is remembered of the machines that the cloud refused as targets of one balancer. The zero Targets
// knows of none.
type Targets struct {
	left map[cloud.InstanceID]refusal
	// groups are suspects. The next request asks for those of the first group alone.
	groups [][]cloud.InstanceID
	// without says that the balancer is made without any suspect first, which shows whether it is refused for them.
	without bool
	// tooMany says that the suspects were refused for their number.
	tooMany bool
	trials  int
	// unrelated is until when a refusal that need not be about targets is not taken for one.
	unrelated time.Time
}

// refusal is why and until when a machine is left out, without text where its turn comes soon.
type refusal struct {
	until   time.Time
	text    string
	tooMany bool
}

// Note learns from a request that was refused, and reports whether another request has to follow soon:
//
//	the request asked for  the answer              so
//	any                    names some              those are left out
//	one machine            is about targets        it is left out; if there were too many, so are all suspects
//	several                is about targets        the first half is asked for, then the other one
//	any                    may be about something  the balancer is made without them, then they are asked for
//	                        else
//	too many times         any                     all suspects are left out
//	one that another       names no other one      the next request shows it
//	 refusal has left out
//
// What it is told of machines that are left out already is a failure like any other.
func (r *Targets) Note(refusals []*cloud.TargetsRefused, now time.Time) (again bool) {
	r.forget(now)
	var suspects []cloud.InstanceID
	var last *cloud.TargetsRefused
	perhaps := false
	before := maps.Clone(r.left)
	isNew := func(id cloud.InstanceID) bool { return r.left[id].text != "" && before[id].text == "" }
	for _, one := range refusals {
		asked := slices.DeleteFunc(slices.Clone(one.Asked), func(id cloud.InstanceID) bool { return r.left[id].text != "" })
		named := slices.DeleteFunc(slices.Clone(one.Named), func(id cloud.InstanceID) bool { return !slices.Contains(asked, id) })
		switch {
		case len(asked) == 0 || one.Perhaps && len(named) == 0 && now.Before(r.unrelated):
			continue
		case len(named) > 0:
			r.leave(now, one, named...)
		case slices.ContainsFunc(one.Asked, isNew):
		case len(asked) == 1 && !one.Perhaps:
			r.leaveAlone(now, one, asked[0])
		default:
			suspects, last, perhaps = append(suspects, asked...), one, perhaps || one.Perhaps
		}
		again = true
	}
	if last == nil {
		return again
	}
	if r.trials++; r.trials > mostTrials {
		r.leave(now, last, slices.Concat(append(r.groups, suspects)...)...)
		return again
	}
	r.without, r.tooMany = perhaps, last.TooMany
	r.split(suspects, perhaps)
	return again
}

// split puts the suspects in front, as two groups or as one.
func (r *Targets) split(suspects []cloud.InstanceID, whole bool) {
	slices.Sort(suspects)
	suspects = slices.DeleteFunc(slices.Compact(suspects), func(id cloud.InstanceID) bool { return r.left[id].text != "" })
	r.drop(suspects)
	half := (len(suspects) + 1) / 2
	if whole {
		half = len(suspects)
	}
	first := [][]cloud.InstanceID{suspects[:half:half], suspects[half:]}
	r.groups = slices.DeleteFunc(append(first, r.groups...), func(group []cloud.InstanceID) bool { return len(group) == 0 })
}

// drop takes machines out of the groups.
func (r *Targets) drop(ids []cloud.InstanceID) {
	gone := SetOf(ids)
	var groups [][]cloud.InstanceID
	for _, group := range r.groups {
		if group = slices.DeleteFunc(slices.Clone(group), func(id cloud.InstanceID) bool { return gone[id] }); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	r.groups = groups
}

func (r *Targets) leave(now time.Time, why *cloud.TargetsRefused, ids ...cloud.InstanceID) {
	if r.left == nil {
		r.left = map[cloud.InstanceID]refusal{}
	}
	for _, id := range ids {
		r.left[id] = refusal{now.Add(For), cmp.Or(why.Text, why.Error()), why.TooMany}
	}
	r.drop(ids)
}

// leaveAlone leaves out a machine that was asked for alone. If there were too many then, so are all suspects.
func (r *Targets) leaveAlone(now time.Time, why *cloud.TargetsRefused, id cloud.InstanceID) {
	if r.leave(now, why, id); why.TooMany {
		r.leave(now, why, slices.Concat(r.groups...)...)
	}
}

// forget drops what is too old.
func (r *Targets) forget(now time.Time) {
	for id, refusal := range r.left {
		if !now.Before(refusal.until) {
			delete(r.left, id)
		}
	}
}

// NoteUnrelated notes that the balancer was refused without the suspects too: it was not for them. It reports whether that was
// to be found out.
func (r *Targets) NoteUnrelated(now time.Time) bool {
	if !r.without {
		return false
	}
	*r = Targets{left: r.left, unrelated: now.Add(For)}
	return true
}

// Settle notes that the cloud has done what it was asked for, and returns when to ask for more, 0 when nothing is left
// out. Machines that are no candidates any more are forgotten.
func (r *Targets) Settle(candidates []cloud.Target, now time.Time) time.Duration {
	if r.forget(now); len(r.left)+len(r.groups) == 0 {
		*r = Targets{unrelated: r.unrelated}
		return 0
	}
	is := map[cloud.InstanceID]bool{}
	for _, candidate := range candidates {
		is[candidate.InstanceID] = true
	}
	for id := range r.left {
		if !is[id] {
			delete(r.left, id)
		}
	}
	switch {
	case r.without:
		r.without = false
	case len(r.groups) > 0:
		r.groups, r.trials = r.groups[1:], 0
	}
	r.drop(slices.DeleteFunc(slices.Concat(r.groups...), func(id cloud.InstanceID) bool { return is[id] }))
	if len(r.groups) > 0 {
		return TrialPause
	}
	wait := time.Duration(0)
	for _, refusal := range r.left {
		if rest := refusal.until.Sub(now); wait == 0 || rest < wait {
			wait = rest
		}
	}
	return wait
}

// IsTrial reports whether the balancer is to be made without any suspect first.
func (r *Targets) IsTrial() bool { return r != nil && r.without }

// Hold splits the machines that can be targets into those that are asked for now, and those that are left out for a while, with
// the reason, "" for those whose turn comes soon. What serves stays. Where the number is at fault that is what serves behind
// every listener: another listener may have got none.
func (r *Targets) Hold(ids []cloud.InstanceID, now time.Time, serving func() (attached, everywhere map[cloud.InstanceID]bool)) (taken []cloud.InstanceID, reasons map[cloud.InstanceID]string) {
	if r == nil || len(r.left)+len(r.groups) == 0 {
		return ids, nil
	}
	attached, everywhere := serving()
	out := map[cloud.InstanceID]bool{}
	reasons = map[cloud.InstanceID]string{}
	for id, refusal := range r.waiting(now) {
		if everywhere[id] {
			continue
		}
		out[id], reasons[id] = refusal.tooMany || !attached[id], ""
		if refusal.text != "" {
			reasons[id] = "the cloud refuses it as a target, and is asked again in some minutes: " + refusal.text
		}
	}
	taken = slices.DeleteFunc(slices.Clone(ids), func(id cloud.InstanceID) bool { return out[id] })
	return taken, reasons
}

// LeftOut returns the machines that the next request does not make targets anywhere. Those that serve behind one listener stay
// there, and are not asked for behind another one that refuses them.
func (r *Targets) LeftOut(now time.Time) map[cloud.InstanceID]bool {
	if r == nil {
		return nil
	}
	all := map[cloud.InstanceID]bool{}
	for id := range r.waiting(now) {
		all[id] = true
	}
	return all
}

// waiting returns the machines that are not asked for now, whatever serves.
func (r *Targets) waiting(now time.Time) map[cloud.InstanceID]refusal {
	all := map[cloud.InstanceID]refusal{}
	for i, group := range r.groups {
		for _, id := range group {
			if i > 0 || r.without {
				all[id] = refusal{tooMany: r.tooMany}
			}
		}
	}
	for id, refusal := range r.left {
		if now.Before(refusal.until) {
			all[id] = refusal
		}
	}
	return all
}

// BehindAll returns those of the targets that each of the listeners has, as far as the cloud keeps them for each.
func BehindAll(targets []cloud.InstanceID, listeners []cloud.Listener) map[cloud.InstanceID]bool {
	all := SetOf(targets)
	for _, l := range listeners {
		if l.Targets == nil {
			continue
		}
		has := SetOf(l.Targets)
		for id := range all {
			if !has[id] {
				delete(all, id)
			}
		}
	}
	return all
}

// SetOf returns the machines as a set.
func SetOf(ids []cloud.InstanceID) map[cloud.InstanceID]bool {
	set := make(map[cloud.InstanceID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

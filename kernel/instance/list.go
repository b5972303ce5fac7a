package instance

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Results of a list, as in the metric.
const (
	listInstalled  = "installed"
	listIncomplete = "incomplete"
	listSuspicious = "suspicious"
)

// take decides what a list that was read is good for.
//
//	list                              result      proves presence  replaces the one before
//	a page or region missing          incomplete  yes              no
//	empty while a Node of ours is     suspicious  –                no
//	 Ready
//	lacks too many machines of our    suspicious  yes              no
//	 Nodes that nothing confirmed
//	 gone
//	suspicious, and the credentials   suspicious  no               no
//	 see another account
//	otherwise                         installed   yes              yes
//
// Nothing ever proves absence here.
func (r *refresher) take(ctx context.Context, s *cache.Snapshot) {
	result, foreign := r.assess(ctx, s)
	own := r.nodes.own()
	matched, first := !foreign && shows(s, own), false
	r.cache.Update(func(l *cache.Lists) {
		switch {
		case foreign:
			l.Refused = nil
		case result != listInstalled:
			l.Refused = s
		default:
			l.Install(s)
		}
		first = matched && !l.Matched
		l.Matched = l.Matched || matched
	})
	r.cache.Prune()
	forgotten := first && r.credentials.forget(s.Started)
	if forgotten {
		r.absences.Void()
	}
	if foreign {
		r.mass.Restart()
	} else {
		r.absences.Drop(func(k absence.Key) bool { return s.Has(k.ID) })
		r.countMissing(s, own)
		r.cache.Reassign(s, machinesOf(own))
		if result == listInstalled {
			r.labels.keep(s)
		}
	}
	if matched && !forgotten { // the next list knows it again
		r.credentials.keepAccount(ctx)
	}
	r.prune()
	r.report.count(metric.Refreshes, result)
	r.report.set(metric.SnapshotSize, float64(r.cache.Lists().Installed.Size))
}

// assess judges a list. A suspicious one makes it worth asking whether the credentials
// still see the same account; if not, what they see is not ours at all.
func (r *refresher) assess(ctx context.Context, s *cache.Snapshot) (result string, foreign bool) {
	if !s.Complete {
		return listIncomplete, false
	}
	if !r.suspicious(s) {
		return listInstalled, false
	}
	d := r.credentials.accountChanged(ctx)
	if d != nil {
		r.absences.Void()
		r.credentials.fail(d)
	}
	return listSuspicious, d != nil
}

// suspicious compares a list with our Nodes and the list before. Machines of no Node of
// ours may come and go as they like: nothing here depends on them.
func (r *refresher) suspicious(s *cache.Snapshot) bool {
	before := r.cache.Lists().Installed
	missing := 0
	for _, node := range r.nodes.own() {
		if s.Size == 0 && Ready(node.Node) {
			return true
		}
		if node.id != "" && before.Has(node.id) && !s.Has(node.id) && !r.absences.Confirmed(node.id) {
			missing++
		}
	}
	return missing > max(int(shrinkFraction*float64(before.Size)), shrinkMin)
}

// shows reports whether a list has the machine of any of our Nodes. One that has others only
// may be another account's.
func shows(s *cache.Snapshot, own []ownNode) bool {
	return slices.ContainsFunc(own, func(node ownNode) bool { return node.id != "" && s.Has(node.id) })
}

// countMissing compares a list with our Nodes.
func (r *refresher) countMissing(s *cache.Snapshot, own []ownNode) {
	l := absence.List{
		Started: s.Started, Empty: s.Size == 0, Complete: s.Complete, Limit: r.brake.Limit(len(own)),
		Present: map[string]bool{}, Missing: map[string]bool{},
	}
	for _, node := range own {
		uid := string(node.UID)
		switch {
		case node.id == "", r.nodes.protected(node.Node), announced(node.Node), r.brake.Released(uid):
		case s.Has(node.id) || r.seenBeside(s, node):
			l.Present[uid] = true
		default:
			l.Missing[uid] = true
			if Ready(node.Node) {
				l.Contradiction = r.contradiction(node.Node)
			}
		}
	}
	r.mass.Count(l, r.schedule.staleAge(s.Size))
}

// contradiction says what a Ready Node whose machine is missing shows.
func (r *refresher) contradiction(node *corev1.Node) string {
	if again := r.remade(node); again != nil {
		return fmt.Sprintf("node %s is Ready although its machine is missing too: %v", node.Name, again)
	}
	return fmt.Sprintf("node %s is Ready although its machine is missing too, so the cloud's answers are wrong, unless its machine is in another account: then label it %s=true",
		node.Name, LabelUnmanaged)
}

// seenBeside reports whether a direct read shows a machine that a list lacks: one after the
// list or, while the Node is Ready and nothing else is known, one of the last minutes.
func (r *refresher) seenBeside(s *cache.Snapshot, node ownNode) bool {
	if r.absences.Has(node.id) {
		return false
	}
	at := r.mass.Seen(node.id)
	return !at.IsZero() && (Ready(node.Node) || !at.Before(s.Started))
}

// prune forgets what was remembered about Nodes that are gone.
func (r *refresher) prune() {
	nodes := r.nodes.list()
	live := make(map[string]bool, len(nodes))
	for _, node := range nodes {
		live[string(node.UID)] = true
	}
	r.absences.Drop(func(k absence.Key) bool { return !live[k.UID] })
	r.report.prune(live)
	r.reportBrake()
}

package instance

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// reporter tells users and operators. An event is written when what is to be said about a
// Node changes, not every time it is found out again.
type reporter struct {
	cloud   string
	events  event.Recorder
	metrics metric.Sink
	// proof is how long a proof takes at most where nothing is in its way.
	proof time.Duration
	// patience is how long a Node has to be Ready without its machine before that is told.
	patience time.Duration

	mu   sync.Mutex
	said map[string]said
}

// said is what was told about a Node.
type said struct {
	// topic is what was told last, "" when nothing was.
	topic string
	// since is when the Node was kept first although its machine seemed gone, last when it was kept last.
	since, last time.Time
	// missing is since when the Node has been Ready without its machine, zero where that is not so.
	missing time.Time
}

func newReporter(cloud string, events event.Recorder, metrics metric.Sink, p Policy) *reporter {
	return &reporter{
		cloud: cloud, events: events, metrics: metric.OrDiscard(metrics), said: map[string]said{},
		proof: p.proofTime(), patience: p.proofTime() + p.Grace,
	}
}

// tell writes an event on the Node unless topic is what was told last. The error is turned into text only for an event that is
// written.
func (r *reporter) tell(node *corev1.Node, topic string, reason event.Reason, err error) {
	uid := string(node.UID)
	r.mu.Lock()
	s := r.said[uid]
	news := follows(topic, s.topic)
	if news {
		s.topic = topic
		r.said[uid] = s
	}
	r.mu.Unlock()
	if news && r.events != nil {
		r.events.Record(event.About("Node", node), reason, err.Error())
	}
}

// Topics of what is as it should be.
const (
	// unseen is a Ready Node whose machine these credentials do not see.
	unseen = "unseen"
	// checking is a proof that goes on as it should.
	checking = "checking"
)

// steps are topics in the order in which they can follow each other. The steps of a proof come again and again between denials:
// one is told only where nothing but a step before it was.
var steps = []string{"", unseen, checking, string(absence.Unconfirmed)}

// follows reports whether a topic is news after the last one.
func follows(topic, last string) bool {
	step := slices.Index(steps, topic)
	if step < 0 {
		return topic != last
	}
	before := slices.Index(steps, last)
	return before >= 0 && before < step
}

// awaited is what a proof that goes on as it should waits for.
var awaited = map[absence.Decision]string{
	absence.ListRefused:     "others that the list of machines lacks are confirmed before",
	absence.Unconfirmed:     "confirmed on the next read",
	absence.NoProbe:         "confirmed once the credentials see other machines of this cluster",
	absence.IdentityUnknown: "confirmed once it is known which account the credentials see",
}

// hold tells that a Node is kept although its machine seems gone. It is a warning only where something other than the proof
// keeps it, or the proof takes longer than it should.
func (r *reporter) hold(node *corev1.Node, held *absence.HeldError) {
	reason, ok := held.Decision.Event()
	switch {
	case !ok:
	case reason == event.DeletionHeld && r.proving(string(node.UID), held.Decision):
		r.tell(node, checking, event.CheckingInstance, fmt.Errorf("checking whether machine %s is gone; %s", held.ID, awaited[held.Decision]))
	default:
		r.tell(node, string(held.Decision), reason, held)
	}
}

// proving reports whether a proof may take as long as it does. What was kept long ago belongs to another proof. That a proof is
// not complete yet says less than what keeps it so, which comes in between.
func (r *reporter) proving(uid string, d absence.Decision) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, s := time.Now(), r.said[uid]
	switch {
	case s.last.IsZero():
		s.since = now
	case now.Sub(s.last) > staleMaxAge:
		s = said{since: now}
	}
	s.last = now
	r.said[uid] = s
	if d == absence.Unconfirmed {
		return now.Sub(s.since) < 2*r.proof
	}
	return now.Sub(s.since) < r.proof
}

// lasting reports whether a Node has been Ready without its machine for longer than it stays Ready when its machine goes, see
// seen. A machine that was deleted a moment ago needs nobody: its Node is not Ready soon, and the proof begins.
func (r *reporter) lasting(node *corev1.Node) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.said[string(node.UID)]
	if s.missing.IsZero() {
		s.missing = time.Now()
		r.said[string(node.UID)] = s
	}
	return time.Since(s.missing) >= r.patience
}

// seen says that a Node has its machine or is not Ready.
func (r *reporter) seen(node *corev1.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.said[string(node.UID)]; ok && !s.missing.IsZero() {
		s.missing = time.Time{}
		r.said[string(node.UID)] = s
	}
}

// clear says that there is nothing more to tell about the Node.
func (r *reporter) clear(node *corev1.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.said, string(node.UID))
}

func (r *reporter) prune(live map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.said, func(uid string, _ said) bool { return !live[uid] })
}

func (r *reporter) count(d *metric.Definition, label string) { r.metrics.Add(d, 1, r.cloud, label) }

func (r *reporter) set(d *metric.Definition, value float64) { r.metrics.Set(d, value, r.cloud) }

// Package instance answers what the rest of the kernel asks about machines: what they are (Metadata), whether
// they still exist (Exists), whether they are off (Shutdown), and which of a set are there (Lookup).
//
// Presence is cheap and comes from a shared list; absence is expensive and is proved. The
// list is read on demand, by one reader at a time, and never proves anything absent:
//
//	question          answered from                            what it may cost
//	metadata          a list up to metadata age                one list per status pass
//	 of an unlisted   one direct read, or a list when many     see reader.answer
//	labels, at first  one read for hundreds of machines        once for each machine
//	exists, shutdown  a list or read up to state age           a list, or reads if cheaper
//	gone              two direct not-founds and more           see Inventory.Exists
//
// Both ages follow from the cloud's published limits (schedule): all reads together stay below
// a fifth of them on average. No lock is held during a call to the cloud.
package instance

import (
	"context"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Options configure an Inventory.
type Options struct {
	Cloud *run.Cloud
	// Nodes returns this cloud's Nodes, from an informer; they are not changed.
	Nodes func() []*corev1.Node
	// NodeVersion is another one when a Node has changed in what is read of it here, and 0 where that can't be said. It may be nil. What an
	// inventory says of Nodes is no part of it: no cloud has both that and load balancers.
	NodeVersion func() int64
	// Brake bounds deletions; one with default options when nil.
	Brake *safety.Brake
	// Policy has the default in every field that is zero.
	Policy Policy
	// Events and Metrics may be nil.
	Events  event.Recorder
	Metrics metric.Sink
}

// Inventory knows the machines of one cloud. It is safe for concurrent use and asks the
// cloud nothing before it is asked.
type Inventory struct {
	*state
	prover *prover
	power  *power
	// namer is nil where names hold no ids.
	namer cloud.Namer
}

// state is what the parts of an Inventory share.
type state struct {
	policy    Policy
	identify  func(context.Context) (cloud.Identity, error)
	instances cloud.Instances
	nodes     *nodes
	cache     *cache.Cache
	schedule  schedule
	budget    *budget
	absences  *absence.Tracker
	mass      *absence.Mass
	brake     *safety.Brake
	report    *reporter
	// outdated is from when on lists are believed by Lookup, nil for any time.
	outdated atomic.Pointer[time.Time]
	// partOf names the credentials that a machine is seen with, see cloud.Partition.
	partOf func(cloud.InstanceID) string

	lists       *refresher
	reads       *reader
	credentials *credentials
	// labels is nil where the cloud has none to be read.
	labels *labels
	// unlisted returns why a Node waits where no list has machines, see Unlisted.
	unlisted func(*corev1.Node) error
}

// New returns an Inventory that knows nothing yet.
func New(o Options) *Inventory {
	s := newState(o)
	s.lists, s.reads, s.credentials, s.labels = newRefresher(s), newReader(s), newCredentials(s), newLabels(s, o.Cloud.Labeler)
	i := &Inventory{state: s, prover: newProver(s), power: newPower(s), namer: o.Cloud.Namer}
	i.OnRelease(func(safety.Release) {})
	return i
}

func newState(o Options) *state {
	if o.Nodes == nil {
		o.Nodes = func() []*corev1.Node { return nil }
	}
	if o.NodeVersion == nil {
		o.NodeVersion = func() int64 { return 0 }
	}
	if o.Brake == nil {
		o.Brake = safety.NewBrake(safety.BrakeOptions{})
	}
	p := o.Policy.withDefaults()
	s := &state{
		policy: p, brake: o.Brake, cache: cache.New(), mass: absence.NewMass(p.MassWait),
		identify: o.Cloud.Account.Identity, instances: o.Cloud.Instances,
		schedule: schedule{policy: p, limits: o.Cloud.Descriptor.Limits},
		report:   newReporter(o.Cloud.Name, o.Events, o.Metrics, p), partOf: o.Cloud.PartOf, unlisted: func(node *corev1.Node) error { return Unlisted(o.Cloud, node) },
	}
	s.nodes = &nodes{
		cloud: o.Cloud.Name, concerns: o.Cloud.Concerns, list: o.Nodes, version: o.NodeVersion, grace: p.Grace,
		parse:     func(node *corev1.Node) (cloud.InstanceID, error) { return ID(o.Cloud, node) },
		fromNode:  func(node *corev1.Node) (cloud.Instance, bool) { return FromNode(o.Cloud, node) },
		completer: o.Cloud.Completer, describe: o.Cloud.Completer != nil || o.Cloud.Describer != nil,
		complete: func(machine cloud.Instance, node *corev1.Node) cloud.Instance {
			return Complete(o.Cloud, machine, node)
		},
	}
	s.budget = newBudget(s.schedule, s.size)
	s.absences = absence.NewTracker(max(o.Brake.Max()+5, s.schedule.batch()), p.ConfirmGap, probeMaxAge)
	return s
}

// OnRelease has somebody told when an operator releases the brake. It is called before the first use.
func (i *Inventory) OnRelease(tell func(safety.Release)) {
	i.brake.Watch(i.prover.missing, func(r safety.Release) {
		if r.Err == nil {
			i.mass.Release(i.brake.Released)
		}
		tell(r)
	})
}

// ProviderID returns the machine that a Node's provider-ID names. The error names the Node
// and the id, and says whether it is missing, another cloud's, or malformed.
func (i *Inventory) ProviderID(node *corev1.Node) (cloud.InstanceID, error) { return i.nodes.id(node) }

// sinceAge returns the time that long ago.
func sinceAge(age time.Duration) time.Time { return time.Now().Add(-age) }

// size is the best guess at how many machines a list has: without one, our Nodes.
func (s *state) size() int {
	switch lists := s.cache.Lists(); {
	case lists.Started.IsZero():
		return s.nodes.count().total
	case lists.Refused != nil:
		return max(lists.Installed.Size, lists.Refused.Size)
	default:
		return lists.Installed.Size
	}
}

func keyOf(node *corev1.Node, id cloud.InstanceID) absence.Key {
	return absence.Key{ID: id, UID: string(node.UID)}
}

// believed returns the machine's record if it was seen at since or later, and not before a
// direct read did not find it.
func (s *state) believed(node *corev1.Node, id cloud.InstanceID, since time.Time) *cache.Record {
	r := s.cache.Since(id, since)
	if r == nil {
		return nil
	}
	if a, open := s.absences.Get(keyOf(node, id)); open && (r.Seen.Before(a.First) || r.Seen.Before(a.Last)) {
		return nil
	}
	return r
}

// known returns the machine from what was read at since or later; nil when it is not in
// there. A name that was the name of a machine which is in doubt is asked for by a direct read.
func (s *state) known(k cache.Key, since time.Time) (*cache.Record, error) {
	if k.ID != "" {
		return s.cache.Since(k.ID, since), nil
	}
	var found *cache.Record
	var ids []cloud.InstanceID
	several := false
	for _, r := range s.cache.Named(k.Name) {
		if s.doubtful(r.ID, r) {
			return nil, nil
		}
		ids = append(ids, r.ID)
		if !r.Seen.Before(since) && !s.absences.Confirmed(r.ID) {
			several = several || found != nil
			found = r
		}
	}
	if several {
		return nil, &AmbiguousError{Name: k.Name, IDs: ids}
	}
	return found, nil
}

// held reports a denial and returns it as the error for the framework, which asks again.
func (s *state) held(node *corev1.Node, id cloud.InstanceID, d *absence.Denial) error {
	s.report.count(metric.Verdicts, string(d.Decision))
	err := &absence.HeldError{Node: node.Name, ID: id, Denial: d}
	s.report.hold(node, err)
	return err
}

// listedSince reports whether there is a list that was started then or later.
func (s *state) listedSince(since time.Time) bool { return !s.cache.Lists().Started.Before(since) }

func (s *state) reportBrake() {
	engaged := 0.0
	if s.brake.Engaged() || s.mass.Holds() {
		engaged = 1
	}
	s.report.set(metric.BrakeEngaged, engaged)
}

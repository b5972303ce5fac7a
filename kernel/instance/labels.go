package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// labelBatch is how many machines are asked for together: that Node's for which somebody waits,
// and others whose turn comes soon. A larger one would let it wait for too long.
const labelBatch = 500

// labels knows the labels that a cloud.Labeler has read. It asks once for each machine.
type labels struct {
	*state
	reader cloud.Labeler
	// questions are those of Nodes that are being initialised, one batch after the other, so
	// that nothing is read twice.
	questions batch.Batcher[cloud.InstanceID, map[string]string]

	mu    sync.Mutex
	known map[cloud.InstanceID]map[string]string
	// some are labels that were read although the request as a whole failed.
	some map[cloud.InstanceID]map[string]string
	// without are the types of machines that turned out to have no labels but those of their zone. These are in zones, by the zone's
	// name, where they were asked for.
	without map[string]bool
	zones   map[string]map[string]string
	// failure answers for a moment after it happened; failures are how many there were in a row.
	failure  error
	failedAt time.Time
	failures int
}

// newLabels returns nil when the cloud has no such labels.
func newLabels(s *state, reader cloud.Labeler) *labels {
	if reader == nil {
		return nil
	}
	l := &labels{state: s, reader: reader, known: map[cloud.InstanceID]map[string]string{}, some: map[cloud.InstanceID]map[string]string{}, without: map[string]bool{}, zones: map[string]map[string]string{}}
	l.questions = batch.Batcher[cloud.InstanceID, map[string]string]{Wait: s.policy.Coalesce, Rejoin: true, Turn: make(chan struct{}, 1), Answer: l.read}
	return l
}

// add adds the labels of the cloud's Labeler to the machine of a Node that is being initialised.
//
//	needed    known  reading them  answer
//	not       –      –             as it is
//	wanted    type   –             with those of its zone: machines of this type have no others
//	wanted    yes    –             with them
//	required  yes    –             with them
//	wanted    no     fails         with those that were read all the same, and the Node is told: a Node without is better than none
//	required  no     fails         the same where those are enough, else the error, so that the framework tries again
func (l *labels) add(ctx context.Context, machine cloud.Instance, node *corev1.Node) (cloud.Instance, error) {
	if l == nil {
		return machine, nil
	}
	need := l.reader.LabelNeed(machine, node.Labels)
	if need == cloud.LabelsNone {
		return machine, nil
	}
	more, known := l.recall(machine.ID)
	if !known && need == cloud.LabelsWanted {
		more, known = l.ofItsZone(machine)
	}
	if !known {
		var err error
		if more, err = l.questions.Ask(ctx, machine.ID); err != nil {
			if l.reader.LabelNeed(machine, merged(node.Labels, more)) == cloud.LabelsRequired {
				return cloud.Instance{}, fmt.Errorf("reading the labels of machine %s: %w", machine.ID, err)
			}
			l.report.tell(node, "labels", event.LabelsLeftOut, fmt.Errorf("the node is initialised without labels that could not be read: %w", advised(err)))
		}
	}
	machine.Labels = merged(more, machine.Labels)
	return machine, nil
}

// merged are the labels of both; of two with one key the second counts.
func merged(first, second map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, first)
	maps.Copy(all, second)
	return all
}

// read answers a batch of questions together with those that will be asked next.
func (l *labels) read(ctx context.Context, asked map[cloud.InstanceID]*batch.Question[map[string]string]) {
	var ids []cloud.InstanceID
	for id, q := range asked {
		if more, known := l.recall(id); known {
			q.Answer(more, nil)
		} else if err := l.failed(); err != nil {
			q.Answer(l.readSoFar(id), err)
		} else {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, labelBatch) {
		err := l.fetch(ctx, some)
		for _, id := range some {
			more, known := l.recall(id)
			switch {
			case err != nil && !known:
				asked[id].Answer(l.readSoFar(id), err)
			case !known:
				asked[id].Answer(nil, notFound(cache.Key{ID: id}))
			default:
				asked[id].Answer(more, nil)
			}
		}
	}
}

// fetch reads the labels of machines, and of others that need them as far as there is room.
// A hung request holds up new Nodes for Patience only. The driver has less, to return what it read before.
func (l *labels) fetch(ctx context.Context, ids []cloud.InstanceID) error {
	var machines []cloud.Instance
	for _, id := range slices.Concat(ids, l.unlabelled(ids, labelBatch-len(ids))) {
		// Of a machine that is not known any more nothing is asked, and nothing remembered.
		if r := l.cache.Get(id); r != nil {
			machines = append(machines, cache.Copy(r.Instance))
		}
	}
	l.budget.spend(l.schedule.reads(len(machines)))
	read, err := within(ctx, l.policy.Patience, "read labels", func(ctx context.Context) (map[cloud.InstanceID]map[string]string, error) {
		ctx, cancel := context.WithTimeout(ctx, l.policy.Patience*9/10)
		defer cancel()
		return l.reader.Labels(ctx, machines)
	})
	l.remember(machines, read, err)
	return err
}

// unlabelled are up to n further machines of the list that need labels: of no Node yet, or of one
// that is not initialised.
func (l *labels) unlabelled(besides []cloud.InstanceID, n int) []cloud.InstanceID {
	answered := map[cloud.InstanceID]bool{}
	for _, id := range besides {
		answered[id] = true
	}
	for _, node := range l.nodes.own() {
		if node.id != "" && !Uninitialized(node.Node) {
			answered[node.id] = true
		}
	}
	installed := l.cache.Lists().Installed
	var ids []cloud.InstanceID
	for id, r := range installed.All() {
		if len(ids) >= n {
			break
		}
		if _, known := l.recall(id); known || answered[id] {
			continue
		}
		if l.reader.LabelNeed(r.Instance, nil) != cloud.LabelsNone {
			ids = append(ids, id)
		}
	}
	return ids
}

func (l *labels) recall(id cloud.InstanceID) (map[string]string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	more, known := l.known[id]
	return more, known
}

// readSoFar are the labels that were read of a machine whose labels are not all known.
func (l *labels) readSoFar(id cloud.InstanceID) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.some[id]
}

// failed returns a failure of late: it answers for longer with each one in a row, and for longest where
// the cloud says that it is asked too often.
func (l *labels) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := cache.FirstMiss
	if cloud.IsClass(l.failure, cloud.FailureThrottled) {
		first = cache.MaxMiss / 2
	}
	if time.Since(l.failedAt) < min(first<<max(l.failures-1, 0), cache.MaxMiss) {
		return l.failure
	}
	return nil
}

// ofItsZone returns the labels of a machine's zone, and true when machines of its type are known to have no others.
func (l *labels) ofItsZone(machine cloud.Instance) (map[string]string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	zone, known := l.zones[machine.Zone]
	return zone, l.without[machine.Type] && (known || l.hasZone(machine))
}

// hasZone reports whether the machine itself has all labels of its zone.
func (l *labels) hasZone(machine cloud.Instance) bool {
	return !slices.ContainsFunc(l.reader.ZoneKeys(), func(key string) bool { return machine.Labels[key] == "" })
}

// remember keeps what was read: no labels are an answer too, and which types of machines have
// none but those of their zone. One that does not run proves nothing.
func (l *labels) remember(machines []cloud.Instance, read map[cloud.InstanceID]map[string]string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure, l.failedAt = err, time.Now()
	if err != nil {
		l.failures = min(l.failures+1, 8)
		for _, machine := range machines {
			if more := merged(l.some[machine.ID], read[machine.ID]); len(more) > 0 {
				l.some[machine.ID] = more
			}
		}
		return
	}
	l.failures = 0
	for _, machine := range machines {
		l.known[machine.ID] = read[machine.ID]
		delete(l.some, machine.ID)
		zone := map[string]string{}
		for _, key := range l.reader.ZoneKeys() {
			if value, has := read[machine.ID][key]; has {
				zone[key] = value
			}
		}
		whole := len(zone) == len(l.reader.ZoneKeys())
		if whole && !l.hasZone(machine) {
			l.zones[machine.Zone] = zone
		}
		switch {
		case len(read[machine.ID]) > len(zone):
			delete(l.without, machine.Type)
		case machine.Type != "" && machine.State == cloud.StateRunning:
			l.without[machine.Type] = true
		}
	}
}

// keep forgets the machines that no list has.
func (l *labels) keep(s *cache.Snapshot) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, labels := range []map[cloud.InstanceID]map[string]string{l.known, l.some} {
		maps.DeleteFunc(labels, func(id cloud.InstanceID, _ map[string]string) bool { return !s.Has(id) })
	}
}

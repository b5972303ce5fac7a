package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// labelBatch is how many machines are asked for together: that Node's for which somebody waits,
// and others whose turn comes soon. A larger one would let it wait for too long.
const labelBatch = 500

// labels knows the labels that a cloud.Labeler has read. It asks once for each machine.
type labels struct {
	reader cloud.Labeler
	// questions are those of Nodes that are being initialised.
	questions coalescer[cloud.InstanceID, map[string]string]
	// turn is held by the batch that reads, so that nothing is read twice.
	turn chan struct{}

	mu    sync.Mutex
	known map[cloud.InstanceID]map[string]string
	// without are the types of machines that turned out to have no labels.
	without map[string]bool
	// failure answers for a moment after it happened; failures are how many there were in a row.
	failure  error
	failedAt time.Time
	failures int
}

// newLabels returns nil when the cloud has no such labels.
func newLabels(reader cloud.Labeler, wait time.Duration, answer func(context.Context, map[cloud.InstanceID]*pending[map[string]string])) *labels {
	if reader == nil {
		return nil
	}
	return &labels{
		reader:    reader,
		questions: coalescer[cloud.InstanceID, map[string]string]{wait: wait, rejoin: true, answer: answer},
		turn:      make(chan struct{}, 1),
		known:     map[cloud.InstanceID]map[string]string{},
		without:   map[string]bool{},
	}
}

// label adds the labels of the cloud's Labeler to a machine whose Node is being initialised.
//
//	needed    known  reading them  answer
//	not       –      –             as it is
//	wanted    type   –             as it is: machines of this type have none
//	wanted    yes    –             with them
//	required  yes    –             with them
//	wanted    no     fails         as it is: a Node without them is better than none
//	required  no     fails         the error, so that the framework tries again
func (i *Inventory) label(ctx context.Context, machine cloud.Instance, node map[string]string) (cloud.Instance, error) {
	if i.labels == nil {
		return machine, nil
	}
	need := i.labels.reader.LabelNeed(machine, node)
	if need == cloud.LabelsNone {
		return machine, nil
	}
	more, known := i.labels.recall(machine.ID)
	if !known && need == cloud.LabelsWanted && i.labels.lacks(machine.Type) {
		return machine, nil
	}
	if !known {
		var err error
		if more, err = i.labels.questions.ask(ctx, machine.ID); err != nil && need == cloud.LabelsRequired {
			return cloud.Instance{}, fmt.Errorf("reading the labels of machine %s: %w", machine.ID, err)
		}
	}
	all := maps.Clone(more)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, machine.Labels)
	machine.Labels = all
	return machine, nil
}

// readLabels answers a batch of questions together with those that will be asked next.
func (i *Inventory) readLabels(ctx context.Context, batch map[cloud.InstanceID]*pending[map[string]string]) {
	l := i.labels
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	var ids []cloud.InstanceID
	for id, p := range batch {
		if more, known := l.recall(id); known {
			p.settle(more, nil)
		} else if err := l.failed(); err != nil {
			p.settle(nil, err)
		} else {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, labelBatch) {
		err := i.fetchLabels(ctx, some)
		for _, id := range some {
			more, known := l.recall(id)
			if err == nil && !known {
				batch[id].settle(nil, &NotFoundError{want{id: id}.String()})
				continue
			}
			batch[id].settle(more, err)
		}
	}
}

// fetchLabels reads the labels of machines, and of others that need them as far as there is room.
// A hung request holds up new Nodes for Patience only.
func (i *Inventory) fetchLabels(ctx context.Context, ids []cloud.InstanceID) error {
	var present []cloud.InstanceID
	var machines []cloud.Instance
	for _, id := range slices.Concat(ids, i.unlabelled(ids, labelBatch-len(ids))) {
		// Of a machine that is not known any more nothing is asked, and nothing remembered.
		if r := i.sighting(id); r != nil {
			present, machines = append(present, id), append(machines, copied(r.Instance))
		}
	}
	i.spend(i.pace.reads(len(machines)))
	ctx, cancel := context.WithTimeout(ctx, i.policy.Patience)
	defer cancel()
	read, err := bounded(ctx, "read labels", func(ctx context.Context) (map[cloud.InstanceID]map[string]string, error) {
		return i.labels.reader.Labels(ctx, machines)
	})
	i.labels.remember(present, read, err)
	if err == nil {
		i.labels.learn(machines, read)
	}
	return err
}

// unlabelled are up to n further machines of the list that need labels: of no Node yet, or of one
// that is not initialised.
func (i *Inventory) unlabelled(besides []cloud.InstanceID, n int) []cloud.InstanceID {
	settled := map[cloud.InstanceID]bool{}
	for _, id := range besides {
		settled[id] = true
	}
	for _, node := range i.nodes() {
		if id, err := i.ProviderID(node); err == nil && !Uninitialized(node) {
			settled[id] = true
		}
	}
	i.mu.Lock()
	s := i.installed
	i.mu.Unlock()
	var ids []cloud.InstanceID
	for id, r := range s.byID {
		if len(ids) >= n {
			break
		}
		if _, known := i.labels.recall(id); known || settled[id] {
			continue
		}
		if i.labels.reader.LabelNeed(r.Instance, nil) != cloud.LabelsNone {
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

func (l *labels) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.failedAt) < l.holdLocked() {
		return l.failure
	}
	return nil
}

// holdLocked is how long a failure answers: longer with each one in a row, and the longest where the
// cloud says that it is asked too often. The caller holds mu.
func (l *labels) holdLocked() time.Duration {
	first := firstMiss
	if cloud.IsClass(l.failure, cloud.FailureThrottled) {
		first = maxMiss / 2
	}
	return min(first<<max(l.failures-1, 0), maxMiss)
}

// learn remembers which types of machines have no labels. One that does not run proves nothing.
func (l *labels) learn(machines []cloud.Instance, read map[cloud.InstanceID]map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, machine := range machines {
		switch {
		case len(read[machine.ID]) > 0:
			delete(l.without, machine.Type)
		case machine.Type != "" && machine.State == cloud.StateRunning:
			l.without[machine.Type] = true
		}
	}
}

// lacks reports whether machines of that type are known to have no labels.
func (l *labels) lacks(machineType string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.without[machineType]
}

// remember keeps what was read: no labels are an answer too.
func (l *labels) remember(ids []cloud.InstanceID, read map[cloud.InstanceID]map[string]string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure, l.failedAt = err, time.Now()
	if err != nil {
		l.failures = min(l.failures+1, 8)
		return
	}
	l.failures = 0
	for _, id := range ids {
		l.known[id] = read[id]
	}
}

// keep forgets the machines that no list has.
func (l *labels) keep(s *snapshot) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.known, func(id cloud.InstanceID, _ map[string]string) bool { return s.byID[id] == nil })
}

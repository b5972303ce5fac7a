package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// parallelReads bounds the single reads of one batch that run at once.
const parallelReads = 8

// machines are those that an answer has: one, none, or several of the same name.
type machines = []cloud.Instance

// question waits for machines.
type question = batch.Question[machines]

// reader reads single machines, many together where the cloud can.
type reader struct {
	*state
	// misses are machines that no list shows, states those that are looked after, proofs
	// those that a proof of absence needs.
	misses batch.Batcher[cache.Key, machines]
	states batch.Batcher[absence.Key, machines]
	proofs batch.Batcher[cloud.InstanceID, machines]
	// doubts are machines that were seen and that something newer speaks against.
	doubts batch.Batcher[cloud.InstanceID, machines]
}

func newReader(s *state) *reader {
	r := &reader{state: s}
	r.misses = batch.Batcher[cache.Key, machines]{Wait: s.policy.Coalesce, Answer: r.answer}
	r.states = batch.Batcher[absence.Key, machines]{Wait: s.policy.Coalesce, Answer: r.readStates, Rejoin: true}
	r.proofs = batch.Batcher[cloud.InstanceID, machines]{Wait: s.policy.Coalesce, Answer: r.readProofs}
	r.doubts = batch.Batcher[cloud.InstanceID, machines]{Wait: s.policy.Coalesce, Answer: r.readDoubts, Rejoin: true}
	return r
}

// readStates answers a batch of questions whether machines are there. What is not found
// is a pending absence, once the account was checked. A question that missed the answer to the
// same one by a moment gets that answer.
func (r *reader) readStates(ctx context.Context, asked map[absence.Key]*question) {
	byID := map[cloud.InstanceID]*question{}
	for k, q := range asked {
		if known := r.cache.Since(k.ID, sinceAge(r.policy.StateMaxAge)); known != nil && !r.absences.Has(k.ID) {
			q.Answer(machines{known.Instance}, nil)
			continue
		}
		byID[k.ID] = batch.NewQuestion[machines]()
	}
	if len(byID) == 0 {
		return
	}
	if postponed(r.budget, asked, len(byID)) {
		return
	}
	go r.readAll(ctx, byID)
	var group sync.WaitGroup
	for k, q := range asked {
		if q.Answered() {
			continue
		}
		group.Go(func() {
			found, err := byID[k.ID].Wait(ctx)
			if err == nil && len(found) == 0 {
				err = r.suspect(ctx, k)
			}
			q.Answer(found, err)
		})
	}
	group.Wait()
}

// suspect notes the absence of a machine that was just not found.
func (r *reader) suspect(ctx context.Context, k absence.Key) error {
	answered := time.Now()
	if err := r.credentials.sameAccount(ctx, k.UID, k.ID, answered); err != nil {
		return r.credentials.distrust(err)
	}
	r.absences.Suspect(k, answered)
	return nil
}

// readProofs answers a batch of direct reads that proofs need, when their turn has come.
func (r *reader) readProofs(ctx context.Context, asked map[cloud.InstanceID]*question) {
	if !postponed(r.budget, asked, len(asked)) {
		r.readAll(ctx, asked)
	}
}

// postponed pays for reading n machines or, when there is no room for that, denies the questions.
func postponed[Q comparable](b *budget, asked map[Q]*question, n int) bool {
	if requests := b.schedule.reads(n); b.room(requests) && b.allow(requests) {
		return false
	}
	for _, q := range asked {
		q.Answer(nil, absence.Deny(absence.Queued, "%w", errNotItsTurn))
	}
	return true
}

// readAll answers a batch of direct reads. Its callers have paid for them.
func (r *reader) readAll(ctx context.Context, asked map[cloud.InstanceID]*question) {
	var group errgroup.Group
	group.SetLimit(parallelReads)
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(asked)), r.schedule.batch()) {
		group.Go(func() error {
			found, err := r.fetch(ctx, chunk)
			for _, id := range chunk {
				asked[id].Answer(only(found, id), err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// fetch reads machines directly. An id that is missing from the result was answered by a definite not-found.
func (r *reader) fetch(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	started := time.Now()
	found, err := within(ctx, cloud.CallTimeout, "get instances", func(ctx context.Context) (map[cloud.InstanceID]cloud.Instance, error) {
		return r.instances.Get(ctx, ids...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading machines: %w", err)
	}
	r.learn(slices.Collect(maps.Values(found)), started)
	return found, nil
}

// learn remembers machines that a direct read which started at seen returned.
func (r *reader) learn(found machines, seen time.Time) {
	if len(found) == 0 {
		return
	}
	r.mass.Learn(found, seen)
	r.cache.Learn(found, seen)
	r.absences.Drop(func(k absence.Key) bool {
		return slices.ContainsFunc(found, func(machine cloud.Instance) bool { return machine.ID == k.ID })
	})
}

func only(found map[cloud.InstanceID]cloud.Instance, id cloud.InstanceID) machines {
	if machine, ok := found[id]; ok {
		return machines{machine}
	}
	return nil
}

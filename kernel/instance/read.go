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
)

// Batches of the two coalescers.
type (
	missBatch = map[want]*pending[[]cloud.Instance]
	readBatch = map[cloud.InstanceID]*pending[[]cloud.Instance]
)

// resolve answers a batch of misses with the cheapest reads:
//
//	the single reads since the last list and these      then
//	cost at most a list                                 read each
//	cost more, and the budget has room for a list       read a list, then the rest one by one
//	cost more, and it has not                           read as many as are due, fail the rest
//
// That is the rent-or-buy rule: never more than twice what knowing the future would cost.
func (i *Inventory) resolve(ctx context.Context, batch missBatch) {
	if !i.mayRead(i.cost(batch)) {
		i.resolveByList(ctx, batch)
	}
	var group errgroup.Group
	group.SetLimit(parallelReads)
	ids, names := unsettled(batch)
	for chunk := range slices.Chunk(ids, i.pace.batch()) {
		group.Go(func() error {
			i.resolveIDs(ctx, batch, chunk)
			return nil
		})
	}
	for _, name := range names {
		group.Go(func() error {
			batch[want{name: name}].settle(i.resolveName(ctx, name))
			return nil
		})
	}
	_ = group.Wait()
}

// resolveByList settles what a list shows: the one under way, then a new one if the rest
// is still worth it. Failures leave the questions to the single reads.
func (i *Inventory) resolveByList(ctx context.Context, batch missBatch) {
	since := time.Now()
	i.mu.Lock()
	underway := i.flight
	i.mu.Unlock()
	if underway != nil && underway.wait(ctx) == nil {
		i.settleKnown(batch, underway.start)
	}
	if i.mayRead(i.cost(batch)) || i.budget.Tokens() < float64(i.pace.pages(i.size())) {
		return
	}
	if i.list(ctx, since) == nil {
		i.settleKnown(batch, since)
	}
}

func (i *Inventory) settleKnown(batch missBatch, since time.Time) {
	for w, p := range batch {
		if r, err := i.known(w, since); err != nil {
			p.settle(nil, err)
		} else if r != nil {
			p.settle([]cloud.Instance{r.Instance}, nil)
		}
	}
}

func (i *Inventory) resolveIDs(ctx context.Context, batch missBatch, ids []cloud.InstanceID) {
	found, err := map[cloud.InstanceID]cloud.Instance(nil), i.take()
	if err == nil {
		found, err = i.fetch(ctx, ids)
	}
	for _, id := range ids {
		w := want{id: id}
		// Who got the answer and asks again must find it.
		if _, ok := found[id]; !ok && err == nil {
			i.rememberMiss(w)
		}
		batch[w].settle(only(found, id), err)
	}
}

func (i *Inventory) resolveName(ctx context.Context, name string) ([]cloud.Instance, error) {
	if err := i.take(); err != nil {
		return nil, err
	}
	started := time.Now()
	found, err := bounded(ctx, "find instance", func(ctx context.Context) ([]cloud.Instance, error) {
		return i.instances.FindByName(ctx, name)
	})
	if err != nil {
		return nil, fmt.Errorf("finding the machine named %q: %w", name, err)
	}
	if len(found) == 0 {
		i.rememberMiss(want{name: name})
	}
	i.learn(found, started)
	i.rename(name, found)
	return found, nil
}

// watched is a NotReady Node and its machine.
type watched struct {
	id  cloud.InstanceID
	uid string
}

// readStates answers a batch of questions whether machines are there. What is not found
// opens a case, once the account was checked. A question that missed the answer to the
// same one by a moment gets that answer.
func (i *Inventory) readStates(ctx context.Context, batch map[watched]*pending[[]cloud.Instance]) {
	byID := readBatch{}
	for w, p := range batch {
		if r := i.sighting(w.id); r != nil && time.Since(r.seen) < i.policy.StateMaxAge && !i.cases.has(w.id) {
			p.settle([]cloud.Instance{r.Instance}, nil)
			continue
		}
		byID[w.id] = newPending[[]cloud.Instance]()
	}
	if len(byID) == 0 {
		return
	}
	if !i.affordLater(i.pace.reads(len(byID))) {
		for _, p := range batch {
			p.settle(nil, refuse(verdictQueued, "%w", errNotItsTurn))
		}
		return
	}
	go i.readAll(ctx, byID)
	var group sync.WaitGroup
	for w, p := range batch {
		if p.settled() {
			continue
		}
		group.Go(func() {
			found, err := byID[w.id].wait(ctx)
			if err == nil && len(found) == 0 {
				err = i.suspect(ctx, w)
			}
			p.settle(found, err)
		})
	}
	group.Wait()
}

// suspect opens the case of a machine that was just not found.
func (i *Inventory) suspect(ctx context.Context, w watched) error {
	answered := time.Now()
	if err := i.sameAccount(ctx, w.uid, answered); err != nil {
		return i.distrust(err)
	}
	i.cases.suspect(w.uid, w.id, answered)
	return nil
}

// readProofs answers a batch of direct reads that proofs need, when their turn has come.
func (i *Inventory) readProofs(ctx context.Context, batch readBatch) {
	if !i.affordLater(i.pace.reads(len(batch))) {
		for _, p := range batch {
			p.settle(nil, refuse(verdictQueued, "%w", errNotItsTurn))
		}
		return
	}
	i.readAll(ctx, batch)
}

// readAll answers a batch of direct reads. Its callers have paid for them.
func (i *Inventory) readAll(ctx context.Context, batch readBatch) {
	ids := slices.Sorted(maps.Keys(batch))
	var group errgroup.Group
	group.SetLimit(parallelReads)
	for chunk := range slices.Chunk(ids, i.pace.batch()) {
		group.Go(func() error {
			found, err := i.fetch(ctx, chunk)
			for _, id := range chunk {
				batch[id].settle(only(found, id), err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// fetch reads machines directly. An id that is missing from the result was answered by a
// definite not-found.
func (i *Inventory) fetch(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	started := time.Now()
	found, err := bounded(ctx, "get instances", func(ctx context.Context) (map[cloud.InstanceID]cloud.Instance, error) {
		return i.instances.Get(ctx, ids...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading machines: %w", err)
	}
	items := make([]cloud.Instance, 0, len(found))
	for _, item := range found {
		items = append(items, item)
	}
	i.learn(items, started)
	return found, nil
}

func only(found map[cloud.InstanceID]cloud.Instance, id cloud.InstanceID) []cloud.Instance {
	if instance, ok := found[id]; ok {
		return []cloud.Instance{instance}
	}
	return nil
}

// cost is what answering the rest of a batch by single reads costs, in requests.
func (i *Inventory) cost(batch missBatch) int {
	ids, names := unsettled(batch)
	return i.pace.reads(len(ids)) + len(names)
}

func unsettled(batch missBatch) (ids []cloud.InstanceID, names []string) {
	for w, p := range batch {
		switch {
		case p.settled():
		case w.id != "":
			ids = append(ids, w.id)
		default:
			names = append(names, w.name)
		}
	}
	slices.Sort(ids)
	slices.Sort(names)
	return ids, names
}

// mayRead reports whether that many single reads are still cheaper than a list.
func (i *Inventory) mayRead(requests int) bool {
	allowed := max(i.pace.pages(i.size()), readsBetweenLists)
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.spent+requests <= allowed
}

// take pays for one single read of a miss.
func (i *Inventory) take() error {
	if !i.mayRead(1) || !i.afford(1) {
		return errNotItsTurn
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.spent++
	return nil
}

func (i *Inventory) missed(w want) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	m, ok := i.absent[w]
	return ok && time.Since(m.at) < m.wait
}

func (i *Inventory) rememberMiss(w want) {
	i.mu.Lock()
	defer i.mu.Unlock()
	wait := min(max(2*i.absent[w].wait, firstMiss), maxMiss)
	i.absent[w] = miss{at: time.Now(), wait: wait}
}

// forgetLocked drops misses that nobody has asked for again. The caller holds mu.
func (i *Inventory) forgetLocked() {
	for w, m := range i.absent {
		if time.Since(m.at) > 2*maxMiss {
			delete(i.absent, w)
		}
	}
}

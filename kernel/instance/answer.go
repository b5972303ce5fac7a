package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// NotFoundError says that the cloud definitely has no such machine right now. It is no
// proof that a Node's machine is gone.
type NotFoundError struct{ text string }

func (e *NotFoundError) Error() string { return e.text }

func notFound(k cache.Key) *NotFoundError { return &NotFoundError{"the cloud has no " + k.String()} }

// AmbiguousError says that several machines have a Node's name.
type AmbiguousError struct {
	Name string
	// IDs are sorted.
	IDs []cloud.InstanceID
}

func (e *AmbiguousError) Error() string {
	ids := make([]string, len(e.IDs))
	for n, id := range e.IDs {
		ids[n] = string(id)
	}
	return fmt.Sprintf("%d machines are named %q: %s", len(ids), e.Name, strings.Join(ids, ", "))
}

// lookUp reads a machine that no list shows. Questions that come together are answered
// together, and a definite not-found is remembered for a while.
func (r *reader) lookUp(ctx context.Context, k cache.Key) (cloud.Instance, error) {
	if r.cache.Missed(k) {
		return cloud.Instance{}, notFound(k)
	}
	found, err := r.misses.Ask(ctx, k)
	switch {
	case err != nil:
		return cloud.Instance{}, err
	case len(found) == 0:
		return cloud.Instance{}, notFound(k)
	case len(found) > 1:
		return cloud.Instance{}, &AmbiguousError{Name: k.Name, IDs: cache.IDs(found)}
	default:
		return found[0], nil
	}
}

// answer finds what a batch of misses asks for, with the cheapest reads:
//
//	the single reads since the last list and these      then
//	cost at most a list                                 read each
//	cost more, and the budget has room for a list       read a list, then the rest one by one
//	cost more, and it has not                           read as many as are due, fail the rest
//
// That is the rent-or-buy rule: never more than twice what knowing the future would cost.
func (r *reader) answer(ctx context.Context, asked map[cache.Key]*question) {
	// Whoever asked first, a new Node may be among them.
	ctx = cloud.WithTenant(cloud.WithPriority(ctx, cloud.PriorityNodeInit), "")
	if !r.readsCheaper(asked) {
		r.answerFromList(ctx, asked)
	}
	var group errgroup.Group
	group.SetLimit(parallelReads)
	ids, names := open(asked)
	for chunk := range slices.Chunk(ids, r.schedule.batch()) {
		group.Go(func() error {
			r.answerByID(ctx, asked, chunk)
			return nil
		})
	}
	for _, name := range names {
		group.Go(func() error {
			asked[cache.Key{Name: name}].Answer(r.readName(ctx, name))
			return nil
		})
	}
	_ = group.Wait()
}

// answerFromList answers what a list shows: the one under way, then a new one if the rest
// is still worth it. Failures leave the questions to the single reads.
func (r *reader) answerFromList(ctx context.Context, asked map[cache.Key]*question) {
	since := time.Now()
	if list, listed := r.lists.reading.UnderWay(ctx); listed {
		r.answerKnown(asked, list.Began)
	}
	if r.readsCheaper(asked) || r.budget.limiter.Tokens() < float64(r.budget.list()) {
		return
	}
	if r.lists.refresh(ctx, since) == nil {
		r.answerKnown(asked, since)
	}
}

func (r *reader) answerKnown(asked map[cache.Key]*question, since time.Time) {
	for k, q := range asked {
		if known, err := r.known(k, since); err != nil {
			q.Answer(nil, err)
		} else if known != nil {
			q.Answer(machines{known.Instance}, nil)
		}
	}
}

func (r *reader) answerByID(ctx context.Context, asked map[cache.Key]*question, ids []cloud.InstanceID) {
	found, err := map[cloud.InstanceID]cloud.Instance(nil), r.budget.allowSingle()
	if err == nil {
		found, err = r.fetch(ctx, ids)
	}
	for _, id := range ids {
		k := cache.Key{ID: id}
		// Who got the answer and asks again must find it.
		if _, ok := found[id]; !ok && err == nil {
			r.cache.Miss(k)
		}
		asked[k].Answer(only(found, id), err)
	}
}

func (r *reader) readName(ctx context.Context, name string) (machines, error) {
	if err := r.budget.allowSingle(); err != nil {
		return nil, err
	}
	started := time.Now()
	found, err := within(ctx, cloud.CallTimeout, "find instance", func(ctx context.Context) (machines, error) {
		return r.instances.FindByName(ctx, name)
	})
	if err != nil {
		return nil, fmt.Errorf("finding the machine named %q: %w", name, err)
	}
	if listed := r.cache.NamedSince(name, started); len(listed) > 0 { // a list that began later has the name
		found = nil
		for _, record := range listed {
			found = append(found, record.Instance)
		}
		return found, nil
	}
	if len(found) == 0 {
		r.cache.Miss(cache.Key{Name: name})
	}
	r.learn(found, started)
	r.cache.SetNamed(name, found, started)
	return found, nil
}

// readsCheaper reports whether reading the rest of a batch one by one is cheaper than a list.
func (r *reader) readsCheaper(asked map[cache.Key]*question) bool {
	ids, names := open(asked)
	return r.budget.readsCheaper(r.schedule.reads(len(ids)) + len(names))
}

// open are the sorted ids and names that are not answered yet.
func open(asked map[cache.Key]*question) (ids []cloud.InstanceID, names []string) {
	for k, q := range asked {
		switch {
		case q.Answered():
		case k.ID != "":
			ids = append(ids, k.ID)
		default:
			names = append(names, k.Name)
		}
	}
	slices.Sort(ids)
	slices.Sort(names)
	return ids, names
}

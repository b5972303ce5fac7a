package instance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// What holds a Node is not what makes a machine a target. A Node is kept until its machine is proved gone, see
// Inventory.Exists. To be added to a load balancer, a machine has to be seen: what was seen before does not count any more
// when something newer speaks against it. Then the machine is in doubt, and a direct read decides:
//
//	newer than what was seen of the machine       a direct read now       the machine is
//	nothing                                       -                       present
//	a complete list lacks it, believed or not,    shows it                present, until the next list lacks it
//	 or one direct read did not find it           does not find it        absent
//	                                              postponed, or it fails  unread
//	two of these                                  -                       absent
//
// Such reads are made only when somebody asks, and leave the budget a list and what new Nodes need.

// UnreadError says that a newer list lacks some machines, or a direct read did not find them, and that no second answer
// says so yet. They may be there or not.
type UnreadError struct {
	IDs []cloud.InstanceID
	// Err is why they were not read.
	Err error
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("%d machines seem gone and could not be read: %v", len(e.IDs), e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// doubtful reports whether something newer than the record of a machine speaks against it.
func (s *state) doubtful(id cloud.InstanceID, r *cache.Record) bool { return s.against(id, r) > 0 }

// against counts what is newer than the record of a machine and speaks against it; the record is nil when nothing is known
// of the machine, which the newest list lacks.
func (s *state) against(id cloud.InstanceID, r *cache.Record) int {
	n, seen := 0, time.Time{}
	if r != nil {
		seen = r.Seen
	}
	if r == nil || s.cache.Lists().Lacks(r) {
		n++
	}
	if s.cache.MissedSince(id, seen) {
		n++
	}
	return n + s.absences.NotFound(id, seen)
}

// lacked reports whether the newest list is complete and lacks a machine.
func (s *state) lacked(id cloud.InstanceID) bool {
	lists := s.cache.Lists()
	newest := lists.Installed
	if lists.Refused != nil {
		newest = lists.Refused
	}
	return newest.Complete && !newest.Has(id)
}

// readDoubtful adds those of the machines in doubt that direct reads show. The error is an *UnreadError.
func (i *Inventory) readDoubtful(ctx context.Context, ids []cloud.InstanceID, present map[cloud.InstanceID]cloud.Instance) error {
	ids = slices.DeleteFunc(ids, func(id cloud.InstanceID) bool { return i.against(id, i.cache.Get(id)) > 1 })
	var unread UnreadError
	for n, q := range i.reads.doubts.Join(ctx, ids...) {
		found, err := q.Wait(ctx)
		if err != nil {
			unread.IDs, unread.Err = append(unread.IDs, ids[n]), err
		}
		for _, machine := range found {
			present[machine.ID] = cache.Copy(machine)
		}
	}
	if unread.Err == nil {
		return nil
	}
	return &unread
}

// readDoubts answers a batch of questions for machines in doubt, as many as there is room for. They come in no order, so that
// each has its turn.
func (r *reader) readDoubts(ctx context.Context, asked map[cloud.InstanceID]*question) {
	ctx = cloud.WithTenant(cloud.WithAtLeast(ctx, cloud.PriorityBegun), "") // many Services share them
	now, most := map[cloud.InstanceID]*question{}, r.budget.affordable(len(asked))
	for id, q := range asked {
		if len(now) == most {
			q.Answer(nil, errNotItsTurn)
			continue
		}
		now[id] = batch.NewQuestion[machines]()
	}
	r.budget.spend(r.schedule.reads(len(now)))
	r.readAll(ctx, now)
	for id, read := range now {
		found, err := read.Wait(ctx)
		if err == nil && len(found) == 0 {
			r.cache.Miss(cache.Key{ID: id})
		}
		asked[id].Answer(found, err)
	}
}

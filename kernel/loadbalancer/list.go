package loadbalancer

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/bulklist"
)

// observe reads the balancer of the Service, from a bulk list where that is enough:
//
//	the Service                    a bulk list may have begun  and proves that the balancer
//	has a balancer                 after our last change       is there, never that it is gone
//	has one that was last seen     after that, and just before is there, never that it is gone
//	 pending                        this run
//	has one whose deletion the     after the deletion          is there, or is not
//	 cloud has acknowledged, or
//	 told the end of
//	has none so far                during this run; a little    is there, or is not
//	                                earlier where lists are
//	                                further apart, because
//	                                many Services ask
func (r finder) observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	list, err := r.manager.lists.Get(ctx, r.query(in))
	if err != nil {
		return cloud.Observed{}, err
	}
	if list != nil {
		observed, err := r.watch(ctx, list, in)
		if err != nil || observed.Found || in.Removed || r.leaves() || !r.expected() {
			r.Facts.FromList = true
			return observed, err
		}
	}
	return r.read(ctx, in)
}

// query says which bulk list is enough, see observe.
func (r finder) query(in cloud.Input) bulklist.Query {
	query := bulklist.Query{
		Service: r.Asked.Service.UID, After: r.began, Deleting: in.Deleting, Alone: in.Deleting && r.deletesAtOnce() || r.leaves() || r.wantsList(),
		InLists: r.findsInLists(in),
	}
	if r.expected() {
		query.After = r.Memory.Wrote
		if since := r.Memory.PendingSince(); !since.IsZero() {
			if just := r.began.Add(-listAge(r.began.Sub(since))); just.After(query.After) {
				query.After = just
			}
		}
	}
	if !r.expected() && r.Memory.Wrote.IsZero() {
		query.After = r.began.Add(-r.manager.lists.Slack())
	}
	if in.Removed || r.leaves() {
		query.After = r.Memory.Wrote.Add(1) // not at that very moment
		if waited := r.Memory.Wrote.Add(confirmAfter); time.Now().After(waited) {
			query.After = waited
		}
	}
	return query
}

// listAge is how old a bulk list may be that shows whether a balancer is still pending that has been so for that long. With an
// older one it would be seen ready at the next look only, a fifth of that later, see problem.LookAfter.
func listAge(pending time.Duration) time.Duration { return max(pending/40, 250*time.Millisecond) }

// findsInLists reports whether the driver would read the same list by itself. One that was found before is read by its name.
func (r finder) findsInLists(in cloud.Input) bool {
	return in.ID == "" && r.Memory.Last == nil && !in.Deleting && r.manager.cloud.Descriptor.Capabilities.FindsInLists
}

// wantsList reports whether other balancers of the Service are to be looked for: a former process saw some, or a list did not show
// yet what was just made.
func (r finder) wantsList() bool {
	return r.Memory.Unlisted || r.Asked.Service.Annotations[annotation.Duplicates.Name] != "" && r.Memory.Duplicates == nil
}

// deletesAtOnce says that one bulk list before a deletion and one after it are enough.
func (r finder) deletesAtOnce() bool {
	return r.manager.cloud.Descriptor.Capabilities.DeletesAtOnce
}

func (r finder) read(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	r.Facts.FromList = false
	return r.watch(ctx, r.manager.cloud.Balancers, in)
}

// source is the cloud, or a bulk list of it.
type source interface {
	Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error)
}

// watch observes with what was observed before at hand.
func (r finder) watch(ctx context.Context, from source, in cloud.Input) (cloud.Observed, error) {
	in.Last = r.Memory.Last
	observed, err := from.Observe(ctx, in)
	if r.Memory.Last = nil; err == nil && observed.Found {
		r.keepLast(observed)
	}
	return observed, err
}

// keepLast keeps what the driver uses of an observation at the next look: all of it where it compares stamps, else the id.
func (r *reconciliation) keepLast(o cloud.Observed) {
	if !r.manager.cloud.Descriptor.Capabilities.VersionStamps {
		o = cloud.Observed{Found: true, ID: o.ID}
	}
	r.Memory.Last = &o
}

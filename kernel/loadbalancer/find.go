package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/bulklist"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// finder looks for the balancers of one Service. It only reads.
type finder struct {
	*request.Request
	manager *Manager
	state   *state.Service
	began   time.Time
	// fromList says that the balancer was last seen in a bulk list.
	fromList bool
	// refused are the ids of balancers that this run has seen, and that are not the Service's.
	refused []string
	// removed says that the cloud has just told the good end of the deletion of the balancer that the Service gives up.
	removed bool
	// looked says that a list has shown which balancers the Service has.
	looked bool
}

// findOwned is find for those who act on a balancer that is not there: they drop the finalizer or
// create another one. Where there should be one, the credentials have to be the right ones.
func (p *finder) findOwned(ctx context.Context, observe observer) (decide.Finding, error) {
	f, err := p.find(ctx, observe)
	if err != nil || f.Observed.Found || !p.expected() || p.leaves() {
		return f, err
	}
	switch made := p.made(); {
	case made == nil:
	case p.Replacing == nil || p.Recorded == made.ID || p.manager.cloud.Replacer == nil:
		return decide.Finding{}, p.believe(made)
	case !p.Input.Deleting: // it is the successor, which may be shown beside the other one alone; a deletion looks for it by itself
		if f.Observed, err = p.findSuccessor(ctx, cloud.Observed{ID: p.Recorded}); err != nil || f.Observed.Found {
			return f, err
		}
	}
	if err := p.manager.trust.certain(ctx, p.began); err != nil {
		return decide.Finding{}, fmt.Errorf("the balancer is not there, but that proves nothing: %w", err)
	}
	return f, nil
}

// expected reports whether the Service may well have a balancer. One that gives its balancer up has lost its address where another
// controller serves it, or its type has changed.
func (p *finder) expected() bool {
	return p.Recorded != "" || p.state.Created != "" || p.Creation != nil || p.made() != nil || len(p.Service.Status.LoadBalancer.Ingress) > 0 ||
		p.Service.DeletionTimestamp != nil || p.Input.Deleting
}

// leaves reports whether the Service gives up a balancer whose deletion has just ended: the credentials that told
// that see the right account.
func (p *finder) leaves() bool { return p.removed && p.Input.Deleting }

// listAge is how old a bulk list may be that shows whether a balancer is still pending that has been so for that long. With an
// older one it would be seen ready at the next look only, a fifth of that later, see lookAfter.
func listAge(pending time.Duration) time.Duration { return max(pending/40, 250*time.Millisecond) }

// observer reads a balancer: observe where a bulk list will do, else read.
type observer func(context.Context, cloud.Input) (cloud.Observed, error)

// find looks for the balancer of the Service. The driver looks by the id it is given, then
// by ownership tag, then by name. What is not the Service's is passed over, and the search goes on: one of
// ours may exist all the same.
//
//	id given to the driver  when
//	none                    at the looks after we created one, until a list shows it or the Service is told where it is:
//	                        another process may have made one too, which the driver then shows
//	recorded or adopted     else, where the Service names one
//	of what we created      else, until it is recorded
//	none                    else, or when the id led to somebody else's
//
//	not the Service's, found by  then
//	id                           a conflict: nothing is created
//	name                         nothing was found; a conflict where names are unique
//
// Where a name alone leads to several, that is a conflict too, and none of them is taken.
func (p *finder) find(ctx context.Context, observe observer) (decide.Finding, error) {
	var f decide.Finding
	in := p.Input
	first, later := p.ids()
	in.ID = first
	for {
		observed, err := observe(ctx, in)
		if err != nil {
			return decide.Finding{}, err
		}
		if observed.Found && observed.Owner.Cluster != "" {
			f.Clusters = append(f.Clusters, observed.Owner.Cluster)
		}
		verdict := p.manager.owners.Judge(p.Request, p.state.Created, observed)
		switch {
		case verdict.Standing == safety.Absent && later != "":
			// Lists can lag.
			in.ID, later, p.state.Unlisted = later, "", true
			continue
		case verdict.Standing == safety.Absent || verdict.Standing == safety.Ours:
			f.Observed = observed
			p.confirm(in, observed)
			return f, nil
		case verdict.Standing == safety.Ambiguous:
			f.Conflicts = append(f.Conflicts, p.Ambiguous(observed.Balancer.Name, append([]string{observed.ID}, observed.Rivals...)...))
			return f, nil
		case slices.Contains(in.Refused, observed.ID):
			f.Conflicts = append(f.Conflicts, p.nameTaken(observed)...)
			return f, nil
		case slices.Contains(p.Named(), observed.ID):
			f.Conflicts = append(f.Conflicts, p.notYours(observed))
			p.warnOwner(verdict, observed)
		}
		in.ID, in.Refused = "", append(slices.Clone(in.Refused), observed.ID)
		p.refused = in.Refused
	}
}

// ids returns the id that the driver looks by first, and the one that it looks by where it finds nothing so, see find.
func (p *finder) ids() (first, later string) {
	made, named := p.state.Unconfirmed(), p.Input.ID
	switch {
	case made != "" && (named == "" || named == made && len(p.Service.Status.LoadBalancer.Ingress) == 0):
		return "", made
	case named == "":
		return p.state.Created, ""
	}
	return named, ""
}

// confirm notes that the balancer was looked for, unless the list in which it was looked for is older than its creation.
func (p *finder) confirm(in cloud.Input, observed cloud.Observed) {
	p.looked = p.looked || p.listed(in)
	if !p.state.Unlisted || observed.Found && p.listed(in) || p.made() == nil {
		p.state.Confirm(observed)
	}
}

// nameTaken refuses a balancer with the wanted name that is somebody else's, unless that was told of its id.
func (p *finder) nameTaken(observed cloud.Observed) []problem.Warning {
	switch {
	case !ownership.IsTwin(observed.Owner, p.Input.Owner):
		return []problem.Warning{p.NameTaken(observed.Balancer.Name)}
	case slices.Contains(p.Named(), observed.ID):
		return nil
	}
	return []problem.Warning{p.OtherCluster(observed.ID, observed.Owner.Cluster)}
}

// notYours refuses a balancer that an annotation names.
func (p *finder) notYours(observed cloud.Observed) problem.Warning {
	if ownership.IsTwin(observed.Owner, p.Input.Owner) {
		return p.OtherCluster(observed.ID, observed.Owner.Cluster)
	}
	return p.NotYours(observed.ID)
}

// findSuccessor returns the other balancer of this Service: the new one while the observed one serves, or
// the old one when the new one does.
func (p *finder) findSuccessor(ctx context.Context, observed cloud.Observed) (cloud.Observed, error) {
	in := p.Input
	in.Beside, in.ID = &observed, p.state.Successor
	if p.Replacing.Of != observed.ID {
		in.ID = p.Replacing.Of
	}
	other, err := p.manager.cloud.Balancers.Observe(ctx, in)
	if made := p.made(); err == nil && !other.Found && made != nil && made.ID != observed.ID {
		err = p.believe(made)
	}
	switch {
	case err != nil:
		return cloud.Observed{}, err
	case other.Found && (other.ID == observed.ID || !ownership.IsCertain(other.Owner, in.Owner)):
		return cloud.Observed{Lookups: other.Lookups}, nil
	}
	return other, nil
}

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
func (p *finder) observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	list, err := p.manager.lists.Get(ctx, p.query(in))
	if err != nil {
		return cloud.Observed{}, err
	}
	if in.BulkList = list; list != nil {
		observed, err := p.watch(ctx, in)
		if err != nil || observed.Found || in.Removed || p.leaves() || !p.expected() {
			p.fromList = true
			return observed, err
		}
	}
	return p.read(ctx, in)
}

// query says which bulk list is enough, see observe.
func (p *finder) query(in cloud.Input) bulklist.Query {
	query := bulklist.Query{
		Service: p.Service.UID, After: p.began, Deleting: in.Deleting, Alone: in.Deleting && p.deletesAtOnce() || p.leaves() || p.wantsList(),
		InLists: p.findsInLists(in),
	}
	if p.expected() {
		query.After = p.state.Wrote
		if since := p.state.PendingSince; !since.IsZero() {
			if just := p.began.Add(-listAge(p.began.Sub(since))); just.After(query.After) {
				query.After = just
			}
		}
	}
	if !p.expected() && p.state.Wrote.IsZero() {
		query.After = p.began.Add(-p.manager.lists.Slack())
	}
	if in.Removed || p.leaves() {
		query.After = p.state.Wrote.Add(1) // not at that very moment
		if waited := p.state.Wrote.Add(confirmAfter); time.Now().After(waited) {
			query.After = waited
		}
	}
	return query
}

// findsInLists reports whether the driver would read the same list by itself. One that was found before is read by its name.
func (p *finder) findsInLists(in cloud.Input) bool {
	return in.ID == "" && p.state.Last == nil && !in.Deleting && p.manager.cloud.Descriptor.Capabilities.FindsInLists
}

// deletesAtOnce says that one bulk list before a deletion and one after it are enough.
func (p *finder) deletesAtOnce() bool {
	return p.manager.cloud.Descriptor.Capabilities.DeletesAtOnce
}

func (p *finder) read(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	in.BulkList, p.fromList = nil, false
	return p.watch(ctx, in)
}

// watch observes with what was observed before at hand.
func (p *finder) watch(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	in.Last = p.state.Last
	observed, err := p.manager.cloud.Balancers.Observe(ctx, in)
	if p.state.Last = nil; err == nil && observed.Found {
		p.remember(in.Known, observed)
	}
	return observed, err
}

// remember keeps what the driver uses of an observation at the next look. Of a balancer that is given up drivers read a part
// only: stamps say which part, and what is recalled has to be the whole.
func (p *finder) remember(known cloud.Known, o cloud.Observed) {
	switch can := p.manager.cloud.Descriptor.Capabilities; {
	case can.VersionStamps:
		p.state.Last = &o
	case can.Recalls && (!known.Deleting || known.Retained):
		p.state.Last = state.Known(o)
	}
}

// warningEvery is how often a Service is told that a certain other one wanted its balancer: one that is refused again and
// again must not fill the events of another one.
const warningEvery = 10 * time.Minute

// warnOwner tells the owner of a balancer that another Service wanted it. It does not say which
// one, unless both are in one namespace.
func (p *finder) warnOwner(verdict safety.Ownership, observed cloud.Observed) {
	if verdict.Standing != safety.Claimed {
		return
	}
	told := p.manager.owners.OwnerOf(p.Request, verdict.Owner, observed)
	if told == nil {
		return
	}
	pair := [2]types.UID{p.Service.UID, told.UID}
	if _, warned := p.manager.ownerWarnings.Get(pair); warned {
		return
	}
	p.manager.ownerWarnings.Set(pair, true, warningEvery)
	who := "a Service of another namespace"
	if told.Namespace == p.Service.Namespace {
		who = "Service " + p.Service.Name
	}
	p.manager.events.Record(event.About("Service", told), event.TakeoverRefused, fmt.Sprintf("%s named load balancer %s of this Service in an annotation; that was refused, nothing was changed", who, observed.ID))
	p.manager.metrics.Add(metric.TakeoversRefused, 1, p.manager.cloud.Name)
}

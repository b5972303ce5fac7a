package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// finding is what was found of a Service's balancer, see decide.Facts.
type finding struct {
	Observed  cloud.Observed
	Conflicts []problem.Warning
	Clusters  []string
}

// observer reads a balancer: observe where a bulk list will do, else read.
type observer func(context.Context, cloud.Input) (cloud.Observed, error)

// findOwned is find for those who act on a balancer that is not there: they drop the finalizer or
// create another one. Where there should be one, the credentials have to be the right ones.
func (r finder) findOwned(ctx context.Context, observe observer) (finding, error) {
	f, err := r.find(ctx, observe)
	if err != nil || f.Observed.Found || !r.expected() || r.leaves() {
		return f, err
	}
	switch made := r.made(); {
	case made == nil:
	case r.Asked.Replacing == nil || r.Asked.Recorded == made.ID || r.manager.cloud.Replacer == nil:
		return finding{}, r.believe(made)
	case !r.Asked.Input.Deleting: // it is the successor, which may be shown beside the other one alone; a deletion looks for it by itself
		if f.Observed, err = r.findSuccessor(ctx, cloud.Observed{ID: r.Asked.Recorded}); err != nil || f.Observed.Found {
			return f, err
		}
	}
	if err := r.manager.trust.certain(ctx, r.began); err != nil {
		return finding{}, fmt.Errorf("the balancer is not there, but that proves nothing: %w", err)
	}
	return f, nil
}

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
func (r finder) find(ctx context.Context, observe observer) (finding, error) {
	var f finding
	in := r.Asked.Input
	first, later := r.ids()
	in.ID = first
	for {
		observed, err := observe(ctx, in)
		if err != nil {
			return finding{}, err
		}
		if observed.Found && observed.Owner.Cluster != "" {
			f.Clusters = append(f.Clusters, observed.Owner.Cluster)
		}
		verdict := r.manager.owners.Judge(r.Asked, r.Memory.Created, observed)
		switch {
		case verdict.Standing == safety.Absent && later != "":
			// Lists can lag.
			in.ID, later, r.Memory.Unlisted = later, "", true
			continue
		case verdict.Standing == safety.Absent || verdict.Standing == safety.Ours:
			f.Observed = observed
			r.confirm(in, observed)
			return f, nil
		case verdict.Standing == safety.Ambiguous:
			f.Conflicts = append(f.Conflicts, r.Asked.Ambiguous(observed.Balancer.Name, append([]string{observed.ID}, observed.Rivals...)...))
			return f, nil
		case slices.Contains(in.Refused, observed.ID):
			f.Conflicts = append(f.Conflicts, r.nameTaken(observed)...)
			return f, nil
		case slices.Contains(r.Asked.Named, observed.ID):
			f.Conflicts = append(f.Conflicts, r.notYours(observed))
			r.warnOwner(verdict, observed)
		}
		in.ID, in.Refused = "", append(slices.Clone(in.Refused), observed.ID)
		r.refused = in.Refused
	}
}

// ids returns the id that the driver looks by first, and the one that it looks by where it finds nothing so, see find.
func (r finder) ids() (first, later string) {
	made, named := r.unconfirmed(), r.Asked.Input.ID
	switch {
	case made != "" && (named == "" || named == made && len(r.Asked.Service.Status.LoadBalancer.Ingress) == 0):
		return "", made
	case named == "":
		return r.Memory.Created, ""
	}
	return named, ""
}

// unconfirmed returns the id of the balancer that this process made and that no list has shown it, "" when there is none.
func (r finder) unconfirmed() string {
	if r.Memory.Confirmed == r.Memory.Created {
		return ""
	}
	return r.Memory.Created
}

// confirm notes that the balancer was looked for, unless the list in which it was looked for is older than its creation.
func (r finder) confirm(in cloud.Input, observed cloud.Observed) {
	r.looked = r.looked || r.listed(in)
	if !r.Memory.Unlisted || observed.Found && r.listed(in) || r.made() == nil {
		r.confirmCreated(observed)
	}
}

// listed reports whether what was found by this input shows whether there are others of the Service.
func (r finder) listed(in cloud.Input) bool { return in.ID == "" || r.Facts.FromList }

// confirmCreated notes which of several balancers that a list shows is the Service's: all processes come to the same one.
func (r finder) confirmCreated(observed cloud.Observed) {
	r.Memory.Unlisted = false
	if r.Memory.Created == "" {
		return
	}
	if slices.Contains(observed.Duplicates, r.Memory.Created) {
		r.Memory.Created = observed.ID
	}
	r.Memory.Confirmed = r.Memory.Created
}

// nameTaken refuses a balancer with the wanted name that is somebody else's, unless that was told of its id.
func (r finder) nameTaken(observed cloud.Observed) []problem.Warning {
	switch {
	case !ownership.IsTwin(observed.Owner, r.Asked.Input.Owner):
		return []problem.Warning{r.Asked.NameTaken(observed.Balancer.Name)}
	case slices.Contains(r.Asked.Named, observed.ID):
		return nil
	}
	return []problem.Warning{r.Asked.OtherCluster(observed.ID, observed.Owner.Cluster)}
}

// notYours refuses a balancer that an annotation names.
func (r finder) notYours(observed cloud.Observed) problem.Warning {
	if ownership.IsTwin(observed.Owner, r.Asked.Input.Owner) {
		return r.Asked.OtherCluster(observed.ID, observed.Owner.Cluster)
	}
	return r.Asked.NotYours(observed.ID)
}

// warningEvery is how often a Service is told that a certain other one wanted its balancer: one that is refused again and
// again must not fill the events of another one.
const warningEvery = 10 * time.Minute

// warnOwner tells the owner of a balancer that another Service wanted it. It does not say which
// one, unless both are in one namespace.
func (r finder) warnOwner(verdict safety.Ownership, observed cloud.Observed) {
	if verdict.Standing != safety.Claimed {
		return
	}
	told := r.manager.owners.OwnerOf(r.Asked, verdict.Owner, observed)
	if told == nil {
		return
	}
	pair := [2]types.UID{r.Asked.Service.UID, told.UID}
	if _, warned := r.manager.ownerWarnings.Get(pair); warned {
		return
	}
	r.manager.ownerWarnings.Set(pair, true, warningEvery)
	who := "a Service of another namespace"
	if told.Namespace == r.Asked.Service.Namespace {
		who = "Service " + r.Asked.Service.Name
	}
	r.manager.events.Record(event.About("Service", told), event.TakeoverRefused, fmt.Sprintf("%s named load balancer %s of this Service in an annotation; that was refused, nothing was changed", who, observed.ID))
	r.manager.metrics.Add(metric.TakeoversRefused, 1, r.manager.cloud.Name)
}

// findSuccessor returns the other balancer of this Service: the new one while the observed one serves, or
// the old one when the new one does.
func (r finder) findSuccessor(ctx context.Context, observed cloud.Observed) (cloud.Observed, error) {
	in := r.Asked.Input
	in.Beside, in.ID = &observed, r.Memory.Successor
	if r.Asked.Replacing.Of != observed.ID {
		in.ID = r.Asked.Replacing.Of
	}
	other, err := r.manager.cloud.Balancers.Observe(ctx, in)
	if made := r.made(); err == nil && !other.Found && made != nil && made.ID != observed.ID {
		err = r.believe(made)
	}
	switch {
	case err != nil:
		return cloud.Observed{}, err
	case other.Found && (other.ID == observed.ID || !ownership.IsCertain(other.Owner, in.Owner)):
		return cloud.Observed{Findings: other.Findings}, nil
	}
	return other, nil
}

// leaves reports whether the Service gives up a balancer whose deletion has just ended: the credentials that told
// that see the right account.
func (r finder) leaves() bool { return r.removed && r.Asked.Input.Deleting }

package loadbalancer

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// deletedID is a balancer of a Service whose deletion was asked for.
type deletedID struct {
	service types.UID
	id      string
}

// expected reports whether the Service may well have a balancer. One that gives its balancer up has lost its address where another
// controller serves it, or its type has changed.
func (r finder) expected() bool {
	return r.Asked.Recorded != "" || r.Memory.Created != "" || r.Asked.Creation != nil || r.made() != nil || len(r.Asked.Service.Status.LoadBalancer.Ingress) > 0 ||
		r.Asked.Service.DeletionTimestamp != nil || r.Asked.Input.Deleting
}

// made returns the load balancer that was made for the Service a short time ago, nil when none was:
//
//	the last creation that counts, as this  the balancer
//	process or the Service remembers it     counts as made
//	none, or the cloud did not answer it    no
//	longer ago than creation.Settling, or    no
//	 SettlingForDeletion where it is given up
//	deleted by us since, see noteDeletion    no
//	shown by this run, as somebody else's   no
//	replaced since                          no
//	in a cloud with no annotation for ids:  only for a Service that gives it up: names are unique there, so that no
//	                                        second one can be made
//	else                                    yes
func (r finder) made() *creation.Record {
	later, earlier := &r.Memory.Creation, r.Asked.Creation
	if earlier != nil && earlier.At.After(later.At) {
		later, earlier = earlier, later
	}
	switch {
	case r.counts(later):
		return later
	case r.counts(earlier):
		return earlier
	}
	return nil
}

// counts reports whether the balancer of a creation counts as made, see made.
func (r finder) counts(last *creation.Record) bool {
	switch {
	case last.Left() == 0, r.Asked.Input.Deleting && time.Since(last.At) > creation.SettlingForDeletion, r.isDeleted(last.ID), slices.Contains(r.refused, last.ID):
		return false
	case r.Asked.IDAnnotation == "":
		return r.Asked.Input.Deleting
	}
	return last.ID != "" && (r.Asked.Replacing == nil || r.Asked.Replacing.Of != last.ID)
}

// isDeleted reports whether the absence of a balancer is the end of a deletion of ours.
func (r finder) isDeleted(id string) bool {
	since, asked := r.manager.deleted.Get(deletedID{r.Asked.Service.UID, id})
	return asked && !time.Now().Before(since.(time.Time))
}

// believe returns why a balancer that was made a short time ago, and is not found, may be there all the same. Nothing is made,
// and no Service is let go, before that time has passed.
func (r finder) believe(made *creation.Record) error {
	then, settling := "nothing is made in its place before %s; if somebody has deleted it, it is made anew then", creation.Settling
	if r.Asked.Input.Deleting {
		then, settling = "the Service keeps its finalizer until it is shown and deleted, or until %s", creation.SettlingForDeletion
	}
	pending := unshown(made)
	pending.Err = fmt.Errorf(then, made.At.Add(settling).UTC().Format(time.RFC3339))
	r.say(problem.Warn(event.CloudFailure, pending.Error())) // said where a deletion runs, whose error nobody else tells
	return pending
}

// unshown is the error of a run that waits for a balancer that was just made to be shown.
func unshown(made *creation.Record) *Pending {
	which := "balancer " + made.ID + ", which it made"
	if made.ID == "" {
		which = "the balancer that was asked for"
	}
	return &Pending{
		After:  min(problem.LookAfter(time.Since(made.At)), made.Left()+time.Second),
		Reason: fmt.Sprintf("the cloud does not show %s at %s", which, made.At.UTC().Format(time.RFC3339)),
	}
}

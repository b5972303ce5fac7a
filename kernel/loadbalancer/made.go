package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// deletedID is a balancer of a Service whose deletion was asked for.
type deletedID struct {
	service types.UID
	id      string
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
func (r *reconciliation) made() *creation.Record {
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
func (r *reconciliation) counts(last *creation.Record) bool {
	switch {
	case last.Left() == 0, r.Asked.Input.Deleting && time.Since(last.At) > creation.SettlingForDeletion, r.isDeleted(last.ID), slices.Contains(r.refused, last.ID):
		return false
	case r.Asked.IDAnnotation == "":
		return r.Asked.Input.Deleting
	}
	return last.ID != "" && (r.Asked.Replacing == nil || r.Asked.Replacing.Of != last.ID)
}

// isDeleted reports whether the absence of a balancer is the end of a deletion of ours.
func (r *reconciliation) isDeleted(id string) bool {
	since, asked := r.manager.deleted.Get(deletedID{r.Asked.Service.UID, id})
	return asked && !time.Now().Before(since.(time.Time))
}

// believe returns why a balancer that was made a short time ago, and is not found, may be there all the same. Nothing is made,
// and no Service is let go, before that time has passed.
func (r *reconciliation) believe(made *creation.Record) error {
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

// unseen returns the id of a balancer that this process just made for the Service, where another one is kept and no list showed it,
// nil when there is none. An id from the Service's annotation would be read here: whoever edits the Service could ask which there are.
func (r *reconciliation) unseen(kept string) []string {
	if mine := &r.Memory.Creation; mine.ID != kept && r.counts(mine) {
		return []string{mine.ID}
	}
	return nil
}

// announce writes on the Service that a balancer is about to be made for it, in a cloud in which no annotation has its id: whatever
// becomes of the creation, the next process knows that there may be one. It is written once for each creation.SettlingForDeletion.
func (r *reconciliation) announce(ctx context.Context, d decide.Decision) error {
	if r.manager.record == nil || d.Change() == nil || !d.Change().Creates() || d.Plan.Empty() || !r.Live || r.Asked.IDAnnotation != "" {
		return nil
	}
	r.manager.deleted.Delete(deletedID{r.Asked.Service.UID, ""})
	if r.Asked.Creation.Left() > 0 && time.Since(r.Asked.Creation.At) < creation.SettlingForDeletion {
		return nil
	}
	if err := r.manager.record(ctx, r.Asked.Service, creation.Record{At: time.Now()}.Annotation()); err != nil {
		return fmt.Errorf("before a load balancer is made: %w", err)
	}
	return nil
}

// note adds annotations that this run writes on the Service, whatever it comes to.
func (r *reconciliation) note(annotations map[string]string) {
	if r.record == nil {
		r.record = map[string]string{}
	}
	maps.Copy(r.record, annotations)
}

// noteCreation remembers the balancer that a change has made: its id is written on the Service at once, unless the present one goes
// on to serve.
func (r *reconciliation) noteCreation(d decide.Decision, id string) {
	if !r.Live {
		return
	}
	r.Memory.Creation, r.Memory.Creating = creation.Record{At: time.Now(), ID: id}, id
	if r.Asked.IDAnnotation == "" {
		return
	}
	r.note(r.Memory.Creation.Annotation())
	if typed := r.Asked.Service.Annotations[r.Asked.IDAnnotation] != "" && r.Asked.Recorded == ""; !isBeside(d) && !typed {
		r.note(map[string]string{r.Asked.IDAnnotation: id})
	}
}

// noteDeletion remembers what became of the request to delete a balancer, so that its absence is no contradiction:
//
//	the request                           an absence is believed              the Service's record
//	is acknowledged                       at once                             loses the id
//	has no answer, which may be lost      at once                             stays
//	failed, perhaps after a part of it    creation.SettlingForDeletion later  stays
//	ended, perhaps before it was sent     creation.SettlingForDeletion later  stays
//	found no connection                   as if nobody had asked for it       stays
//
// A balancer that failed before it served leaves the Service as if none had been made. What is replaced is told by the annotation
// Replacement.
func (r *reconciliation) noteDeletion(d decide.Decision, id string, err error) {
	network, _ := errors.AsType[*net.OpError](err)
	switch {
	case network != nil && network.Op == "dial":
		return
	case err == nil, cloud.NoAnswer(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		r.noteAbsence(id)
	default:
		r.manager.deleted.Set(deletedID{r.Asked.Service.UID, id}, time.Now().Add(creation.SettlingForDeletion), creation.Settling)
	}
	if _, replaces := d.Action.(decide.Replace); err == nil && !r.Asked.Input.Deleting && !replaces {
		r.unname(id)
	}
}

// noteFailedCreation remembers that the creation of the balancer has failed after the cloud had answered it.
func (r *reconciliation) noteFailedCreation() {
	if id := r.Memory.Creating; id != "" {
		r.noteAbsence(id)
		r.unname(id)
	}
}

// noteAbsence remembers that the cloud has said why a balancer is not there.
func (r *reconciliation) noteAbsence(id string) {
	r.manager.deleted.Set(deletedID{r.Asked.Service.UID, id}, time.Now(), creation.Settling)
	if r.Memory.Creation.ID == id {
		r.Memory.Creation = creation.Record{}
	}
}

// unname takes the id of a balancer out of what the Service records.
func (r *reconciliation) unname(id string) {
	if r.Asked.Creation == nil || r.Asked.Creation.ID != id || id == "" {
		return
	}
	r.note(r.Asked.Creation.Unnamed().Annotation())
	if r.Asked.Recorded == id {
		r.note(map[string]string{r.Asked.IDAnnotation: ""})
	}
}

// annotations returns the annotations to write on the Service, nil when it has all.
func (r *reconciliation) annotations() map[string]string {
	if !r.Live {
		return nil
	}
	if last := r.Memory.Creation; r.Asked.IDAnnotation != "" && last.ID != "" && last.Left() > 0 && (r.Asked.Creation == nil || r.Asked.Creation.At.Before(last.At.Truncate(time.Second))) {
		r.note(last.Annotation()) // the write of the run that made it may have failed
	}
	text, present := r.Memory.Duplicates.Text(), r.Asked.Service.Annotations[annotation.Duplicates.Name]
	if text != present && (text != "" || r.settled) {
		r.note(map[string]string{annotation.Duplicates.Name: text})
	}
	return r.record
}

// foreign returns why the answer of a change is not about the Service's balancer, nil when it may be. The address of another one must
// not get into its status, nor its id into its annotation:
//
//	the change  the answer has                       it is
//	any         none of it                           fine
//	changed     the id that was changed              fine
//	changed     another id                           not ours
//	made        ownership tags of this Service       fine
//	made        ownership tags of nobody or its      fine: they are written later, or the cloud has none
//	            cluster, and the name that was asked
//	            for, or none, or one with its UID
//	made        any other                            not ours
func foreign(change cloud.Change, told *cloud.Observed) error {
	if told == nil || change.After == nil {
		return nil
	}
	us := change.Input.Owner
	whose := ownership.Of(told.Owner, us)
	named := slices.Contains([]string{"", change.After.Name}, told.Balancer.Name) || ownership.IsInName(told.Balancer.Name, us)
	fine := whose == ownership.Ours || named && (whose == ownership.Nobody || whose == ownership.ThisCluster)
	if change.Before.Found {
		fine = told.ID == change.Before.ID
	}
	if fine {
		return nil
	}
	return &cloud.Error{Op: "changing a balancer", Err: fmt.Errorf("the cloud answered with balancer %s (name %q), which is %s; nothing of it is recorded", told.ID, told.Balancer.Name, whose)}
}

// listed reports whether what was found by this input shows whether there are others of the Service.
func (r *reconciliation) listed(in cloud.Input) bool { return in.ID == "" || r.Facts.FromList }

// wantsList reports whether other balancers of the Service are to be looked for: a former process saw some, or a list did not show
// yet what was just made.
func (r *reconciliation) wantsList() bool {
	return r.Memory.Unlisted || r.Asked.Service.Annotations[annotation.Duplicates.Name] != "" && r.Memory.Duplicates == nil
}

// remaining returns when to look again for others of the Service, 0 when all lists have shown what was made.
func (r *reconciliation) remaining() time.Duration {
	if r.Memory.Unlisted {
		return state.DuplicateWait
	}
	return 0
}

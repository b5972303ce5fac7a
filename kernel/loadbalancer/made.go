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
func (p *finder) made() *creation.Record {
	later, earlier := &p.state.Creation, p.Creation
	if earlier != nil && earlier.At.After(later.At) {
		later, earlier = earlier, later
	}
	switch {
	case p.counts(later):
		return later
	case p.counts(earlier):
		return earlier
	}
	return nil
}

// counts reports whether the balancer of a creation counts as made, see made.
func (p *finder) counts(last *creation.Record) bool {
	switch {
	case last.Left() == 0, p.Input.Deleting && time.Since(last.At) > creation.SettlingForDeletion, p.isDeleted(last.ID), slices.Contains(p.refused, last.ID):
		return false
	case p.IDAnnotation == "":
		return p.Input.Deleting
	}
	return last.ID != "" && (p.Replacing == nil || p.Replacing.Of != last.ID)
}

// isDeleted reports whether the absence of a balancer is the end of a deletion of ours.
func (p *finder) isDeleted(id string) bool {
	since, asked := p.manager.deleted.Get(deletedID{p.Service.UID, id})
	return asked && !time.Now().Before(since.(time.Time))
}

// believe returns why a balancer that was made a short time ago, and is not found, may be there all the same. Nothing is made,
// and no Service is let go, before that time has passed.
func (p *finder) believe(made *creation.Record) error {
	then, settling := "nothing is made in its place before %s; if somebody has deleted it, it is made anew then", creation.Settling
	if p.Input.Deleting {
		then, settling = "the Service keeps its finalizer until it is shown and deleted, or until %s", creation.SettlingForDeletion
	}
	pending := unshown(made)
	pending.Err = fmt.Errorf(then, made.At.Add(settling).UTC().Format(time.RFC3339))
	p.say(problem.Warn(event.CloudFailure, pending.Error())) // said where a deletion runs, whose error nobody else tells
	return pending
}

// unshown is the error of a run that waits for a balancer that was just made to be shown.
func unshown(made *creation.Record) *Pending {
	which := "balancer " + made.ID + ", which it made"
	if made.ID == "" {
		which = "the balancer that was asked for"
	}
	return &Pending{
		After:  min(lookAfter(time.Since(made.At)), made.Left()+time.Second),
		Reason: fmt.Sprintf("the cloud does not show %s at %s", which, made.At.UTC().Format(time.RFC3339)),
	}
}

// unseen returns the id of a balancer that this process just made for the Service, where another one is kept and no list showed it,
// nil when there is none. An id from the Service's annotation would be read here: whoever edits the Service could ask which there are.
func (p *finder) unseen(kept string) []string {
	if mine := &p.state.Creation; mine.ID != kept && p.counts(mine) {
		return []string{mine.ID}
	}
	return nil
}

// announce writes on the Service that a balancer is about to be made for it, in a cloud in which no annotation has its id: whatever
// becomes of the creation, the next process knows that there may be one. It is written once for each creation.SettlingForDeletion.
func (p *pipeline) announce(ctx context.Context, d decide.Decision) error {
	if p.manager.record == nil || !creates(d.Change) || d.Plan.Empty() || !p.live() || p.IDAnnotation != "" {
		return nil
	}
	p.manager.deleted.Delete(deletedID{p.Service.UID, ""})
	if p.Creation.Left() > 0 && time.Since(p.Creation.At) < creation.SettlingForDeletion {
		return nil
	}
	if err := p.manager.record(ctx, p.Service, creation.Record{At: time.Now()}.Annotation()); err != nil {
		return fmt.Errorf("before a load balancer is made: %w", err)
	}
	return nil
}

// note adds annotations that this run writes on the Service, whatever it comes to.
func (p *pipeline) note(annotations map[string]string) {
	if p.record == nil {
		p.record = map[string]string{}
	}
	maps.Copy(p.record, annotations)
}

// noteCreation remembers the balancer that a change has made: its id is written on the Service at once, unless the present one goes
// on to serve.
func (p *pipeline) noteCreation(d decide.Decision, id string) {
	if !p.live() {
		return
	}
	p.state.Creation, p.state.Creating = creation.Record{At: time.Now(), ID: id}, id
	if p.IDAnnotation == "" {
		return
	}
	p.note(p.state.Creation.Annotation())
	if typed := p.Service.Annotations[p.IDAnnotation] != "" && p.Recorded == ""; !d.Succeeds && !typed {
		p.note(map[string]string{p.IDAnnotation: id})
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
func (p *pipeline) noteDeletion(d decide.Decision, id string, err error) {
	network, _ := errors.AsType[*net.OpError](err)
	switch {
	case network != nil && network.Op == "dial":
		return
	case err == nil, cloud.NoAnswer(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		p.noteAbsence(id)
	default:
		p.manager.deleted.Set(deletedID{p.Service.UID, id}, time.Now().Add(creation.SettlingForDeletion), creation.Settling)
	}
	if err == nil && !p.Input.Deleting && (!d.Replaces || d.Recreates) {
		p.unname(id)
	}
}

// noteFailedCreation remembers that the creation of the balancer has failed after the cloud had answered it.
func (p *pipeline) noteFailedCreation() {
	if id := p.state.Creating; id != "" {
		p.noteAbsence(id)
		p.unname(id)
	}
}

// noteAbsence remembers that the cloud has said why a balancer is not there.
func (p *pipeline) noteAbsence(id string) {
	p.manager.deleted.Set(deletedID{p.Service.UID, id}, time.Now(), creation.Settling)
	if p.state.Creation.ID == id {
		p.state.Creation = creation.Record{}
	}
}

// unname takes the id of a balancer out of what the Service records.
func (p *pipeline) unname(id string) {
	if p.Creation == nil || p.Creation.ID != id || id == "" {
		return
	}
	p.note(p.Creation.Unnamed().Annotation())
	if p.Recorded == id {
		p.note(map[string]string{p.IDAnnotation: ""})
	}
}

// notes returns the annotations to write on the Service, nil when it has all.
func (p *pipeline) notes() map[string]string {
	if !p.live() {
		return nil
	}
	if last := p.state.Creation; p.IDAnnotation != "" && last.ID != "" && last.Left() > 0 && (p.Creation == nil || p.Creation.At.Before(last.At.Truncate(time.Second))) {
		p.note(last.Annotation()) // the write of the run that made it may have failed
	}
	text, present := p.state.Duplicates.Text(), p.Service.Annotations[annotation.Duplicates.Name]
	if text != present && (text != "" || p.settled) {
		p.note(map[string]string{annotation.Duplicates.Name: text})
	}
	return p.record
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
func (p *finder) listed(in cloud.Input) bool { return in.ID == "" || p.fromList }

// wantsList reports whether other balancers of the Service are to be looked for: a former process saw some, or a list did not show
// yet what was just made.
func (p *finder) wantsList() bool {
	return p.state.Unlisted || p.Service.Annotations[annotation.Duplicates.Name] != "" && p.state.Duplicates == nil
}

// remaining returns when to look again for others of the Service, 0 when all lists have shown what was made.
func (p *finder) remaining() time.Duration {
	if p.state.Unlisted {
		return state.DuplicateWait
	}
	return 0
}

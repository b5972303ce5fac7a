package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
)

// announce writes on the Service that a balancer is about to be made for it, in a cloud in which no annotation has its id: whatever
// becomes of the creation, the next process knows that there may be one. It is written once for each creation.SettlingForDeletion.
func (r writer) announce(ctx context.Context, d decide.Decision) error {
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

// noteCreation remembers the balancer that a change has made: its id is written on the Service at once, unless the present one goes
// on to serve.
func (r writer) noteCreation(d decide.Decision, id string) {
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
func (r writer) noteDeletion(d decide.Decision, id string, err error) {
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
func (r writer) noteFailedCreation() {
	if id := r.Memory.Creating; id != "" {
		r.noteAbsence(id)
		r.unname(id)
	}
}

// noteAbsence remembers that the cloud has said why a balancer is not there.
func (r writer) noteAbsence(id string) {
	r.manager.deleted.Set(deletedID{r.Asked.Service.UID, id}, time.Now(), creation.Settling)
	if r.Memory.Creation.ID == id {
		r.Memory.Creation = creation.Record{}
	}
}

// unname takes the id of a balancer out of what the Service records.
func (r writer) unname(id string) {
	if r.Asked.Creation == nil || r.Asked.Creation.ID != id || id == "" {
		return
	}
	r.note(r.Asked.Creation.Unnamed().Annotation())
	if r.Asked.Recorded == id {
		r.note(map[string]string{r.Asked.IDAnnotation: ""})
	}
}

// note adds annotations that this run writes on the Service, whatever it comes to.
func (r writer) note(annotations map[string]string) {
	if r.record == nil {
		r.record = map[string]string{}
	}
	maps.Copy(r.record, annotations)
}

// annotations returns the annotations to write on the Service, nil when it has all.
func (r writer) annotations() map[string]string {
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

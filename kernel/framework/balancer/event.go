package balancer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cloud-provider/api"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Events leaves out what upstream says: the service controller writes the error of an
// ensure into an event of its own, with each retry. What it is not told, because a deletion runs
// beside it, is said here; what it is not told because a change is tried again, watch says.
type Events struct {
	Next event.Recorder
	// Deleting reports whether the Service's balancer is being deleted.
	Deleting func(types.UID) bool
}

// Record implements [event.Recorder].
func (e *Events) Record(object event.Object, reason event.Reason, message string) {
	if reason == event.CloudFailure && !e.Deleting(types.UID(object.UID)) {
		return
	}
	e.Next.Record(object, reason, message)
}

// explainedError has the text of [event.Explained]. Upstream writes the errors of balancers into events.
type explainedError struct {
	err  error
	text string
}

func (e *explainedError) Error() string { return e.text }

func (e *explainedError) Unwrap() error { return e.err }

// forEvents returns an error of a balancer in a form that makes equal events of equal failures.
// The whole text goes to the log.
func forEvents(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, drain.ErrStopping) {
		return err
	}
	if _, ok := errors.AsType[*api.RetryError](err); ok {
		return err
	}
	text := event.Explained(err)
	if fields := said(err); len(fields) > 0 {
		text = "not possible: " + strings.Join(fields, ", ") + SaidElsewhere
	}
	if text == err.Error() {
		return err
	}
	klog.InfoS("A failure in full", "error", err.Error())
	return &explainedError{err, text}
}

// SaidElsewhere ends the text of an error that has events of its own, with what is wrong in them. The service controller puts
// it into one more event, and into the log.
const SaidElsewhere = "; other events of the Service say why"

// said returns the fields of a Service that an error is about, where each was said under its own reason, nil where anything else
// is wrong too.
func said(err error) []string {
	problems, _ := errors.AsType[problem.Problems](err)
	var fields []string
	for _, one := range problems {
		wrong, ok := errors.AsType[*cloud.Invalid](one)
		if !ok {
			return nil
		}
		if !slices.Contains(fields, wrong.Field) {
			fields = append(fields, wrong.Field)
		}
	}
	return fields
}

// pending are the Services whose balancer the cloud is still busy with. Upstream reports
// a look at them as a failure, and a change of their targets as made. Found is since when it is to
// ensure one for the sake of a result that is there: it reports a beginning then, which it did already.
type pending struct{ services, found sync.Map }

// deletionRuns is what the controller is told while a deletion runs. The event that it writes of that says so at its end.
const deletionRuns = "the load balancer is being deleted"

// set says whether the cloud is busy, and returns whether it was.
func (p *pending) set(uid types.UID, busy bool) (was bool) {
	if busy {
		_, was = p.services.Swap(uid, true)
	} else {
		_, was = p.services.LoadAndDelete(uid)
	}
	return was
}

// Quiet reports whether an event of the service controller is a false alarm.
func (a *Adapter) Quiet(event *corev1.Event) bool { return a.pending.quiet(event) }

func (p *pending) quiet(event *corev1.Event) bool {
	if event.Reason == "EnsuringLoadBalancer" {
		at, _ := p.found.LoadAndDelete(event.InvolvedObject.UID)
		since, again := at.(time.Time)
		return again && time.Since(since) <= resultAge
	}
	if event.Source.Component == recorder.Component {
		return false
	}
	failed := event.Reason == "SyncLoadBalancerFailed"
	if failed && strings.HasSuffix(event.Message, deletionRuns) {
		return true
	}
	_, busy := p.services.Load(event.InvolvedObject.UID)
	early := failed || event.Reason == "UpdateLoadBalancerFailed" || event.Reason == "UpdatedLoadBalancer"
	return early && busy
}

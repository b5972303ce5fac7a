package loadbalancer

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// say records events, one for each reason.
func (r *reconciliation) say(warnings ...problem.Warning) {
	object := event.Object{Kind: "Service", Namespace: r.Asked.Service.Namespace, Name: r.Asked.Service.Name, UID: string(r.Asked.Service.UID)}
	for _, w := range problem.Told(warnings, object.Namespace, object.Name) {
		r.manager.events.Record(object, w.Reason, w.Message)
	}
}

// failed says that the cloud failed, unless it was us who gave up or who wait, and returns the error as
// the caller shall see it.
func (r *reconciliation) failed(ctx context.Context, err error) error {
	if _, waits := errors.AsType[*Pending](err); !waits && ctx.Err() == nil {
		r.say(problem.Failure(err))
	}
	return problem.Retryable(err)
}

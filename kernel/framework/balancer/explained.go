package balancer

import (
	"context"
	"errors"

	"k8s.io/cloud-provider/api"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
)

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
	if text == err.Error() {
		return err
	}
	klog.InfoS("A failure in full", "error", err.Error())
	return &explainedError{err, text}
}

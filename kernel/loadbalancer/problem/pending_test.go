package problem

import (
	"errors"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestPendingText(t *testing.T) {
	cause := errors.New("busy")
	for _, test := range []struct {
		pending *Pending
		want    string
	}{
		{&Pending{Reason: "the cloud works"}, "the cloud works"},
		{&Pending{Reason: "the cloud works", Err: cause}, "the cloud works: busy"},
	} {
		if got := test.pending.Error(); got != test.want || !errors.Is(test.pending.Err, errors.Unwrap(test.pending)) {
			t.Errorf("error %q, want %q", got, test.want)
		}
	}
	err := Retryable(&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Err: cause})
	if pending, ok := errors.AsType[*Pending](err); !ok || pending.After != afterLimit {
		t.Errorf("error %#v, want one that waits for %v", err, afterLimit)
	}
}

package loadbalancer

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
	waits(t, retryable(&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Err: cause}), afterLimit)
}

package failure

import (
	"errors"
	"fmt"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestOtherErrors(t *testing.T) {
	for want, all := range map[cloud.Class][]error{
		cloud.FailureInvalid:      {fmt.Errorf("x: %w", &cloud.Invalid{})},
		cloud.FailureTransient:    {fmt.Errorf("x: %w", cloud.ErrIncomplete)},
		cloud.FailureUnauthorized: {&CredentialError{Err: errors.New("no EC2 IMDS role found")}},
		cloud.FailureUnknown:      {errors.New("what")},
	} {
		for _, err := range all {
			if got := Classify(err).Class; got != want {
				t.Errorf("%v: %s, want %s", err, got, want)
			}
		}
	}
}

// No code is in two classes, where the last one would count.
func TestEveryCodeHasOneClass(t *testing.T) {
	for code, class := range classes {
		if class == "" || code == "" {
			t.Errorf("%q: %q", code, class)
		}
	}
}

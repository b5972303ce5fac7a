package failure

import (
	"errors"
	"fmt"
	"slices"
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

// What is gone does not keep the others from being changed, and any other error ends it.
func TestBatches(t *testing.T) {
	gone, broken := errors.New("gone"), errors.New("broken")
	isGone := func(err error) bool { return errors.Is(err, gone) }
	for name, test := range map[string]struct {
		items, done, alone []string
		calls              int
		err                error
	}{
		"one is gone": {[]string{"1", "2", "gone", "3", "4"}, []string{"1", "2", "3", "4"}, []string{"gone"}, 5, nil},
		"all are":     {[]string{"gone", "gone"}, nil, []string{"gone", "gone"}, 3, nil},
		"none is":     {[]string{"1", "2"}, []string{"1", "2"}, nil, 1, nil},
		"one breaks":  {[]string{"gone", "broken", "1"}, nil, []string{"gone"}, 4, broken},
	} {
		var done, alone []string
		calls := 0
		err := Batches(test.items, 100, isGone, func(items []string) error {
			calls++
			switch {
			case slices.Contains(items, "gone"):
				return gone
			case slices.Contains(items, "broken"):
				return broken
			}
			done = append(done, items...)
			return nil
		}, func(one string, _ error) { alone = append(alone, one) })
		if !errors.Is(err, test.err) || !slices.Equal(done, test.done) || !slices.Equal(alone, test.alone) || calls != test.calls {
			t.Errorf("%s: %v were done and %v refused after %d calls, error %v", name, done, alone, calls, err)
		}
	}
}

package aws_test

import (
	"errors"
	"testing"

	"github.com/aws/smithy-go"
)

// wantCode checks that AWS refuses with that code; "" is for a success.
func wantCode(t *testing.T, what string, err error, want string) {
	t.Helper()
	var refused smithy.APIError
	got := ""
	if errors.As(err, &refused) {
		got = refused.ErrorCode()
	}
	if got != want || (err == nil) != (want == "") {
		t.Errorf("%s: %v; want code %q", what, err, want)
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

package failure

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/smithy-go"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Is reports whether the API answered with one of these error codes.
func Is(err error, codes ...string) bool {
	answer, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains(codes, answer.ErrorCode())
}

// Said is what the API says of an error, without the request it was the answer to.
func Said(err error) string {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		return answer.ErrorMessage()
	}
	return err.Error()
}

// Wrap says what was being done, nil when it went well.
func Wrap(err error, action string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// Halves makes a call for all items. AWS refuses all for one of them that is not there: then the call is made for
// each half, and alone is told of each that is refused by itself.
func Halves[T any](items []T, blames func(error) bool, call func([]T) error, alone func(T, error)) error {
	err := call(items)
	switch {
	case !blames(err):
		return err
	case len(items) == 1:
		alone(items[0], err)
		return nil
	}
	half := (len(items) + 1) / 2
	if err := Halves(items[:half], blames, call, alone); err != nil {
		return err
	}
	return Halves(items[half:], blames, call, alone)
}

// IsGone reports whether what was asked for does not exist.
func IsGone(err error) bool { return Classify(err).Class == cloud.FailureNotFound }

// UnlessGone returns the error of what something was deleted with, nil where that is not there.
func UnlessGone(err error) error {
	if IsGone(err) {
		return nil
	}
	return err
}

// UnlessInUse is UnlessGone for what others use, such as a balancer that is being deleted: then it has to wait.
func UnlessInUse(err error) error {
	if Is(err, "DependencyViolation", "ResourceInUse") {
		return &cloud.Waiting{}
	}
	return UnlessGone(err)
}

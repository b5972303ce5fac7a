package failure

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/smithy-go"
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

// Ignore returns the error unless it has one of these codes.
func Ignore(err error, codes ...string) error {
	if Is(err, codes...) {
		return nil
	}
	return err
}

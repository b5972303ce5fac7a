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

// Ignore returns the error unless it has one of these codes.
func Ignore(err error, codes ...string) error {
	if Is(err, codes...) {
		return nil
	}
	return err
}

package aws

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/smithy-go"
)

// isCode reports whether the API answered with one of these error codes.
func isCode(err error, codes ...string) bool {
	answer, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains(codes, answer.ErrorCode())
}

// said is what the API says of an error, without the request it was the answer to.
func said(err error) string {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		return answer.ErrorMessage()
	}
	return err.Error()
}

// wrap says what was being done, nil when it went well.
func wrap(err error, action string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// errBlank is an answer that lacks what it is for.
var errBlank = errors.New("the API answered without the object")

// ignore returns the error unless it has one of these codes.
func ignore(err error, codes ...string) error {
	if isCode(err, codes...) {
		return nil
	}
	return err
}

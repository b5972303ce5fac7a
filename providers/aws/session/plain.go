package session

import (
	"context"
	"errors"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// plainError is an error of an API in its own words. The SDK adds the status and the id of the
// request: with it no two errors are alike, and events that say them are never aggregated.
type plainError struct{ error }

func (e plainError) Error() string {
	_, credentials := errors.AsType[*failure.CredentialError](e.error) // says what was asked for them
	if answer, ok := errors.AsType[smithy.APIError](e.error); ok && !credentials {
		return answer.ErrorCode() + ": " + answer.ErrorMessage()
	}
	return e.error.Error()
}

func (e plainError) Unwrap() error { return e.error }

// addPlainErrors makes the operations of a client return plainErrors.
func addPlainErrors(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("plainErrors", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if err != nil {
			err = plainError{err}
		}
		return out, metadata, err
	}), middleware.Before)
}

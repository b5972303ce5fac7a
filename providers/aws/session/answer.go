package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// headSize is how much of an answer is looked at: a declaration, white space and the name of the
// first element are less.
const headSize = 512

// answers makes sure that an answer is one of the API. The SDK takes any document, such as the page of a
// proxy where one has to log in, for a list of machines that is empty, and for a change by EC2 that is made.
type answers struct{ next http.RoundTripper }

// Checked returns the transport with answers that are the API's.
func Checked(next http.RoundTripper) http.RoundTripper { return answers{next} }

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	r, err := replayable(r)
	if err != nil {
		return nil, err
	}
	answer, err := a.next.RoundTrip(r)
	operation := awsmiddleware.GetOperationName(r.Context())
	// A GET is one for the credentials of that operation. Results of changes by other services are wrapped, so that the SDK misses them.
	checked := strings.HasPrefix(operation, "Describe") || awsmiddleware.GetServiceID(r.Context()) == ec2.ServiceID
	if err != nil || r.Method != http.MethodPost || answer.StatusCode != http.StatusOK || !checked {
		return answer, err
	}
	body := bufio.NewReaderSize(answer.Body, headSize)
	// A short answer ends before; whatever is wrong with it, the SDK finds out when it reads on.
	head, _ := body.Peek(headSize)
	if !bytes.Contains(head, []byte("<"+operation+"Response")) {
		answer.Body.Close()
		return nil, fmt.Errorf("%w: no %sResponse", cloud.ErrIncomplete, operation)
	}
	answer.Body = readCloser{body, answer.Body}
	return answer, nil
}

// replayable returns the request with a body that can be sent again. The SDK's can't, and breaks
// connections: it is closed as soon as the answer begins, and then says io.EOF where io.WriterTo
// says nil, so that net/http, if it has still to see the end, closes the connection.
func replayable(r *http.Request) (*http.Request, error) {
	if r.Body == nil {
		return r, nil
	}
	content, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	r = r.Clone(r.Context())
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	r.Body, _ = r.GetBody() // never fails
	return r, nil
}

// errorCode finds the code in the body of an error, in the forms of EC2 and of the others.
var errorCode = regexp.MustCompile(`<Code>([^<]+)</Code>`)

// Throttled recognises the answers with which AWS throttles: with status 400 or 503 and a code.
func Throttled(answer *http.Response) bool {
	if answer.StatusCode != http.StatusBadRequest && answer.StatusCode != http.StatusServiceUnavailable {
		return answer.StatusCode == http.StatusTooManyRequests
	}
	body := bufio.NewReaderSize(answer.Body, headSize)
	head, _ := body.Peek(headSize) // as below
	answer.Body = readCloser{body, answer.Body}
	code := errorCode.FindSubmatch(head)
	return code != nil && failure.Throttles(string(code[1]))
}

// readCloser is a body that can do nothing else.
type readCloser struct {
	io.Reader
	io.Closer
}

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

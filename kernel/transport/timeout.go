package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var errRequestTimeout = fmt.Errorf("no complete answer within %s: %w", cloud.RequestTimeout, context.DeadlineExceeded)

// timeout bounds a request until the last byte of its answer's body is read. It does by the
// context what http.Client.Timeout does, for SDKs that make their own client.
type timeout struct {
	next http.RoundTripper
}

func (t *timeout) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), cloud.RequestTimeout, errRequestTimeout)
	response, err := t.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		err = timeoutCause(ctx, err)
		cancel()
		return nil, err
	}
	response.Body = &timedBody{
		ReadCloser: response.Body,
		cause:      func(err error) error { return timeoutCause(ctx, err) },
		cancel:     cancel,
	}
	return response, nil
}

// timedBody ends the time limit when the body was read or closed.
type timedBody struct {
	io.ReadCloser
	cause  func(error) error
	cancel context.CancelFunc
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		err = b.cause(err)
		b.cancel()
	}
	return n, err
}

func (b *timedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// timeoutCause replaces an error that our own time limit made by one that says so; the
// transport has several texts for it.
func timeoutCause(ctx context.Context, err error) error {
	if !errors.Is(err, io.EOF) && errors.Is(context.Cause(ctx), errRequestTimeout) {
		return errRequestTimeout
	}
	return err
}

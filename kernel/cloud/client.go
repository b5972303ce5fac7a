package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// NewClient returns an HTTP client on the kernel's transport, or on what a driver puts before it. It
// follows no redirect: no API here redirects, and whoever it would be would get the credentials.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// WithToken returns a transport that puts a bearer token (RFC 6750, section 2.1) on every request. It
// reads the secret setting of that name for each, so that a new token counts at once. A token that cannot
// be read is a [TokenError].
func WithToken(next http.RoundTripper, name string, secret func(name string) (string, error)) http.RoundTripper {
	return &authorizer{next: next, name: name, secret: secret}
}

type authorizer struct {
	next   http.RoundTripper
	name   string
	secret func(name string) (string, error)
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := a.secret(a.name)
	if err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, &TokenError{Setting: a.name, Err: err}
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	return a.next.RoundTrip(request)
}

// TokenError says that a token could not be read. Its class is FailureUnauthorized.
type TokenError struct {
	Setting string
	Err     error
}

func (e *TokenError) Error() string { return fmt.Sprintf("reading %s: %v", e.Setting, e.Err) }

func (e *TokenError) Unwrap() error { return e.Err }

// A metadata service is one hop away, and its answers are small.
const (
	metadataTime = 5 * time.Second
	maxMetadata  = 64 << 10
)

// ReadMetadata reads a text of the metadata service of the machine this runs on, without the white space around it. No
// token is sent there.
func ReadMetadata(ctx context.Context, transport http.RoundTripper, url string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, metadataTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := NewClient(transport).Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		failure := Refusal(ClassOfStranger(answer.StatusCode), answer.Header)
		return "", &Error{Failure: failure, Op: "GET " + request.URL.Redacted(), Err: errors.New(answer.Status)}
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxMetadata))
	return strings.TrimSpace(string(text)), err
}

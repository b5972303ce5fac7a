// Package token gets the access tokens that requests to Google Cloud bear: from the metadata server, credentials or token-url.
package token

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// tokenMargin is how long a token has to be valid to be used: longer than a request takes.
const tokenMargin = time.Minute

// Transport puts the current token on every request. A token is kept until it expires, its
// credential changes or the API refuses it.
type Transport struct {
	next   http.RoundTripper
	source Source
	// turn is held by who looks at what is below. Its capacity is 1.
	turn  chan struct{}
	token *oauth2.Token
	from  string // the credential that the token was made from
}

// NewTransport returns a Transport that sends its requests with next.
func NewTransport(next http.RoundTripper, from Source) *Transport {
	return &Transport{next: next, source: from, turn: make(chan struct{}, 1)}
}

// RoundTrip implements http.RoundTripper.
func (a *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	token, err := a.current(ctx)
	if err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, &Error{err}
	}
	request = request.Clone(ctx)
	token.SetAuthHeader(request)
	answer, err := a.next.RoundTrip(request)
	if err == nil && answer.StatusCode == http.StatusUnauthorized {
		a.drop(ctx, token)
	}
	return answer, err
}

// current returns a token that is valid, and makes one when there is none. Others wait meanwhile,
// for as long as they want to.
func (a *Transport) current(ctx context.Context) (*oauth2.Token, error) {
	credential, err := a.source.credential()
	if err != nil {
		return nil, &credentialError{err}
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if a.token != nil && a.from == credential && (a.token.Expiry.IsZero() || time.Until(a.token.Expiry) > tokenMargin) {
		return a.token, nil
	}
	token, err := a.source.token(ctx, credential)
	if err != nil {
		return nil, err
	}
	a.token, a.from = token, credential
	return token, nil
}

// drop forgets a token that was refused.
func (a *Transport) drop(ctx context.Context, refused *oauth2.Token) {
	select {
	case a.turn <- struct{}{}:
		if a.token == refused {
			a.token = nil
		}
		<-a.turn
	case <-ctx.Done():
	}
}

// Error says that there is no token to ask the API with. Nothing is known of what was to be
// asked for.
type Error struct{ err error }

func (e *Error) Error() string { return fmt.Sprintf("getting an access token: %v", e.err) }

func (e *Error) Unwrap() error { return e.err }

// credentialError says that no token can be made from the credentials, whoever is asked.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }

func (e *credentialError) Unwrap() error { return e.err }

// ClassOf sorts what went wrong on the way to a token. Only bad credentials and a refusal in
// OAuth's form are about the credentials: anything else may be different the next time. It reports false for an error
// that is about something else, or that has a class already.
func ClassOf(err error) (class cloud.Class, ok bool) {
	_, onTheWay := errors.AsType[*Error](err)
	refusal, refused := errors.AsType[*statusError](err)
	if !onTheWay && !refused || cloud.FailureOf(err).Class != cloud.FailureUnknown {
		return "", false
	}
	if _, ok := errors.AsType[*credentialError](err); ok {
		return cloud.FailureUnauthorized, true
	}
	if refused {
		return refusal.class(), true
	}
	return cloud.FailureTransient, true
}

package gce

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

// authorizer puts the current token on every request. A token is kept until it expires, its
// credential changes or the API refuses it.
type authorizer struct {
	next   http.RoundTripper
	source source
	// turn is held by who looks at what is below. Its capacity is 1.
	turn  chan struct{}
	token *oauth2.Token
	from  string // the credential that the token was made from
}

func newAuthorizer(next http.RoundTripper, from source) *authorizer {
	return &authorizer{next: next, source: from, turn: make(chan struct{}, 1)}
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	token, err := a.current(ctx)
	if err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, &tokenError{err}
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
func (a *authorizer) current(ctx context.Context) (*oauth2.Token, error) {
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
func (a *authorizer) drop(ctx context.Context, refused *oauth2.Token) {
	select {
	case a.turn <- struct{}{}:
		if a.token == refused {
			a.token = nil
		}
		<-a.turn
	case <-ctx.Done():
	}
}

// tokenError says that there is no token to ask the API with. Nothing is known of what was to be
// asked for.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return fmt.Sprintf("getting an access token: %v", e.err) }

func (e *tokenError) Unwrap() error { return e.err }

// credentialError says that no token can be made from the credentials, whoever is asked.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }

func (e *credentialError) Unwrap() error { return e.err }

// classOfToken sorts what went wrong on the way to a token. Only bad credentials and a refusal in
// OAuth's form are about the credentials: anything else may be different the next time.
func classOfToken(err error) cloud.Class {
	if _, ok := errors.AsType[*credentialError](err); ok {
		return cloud.FailureUnauthorized
	}
	if refusal, ok := errors.AsType[*statusError](err); ok {
		return refusal.class()
	}
	return cloud.FailureTransient
}

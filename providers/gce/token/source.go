package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// scope is what tokens are asked for. Roles narrow it down.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Source is where tokens come from.
type Source interface {
	// Universe returns the domain of the universe that the tokens are valid in, "" for the default one.
	Universe(ctx context.Context) (string, error)
	// credential is what tokens are made from. It is another one after a rotation.
	credential() (string, error)
	// token makes a token.
	token(ctx context.Context, credential string) (*oauth2.Token, error)
}

// Machine is the service account of the machine this runs on.
type Machine struct{ Metadata Metadata }

// Universe implements Source. A metadata server that does not know of universes is in the default one, and one that
// cannot be asked says nothing about it.
func (m Machine) Universe(ctx context.Context) (string, error) {
	text, err := m.Metadata.Text(ctx, "universe/universe-domain")
	if refusal, ok := errors.AsType[*statusError](err); ok && refusal.status == http.StatusNotFound {
		return "", nil
	}
	return text, err
}

func (Machine) credential() (string, error) { return "", nil }

func (m Machine) token(ctx context.Context, _ string) (*oauth2.Token, error) {
	return m.Metadata.token(ctx)
}

// Document is credentials in JSON. Its Read is called for each request.
type Document struct {
	Read      func() (string, error)
	Transport http.RoundTripper
}

// Universe implements Source.
func (d Document) Universe(context.Context) (string, error) {
	credential, err := d.Read()
	if err != nil {
		return "", err
	}
	h, err := HeaderOf(credential)
	return h.Universe, err
}

func (d Document) credential() (string, error) { return d.Read() }

// kinds are the types of credentials in JSON.
var kinds = []google.CredentialsType{
	google.ServiceAccount, google.AuthorizedUser, google.ExternalAccount, google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount,
}

// Header is what all credentials in JSON have.
type Header struct {
	Type     string `json:"type"`
	Universe string `json:"universe_domain"`
}

// HeaderOf reads the type of credentials and where they are valid.
func HeaderOf(credential string) (Header, error) {
	var h Header
	if err := json.Unmarshal([]byte(credential), &h); err != nil {
		return h, errors.New("credentials: want JSON") // the error may quote them
	}
	for _, kind := range kinds {
		if h.Type == string(kind) {
			return h, nil
		}
	}
	return h, &cloud.Invalid{Field: "type of the credentials", Value: h.Type, Want: fmt.Sprintf("want one of %q", kinds)}
}

// token implements Source. The library's own requests have no context, so that the transport gives
// them one, and its errors have no classes, so that the transport remembers what went wrong.
func (d Document) token(ctx context.Context, credential string) (*oauth2.Token, error) {
	h, err := HeaderOf(credential)
	if err != nil {
		return nil, &credentialError{err}
	}
	sent := &recorder{ctx: ctx, next: d.Transport}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, sent.client())
	made, err := google.CredentialsFromJSONWithType(ctx, []byte(credential), google.CredentialsType(h.Type), scope)
	if err != nil {
		return nil, &credentialError{errors.New("credentials: want them as Google wrote them; a field is missing or malformed")}
	}
	token, err := made.TokenSource.Token()
	switch {
	case err == nil:
		return token, nil
	case sent.failed != nil:
		return nil, sent.failed
	case sent.status != http.StatusOK && sent.status != 0:
		return nil, &statusError{what: "the token endpoint " + sent.host, status: sent.status, oauth: sent.oauth}
	case sent.status == 0: // nothing was sent
		return nil, &credentialError{errors.New("credentials: want them as Google wrote them; no request for a token can be made from these")}
	default:
		return nil, fmt.Errorf("the answer of the token endpoint %s has no token: %w", sent.host, cloud.ErrIncomplete)
	}
}

// Alternate is token-url. It is asked with the machine's own token, as upstream does.
type Alternate struct {
	// Request returns the URL and the body of the configuration as it is now.
	Request func() (url, body string, err error)
	Machine Machine
}

// Universe implements Source.
func (a Alternate) Universe(ctx context.Context) (string, error) { return a.Machine.Universe(ctx) }

func (Alternate) credential() (string, error) { return "", nil }

func (a Alternate) token(ctx context.Context, _ string) (*oauth2.Token, error) {
	url, body, err := a.Request()
	if err != nil {
		return nil, &credentialError{err}
	}
	own, err := a.Machine.token(ctx, "")
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(asRequest(ctx), http.MethodPost, url, bytes.NewBufferString(body))
	if err != nil {
		return nil, &credentialError{errors.New("token-url cannot be asked")} // the error quotes it
	}
	own.SetAuthHeader(request)
	answer, err := a.Machine.Metadata.Transport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("asking token-url: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, &statusError{what: "token-url", status: answer.StatusCode, oauth: readOAuth(answer)}
	}
	var made struct {
		Token  string    `json:"accessToken"`
		Expiry time.Time `json:"expireTime"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil {
		return nil, fmt.Errorf("reading the answer of token-url: %w", err)
	}
	return tokenOf(made.Token, made.Expiry)
}

// recorder sends the requests for one token.
type recorder struct {
	ctx  context.Context //nolint:containedctx // of the request that needs the token
	next http.RoundTripper

	host   string
	status int
	oauth  oauthError
	failed error
}

func (t *recorder) client() *http.Client { return cloud.NewClient(t) }

// RoundTrip implements http.RoundTripper.
func (t *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(asRequest(t.ctx))
	t.host = request.URL.Host
	answer, err := t.next.RoundTrip(request)
	if err != nil {
		t.failed = fmt.Errorf("asking the token endpoint %s: %w", t.host, err)
		return nil, err
	}
	t.status, t.oauth = answer.StatusCode, oauthError{}
	if t.status >= http.StatusBadRequest {
		t.oauth = readOAuth(answer)
	}
	return answer, nil
}

type tokenKey struct{}

func asRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, tokenKey{}, true)
}

// IsRequest says whether a request is one for a token.
func IsRequest(ctx context.Context) bool { return ctx.Value(tokenKey{}) != nil }

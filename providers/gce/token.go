package gce

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

// source is where tokens come from.
type source interface {
	// credential is what tokens are made from. It is another one after a rotation.
	credential() (string, error)
	// token makes a token.
	token(ctx context.Context, credential string) (*oauth2.Token, error)
}

// machine is the service account of the machine this runs on.
type machine struct{ metadata metadata }

func (machine) credential() (string, error) { return "", nil }

func (m machine) token(ctx context.Context, _ string) (*oauth2.Token, error) {
	return m.metadata.token(ctx)
}

// document are credentials in JSON. Its read is called for each request.
type document struct {
	read      func() (string, error)
	transport http.RoundTripper
}

func (d document) credential() (string, error) { return d.read() }

// kinds are the types of credentials in JSON.
var kinds = []google.CredentialsType{
	google.ServiceAccount, google.AuthorizedUser, google.ExternalAccount, google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount,
}

// header is what all credentials in JSON have.
type header struct {
	Type     string `json:"type"`
	Universe string `json:"universe_domain"`
}

// headerOf reads the type of credentials and where they are valid.
func headerOf(credential string) (header, error) {
	var h header
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

// token implements source. The library's own requests have no context, so that the transport gives
// them one, and its errors have no classes, so that the transport remembers what went wrong.
func (d document) token(ctx context.Context, credential string) (*oauth2.Token, error) {
	h, err := headerOf(credential)
	if err != nil {
		return nil, &credentialError{err}
	}
	sent := &tokenTransport{ctx: ctx, next: d.transport}
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

// alternate is token-url. It is asked with the machine's own token, as upstream does.
type alternate struct {
	read    func() (config, error)
	machine machine
}

func (alternate) credential() (string, error) { return "", nil }

func (a alternate) token(ctx context.Context, _ string) (*oauth2.Token, error) {
	c, err := a.read()
	if err != nil {
		return nil, &credentialError{err}
	}
	own, err := a.machine.token(ctx, "")
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(asTokenRequest(ctx), http.MethodPost, c.tokenURL, bytes.NewBufferString(c.tokenBody))
	if err != nil {
		return nil, &credentialError{errors.New("token-url cannot be asked")} // the error quotes it
	}
	own.SetAuthHeader(request)
	answer, err := a.machine.metadata.transport.RoundTrip(request)
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

// tokenTransport sends the requests for one token.
type tokenTransport struct {
	ctx  context.Context //nolint:containedctx // of the request that needs the token
	next http.RoundTripper

	host   string
	status int
	oauth  oauthError
	failed error
}

func (t *tokenTransport) client() *http.Client { return cloud.NewClient(t) }

// RoundTrip implements http.RoundTripper.
func (t *tokenTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(asTokenRequest(t.ctx))
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

func asTokenRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, tokenKey{}, true)
}

// isTokenRequest says whether a request is one for a token.
func isTokenRequest(ctx context.Context) bool { return ctx.Value(tokenKey{}) != nil }

package token

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"golang.org/x/oauth2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// classOf is the class that the driver reports.
func classOf(err error) cloud.Class {
	if class, ok := ClassOf(err); ok {
		return class
	}
	return cloud.OtherFailure(err).Class
}

// fixed is a source whose tokens are numbered.
type fixed struct {
	life  time.Duration
	name  string
	made  int
	delay time.Duration
	err   error
}

func (*fixed) Universe(context.Context) (string, error) { return "", nil }

func (f *fixed) credential() (string, error) { return f.name, f.err }

func (f *fixed) token(ctx context.Context, _ string) (*oauth2.Token, error) {
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.made++
	return &oauth2.Token{AccessToken: fmt.Sprint(f.made), Expiry: time.Now().Add(f.life)}, nil
}

func TestTokensAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &fixed{life: time.Hour}
		used := ""
		a := NewTransport(transportFunc(func(r *http.Request) (*http.Response, error) {
			used = r.Header.Get("Authorization")
			return answer(http.StatusOK, ""), nil
		}), from)
		send := func(want string) {
			t.Helper()
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/", http.NoBody)
			if _, err := a.RoundTrip(r); err != nil || used != "Bearer "+want {
				t.Errorf("used %q, want %s: %v", used, want, err)
			}
		}
		send("1")
		time.Sleep(time.Hour - tokenMargin - time.Second)
		send("1")
		time.Sleep(2 * time.Second)
		send("2")
		from.name = "rotated"
		send("3")
		send("3")
	})
}

// Who waits for the token of somebody else leaves when its context ends, and the next one gets it.
func TestWaitingForAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := &fixed{life: time.Hour, delay: time.Minute}
		a := NewTransport(nil, from)
		go func() { _, _ = a.current(t.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.current(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if token, err := a.current(t.Context()); err != nil || token.AccessToken != "1" || from.made != 1 {
			t.Errorf("%v, %d made: %v", token, from.made, err)
		}
	})
}

func TestClassesOfTokens(t *testing.T) {
	for err, want := range map[error]cloud.Class{
		&statusError{status: http.StatusBadRequest, oauth: oauthError{Code: "invalid_grant"}}: cloud.FailureUnauthorized,
		&statusError{status: http.StatusBadRequest}:                                           cloud.FailureUnreadable,
		&statusError{status: http.StatusNotFound}:                                             cloud.FailureUnreadable,
		&statusError{status: http.StatusTooManyRequests}:                                      cloud.FailureThrottled,
		&statusError{status: http.StatusServiceUnavailable}:                                   cloud.FailureTransient,
		fmt.Errorf("asking: %w", context.DeadlineExceeded):                                    cloud.FailureTransient,
		fmt.Errorf("no token: %w", cloud.ErrIncomplete):                                       cloud.FailureTransient,
		errors.New("remote error: tls: handshake failure"):                                    cloud.FailureTransient,
		&credentialError{errors.New("no such file")}:                                          cloud.FailureUnauthorized,
		fmt.Errorf("x: %w", &cloud.Unreadable{Why: "large"}):                                  cloud.FailureUnreadable,
	} {
		if got := classOf(fmt.Errorf("Get: %w", &Error{err})); got != want {
			t.Errorf("%v: class %s, want %s", err, got, want)
		}
	}
}

// What is wrong with credentials is said without them.
func TestBadCredentials(t *testing.T) {
	next := transportFunc(func(*http.Request) (*http.Response, error) { return answer(http.StatusOK, `{}`), nil })
	for _, text := range []string{
		`hunter2`, `{"type": "hunter"}`, `{"type": "service_account", "private_key": "hunter2"}`, `{"type": "external_account", "audience": "hunter2"}`,
		`{"type": "authorized_user", "refresh_token": "hunter2"}`,
	} {
		_, err := Document{Transport: next}.token(t.Context(), text)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Something else behind the address of the metadata server is not believed.
func TestFalseMetadataServer(t *testing.T) {
	m := Metadata{Host: "metadata", Transport: transportFunc(func(*http.Request) (*http.Response, error) { return answer(http.StatusOK, "shop"), nil })}
	if text, err := m.Text(t.Context(), "project/project-id"); err == nil {
		t.Errorf("got %q", text)
	}
}

// A refusal is one of the credentials only in OAuth's form, and nothing else of an answer is shown.
func TestRefusalsOfTokenEndpoints(t *testing.T) {
	key := `{"type": "authorized_user", "client_id": "1", "client_secret": "s", "refresh_token": "r"}`
	for _, test := range []struct {
		status     int
		body, text string
		want       cloud.Class
	}{
		{http.StatusBadRequest, `{"error": "invalid_grant", "error_description": "Invalid\nJWT Signature.", "sub": "hunter2"}`, "400 Bad Request: invalid_grant: InvalidJWT Signature.", cloud.FailureUnauthorized},
		{http.StatusUnauthorized, `{"error": "invalid_client"}`, "invalid_client", cloud.FailureUnauthorized},
		{http.StatusForbidden, `{"error": {"code": 403, "message": "hunter2", "status": "PERMISSION_DENIED"}}`, "403 Forbidden: PERMISSION_DENIED", cloud.FailureUnauthorized},
		{http.StatusBadRequest, `{"error": "temporarily_unavailable"}`, "temporarily_unavailable", cloud.FailureTransient},
		{http.StatusForbidden, `<html>hunter2 of a proxy</html>`, "403", cloud.FailureUnreadable},
		{http.StatusForbidden, `{"reason": "hunter2"}`, "403", cloud.FailureUnreadable},
		{http.StatusNotFound, `{"error": "not_found"}`, "404", cloud.FailureUnreadable},
		{http.StatusProxyAuthRequired, ``, "407", cloud.FailureUnreadable},
		{http.StatusBadGateway, `{"error": "invalid_grant"}`, "502", cloud.FailureTransient},
		{http.StatusTooManyRequests, ``, "429", cloud.FailureThrottled},
		{http.StatusOK, `<html>hunter2 of a proxy</html>`, "no token", cloud.FailureTransient},
	} {
		next := transportFunc(func(*http.Request) (*http.Response, error) { return answer(test.status, test.body), nil })
		_, err := Document{Transport: next}.token(t.Context(), key)
		if err == nil || !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		} else if got := classOf(&Error{err}); got != test.want {
			t.Errorf("%d %s: class %s, want %s", test.status, test.body, got, test.want)
		}
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	text := oauthError{Code: "invalid_grant", Description: "\x1b[31m" + strings.Repeat("ä\u202e\n", 500)}.String()
	if n := utf8.RuneCountInString(text); n != maxOAuth || strings.ContainsAny(text, "\x1b\n\u202e") {
		t.Errorf("%d characters: %q", n, text)
	}
}

// What goes wrong on the way to a token endpoint says nothing of the credentials.
func TestNoTokenEndpoint(t *testing.T) {
	key := `{"type": "authorized_user", "client_id": "1", "client_secret": "s", "refresh_token": "r"}`
	for _, failure := range []error{
		x509.UnknownAuthorityError{}, &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}},
		errors.New("http2: server sent GOAWAY and closed the connection"), tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, io.ErrUnexpectedEOF,
	} {
		next := transportFunc(func(*http.Request) (*http.Response, error) { return nil, failure })
		a := NewTransport(next, Document{Read: func() (string, error) { return key, nil }, Transport: next})
		_, err := a.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/", http.NoBody))
		if got := classOf(err); got != cloud.FailureTransient {
			t.Errorf("%v: class %s", err, got)
		}
	}
}

func TestUnreadableCredentials(t *testing.T) {
	a := NewTransport(nil, Document{Read: func() (string, error) { return "", errors.New("no such file") }})
	_, err := a.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/", http.NoBody))
	if got := classOf(err); got != cloud.FailureUnauthorized {
		t.Errorf("%v: class %s", err, got)
	}
}

func TestProxyBeforeTheMetadataServer(t *testing.T) {
	proxy := &url.URL{Scheme: "http", Host: "proxy:3128"}
	for host, want := range map[string]bool{"169.254.169.254": true, "metadata.google.internal:80": true, "covered": false} {
		var warned []string
		Metadata{Host: host}.WarnOfProxy(func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != "http" || r.URL.Host == "covered" {
				return nil, nil
			}
			return proxy, nil
		}, func(text string) { warned = append(warned, text) })
		name, _, _ := strings.Cut(host, ":")
		if (len(warned) == 1) != want || want && (!strings.Contains(warned[0], "NO_PROXY") || !strings.HasSuffix(warned[0], name+" to NO_PROXY")) {
			t.Errorf("%s: warnings %q", host, warned)
		}
	}
}

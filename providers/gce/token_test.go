package gce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// fixed is a source whose tokens are numbered.
type fixed struct {
	life  time.Duration
	name  string
	made  int
	delay time.Duration
	err   error
}

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
		a := newAuthorizer(transportFunc(func(r *http.Request) (*http.Response, error) {
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
		a := newAuthorizer(nil, from)
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
		&statusError{status: http.StatusBadRequest}:          cloud.FailureUnauthorized,
		&statusError{status: http.StatusNotFound}:            cloud.FailureUnauthorized,
		&statusError{status: http.StatusTooManyRequests}:     cloud.FailureThrottled,
		&statusError{status: http.StatusServiceUnavailable}:  cloud.FailureTransient,
		fmt.Errorf("asking: %w", context.DeadlineExceeded):   cloud.FailureTransient,
		fmt.Errorf("no token: %w", errUnreadable):            cloud.FailureTransient,
		errors.New("no such file"):                           cloud.FailureUnauthorized,
		fmt.Errorf("x: %w", &cloud.Unreadable{Why: "large"}): cloud.FailureUnreadable,
	} {
		if got := (&Driver{}).Classify(fmt.Errorf("Get: %w", &tokenError{err})).Class; got != want {
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
		_, err := document{transport: next}.token(t.Context(), text)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEndpoint(t *testing.T) {
	universe := func(status int, text string) metadata {
		return metadata{host: "metadata", transport: transportFunc(func(*http.Request) (*http.Response, error) {
			a := answer(status, text)
			a.Header.Set("Metadata-Flavor", "Google")
			return a, nil
		})}
	}
	documentOf := func(text string) source {
		return document{read: func() (string, error) { return text, nil }}
	}
	for _, test := range []struct {
		from   source
		server metadata
		want   string
	}{
		{machine{}, universe(http.StatusOK, "googleapis.com\n"), "https://compute.googleapis.com/compute/v1/"},
		{machine{}, universe(http.StatusNotFound, "no"), "https://compute.googleapis.com/compute/v1/"},
		{machine{}, universe(http.StatusOK, "apis.example.com"), "https://compute.apis.example.com/compute/v1/"},
		{machine{}, universe(http.StatusOK, "evil.example/path"), ""},
		{machine{}, universe(http.StatusServiceUnavailable, ""), ""},
		{documentOf(`{"type": "service_account"}`), metadata{}, "https://compute.googleapis.com/compute/v1/"},
		{documentOf(`{"type": "service_account", "universe_domain": "apis.example.com"}`), metadata{}, "https://compute.apis.example.com/compute/v1/"},
	} {
		got, err := endpoint(t.Context(), test.from, test.server)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q, want %q: %v", got, test.want, err)
		}
	}
}

// Something else behind the address of the metadata server is not believed.
func TestFalseMetadataServer(t *testing.T) {
	m := metadata{host: "metadata", transport: transportFunc(func(*http.Request) (*http.Response, error) { return answer(http.StatusOK, "shop"), nil })}
	if text, err := m.text(t.Context(), "project/project-id"); err == nil {
		t.Errorf("got %q", text)
	}
}

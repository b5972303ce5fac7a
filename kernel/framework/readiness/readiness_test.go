package readiness

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	controllermanagerapp "k8s.io/controller-manager/app"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
)

// readyPath is answered by upstream's own chain of handlers, and no other path changes.
func TestReadyz(t *testing.T) {
	r, errs, who := &Readiness{}, frameworktest.Logged(t), user.Anonymous
	authentication := server.AuthenticationInfo{Authenticator: authenticator.RequestFunc(func(*http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: who}}, true, nil
	})}
	authorization := server.AuthorizationInfo{Authorizer: authorizer.AuthorizerFunc(func(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if sets.New(livePath).Has(a.GetPath()) {
			return authorizer.DecisionAllow, "", nil
		}
		return authorizer.DecisionDeny, "", nil
	})}
	r.Serve(&authentication, &authorization)
	mux := http.NewServeMux()
	mux.HandleFunc(livePath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	chain := controllermanagerapp.BuildHandlerChain(mux, &authorization, &authentication)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		chain.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	check := func(when, path string, code int, has string) {
		t.Helper()
		if got, body := get(path); got != code || !strings.Contains(body, has) {
			t.Errorf("%s: %s answers %d %q, want %d %q", when, path, got, body, code, has)
		}
	}
	check("at first", readyPath, http.StatusForbidden, "not ready; the log says why")
	check("at first", livePath, http.StatusOK, "ok")
	check("at first", "/metrics", http.StatusForbidden, "")
	why := "the cloud refuses the credentials"
	r.why.Store(&why)
	check("refused", readyPath, http.StatusForbidden, "not ready; the log says why")
	if _, body := get(readyPath); strings.Contains(body, why) {
		t.Errorf("everybody is told why: %q", body)
	}
	who = "admin"
	check("refused", readyPath, http.StatusForbidden, why)
	r.accepted.Store(true)
	check("accepted", readyPath, http.StatusOK, "ok")
	check("accepted", "/metrics", http.StatusForbidden, "")
	if all := errs.Take(); len(all) > 0 {
		t.Errorf("logged as errors: %q", all)
	}
}

// It asks until it is answered, less and less often, and never again after that.
func TestReadinessAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		r := &Readiness{ask: func(context.Context) error {
			if asked.Add(1) < 10 {
				return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "identity", Err: errors.New("no")}
			}
			return nil
		}}
		go r.Run(t.Context())
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if err := r.state(); asked.Load() != 8 || err == nil || !strings.Contains(err.Error(), "renew them") {
			t.Errorf("asked %d times in two minutes: %v", asked.Load(), err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := r.state(); asked.Load() != 10 || err != nil {
			t.Errorf("asked %d times: %v", asked.Load(), err)
		}
	})
}

// Where there are no credentials nobody is said to have accepted any.
func TestReadyWithoutAPI(t *testing.T) {
	for offline, want := range map[bool]string{true: "there are no credentials", false: "accepts the credentials"} {
		if got := New(nil, nil, offline).accepts(); !strings.Contains(got, want) {
			t.Errorf("offline %t: %q", offline, got)
		}
	}
}

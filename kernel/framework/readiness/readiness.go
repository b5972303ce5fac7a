// Package readiness says on /readyz whether the cloud has accepted the credentials.
package readiness

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// The paths of the probes. Upstream serves the first.
const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

// How long readiness waits after credentials that were not accepted: at first, and at most.
const (
	readyRetryFirst = time.Second
	readyRetryLast  = 30 * time.Second
)

// Readiness knows whether the cloud has accepted the credentials once. A replica that was
// rolled out with wrong ones is not ready, so that the rollout stops, and alive, because a restart
// would not help. Afterwards it stays ready, whatever becomes of the cloud.
type Readiness struct {
	accepted atomic.Bool
	// why is what the cloud said last; nil before it was asked.
	why atomic.Pointer[string]
	ask func(context.Context) error
	// offline says that there is neither an API nor credentials.
	offline bool
}

// New returns the readiness of a process with this account and its machines. Where it is offline nobody has to accept anything.
func New(account cloud.Account, machines cloud.Instances, offline bool) *Readiness {
	return &Readiness{ask: func(ctx context.Context) error { return acceptance(ctx, account, machines) }, offline: offline}
}

// acceptance returns nil when the cloud accepts the credentials. Those that may not ask for their
// account are good if they may list machines.
func acceptance(ctx context.Context, account cloud.Account, machines cloud.Instances) error {
	ctx = cloud.WithPriority(ctx, cloud.PriorityNodeInit)
	_, err := account.Identity(ctx)
	if !cloud.IsClass(err, cloud.FailureUnauthorized) {
		return err
	}
	if _, listErr := machines.List(ctx); listErr == nil {
		return nil
	}
	return err
}

// Run asks until the credentials are accepted, or ctx ends.
func (r *Readiness) Run(ctx context.Context) {
	for wait := readyRetryFirst; ; wait = min(2*wait, readyRetryLast) {
		err := r.ask(ctx)
		if err == nil {
			r.accepted.Store(true)
			klog.InfoS(r.accepts())
			return
		}
		if ctx.Err() != nil {
			return
		}
		text := event.Explained(err)
		r.why.Store(&text)
		klog.ErrorS(err, "The cloud has not accepted the credentials yet", "retryAfter", wait)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// accepts is what the log says once this process is ready.
func (r *Readiness) accepts() string {
	if r.offline {
		return "Ready: there is no API, and there are no credentials"
	}
	return "The cloud accepts the credentials"
}

func (r *Readiness) state() error {
	if r.accepted.Load() {
		return nil
	}
	if why := r.why.Load(); why != nil {
		return errors.New(*why)
	}
	return errors.New("the cloud has not been asked yet")
}

// Serve makes upstream's server answer readyPath, which it does not know: who asks for it passes
// the authorizer when this process is ready, and is then answered as for livePath.
//
//	this process  answer
//	is ready      that of livePath
//	is not        403; why it is not is for those who have authenticated, and for the log
func (r *Readiness) Serve(authentication *server.AuthenticationInfo, authorization *server.AuthorizationInfo) {
	if authentication.Authenticator == nil || authorization.Authorizer == nil {
		return
	}
	authentication.Authenticator = &readyAuthenticator{authentication.Authenticator}
	authorization.Authorizer = &readyAuthorizer{authorization.Authorizer, r}
}

// readyAuthenticator leads readyPath to the handler of livePath. The request's attributes, which
// the authorizer sees, were read before.
type readyAuthenticator struct{ next authenticator.Request }

func (a *readyAuthenticator) AuthenticateRequest(request *http.Request) (*authenticator.Response, bool, error) {
	if request.URL.Path == readyPath {
		request.URL.Path = livePath
	}
	return a.next.AuthenticateRequest(request)
}

func anonymous(who user.Info) bool {
	return who == nil || who.GetName() == user.Anonymous || slices.Contains(who.GetGroups(), user.AllUnauthenticated)
}

type readyAuthorizer struct {
	authorizer.Authorizer
	ready *Readiness
}

func (a *readyAuthorizer) Authorize(ctx context.Context, attributes authorizer.Attributes) (authorizer.Decision, string, error) {
	if attributes.IsResourceRequest() || attributes.GetPath() != readyPath {
		return a.Authorizer.Authorize(ctx, attributes)
	}
	// An error in the place of a reason would be logged for each probe.
	switch err := a.ready.state(); {
	case err == nil:
		return authorizer.DecisionAllow, "", nil
	case anonymous(attributes.GetUser()):
		return authorizer.DecisionDeny, "not ready; the log says why", nil
	default:
		return authorizer.DecisionDeny, "not ready: " + err.Error(), nil
	}
}

// Package leader is about the lease: who holds it, how it is given back, and whether a process that has just got it knows the
// cluster as it is.
package leader

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	typedcoordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// Lease is the leader's lease. Upstream's election never gives it back, so that a standby
// would wait until it expires, and would take it again if somebody else did.
type Lease struct {
	client typedcoordinationv1.LeaseInterface
	name   string
	host   string
	// holder is this process's identity, "" as long as it has not led.
	holder atomic.Pointer[string]
	sealed atomic.Bool
}

// New returns the lease of that name, as this host sees it.
func New(client typedcoordinationv1.LeaseInterface, name string) (*Lease, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("reading the host name: %w", err)
	}
	return &Lease{client: client, name: name, host: host}, nil
}

// Learn reads who holds the lease. It is called right after this process was elected, the
// one moment when that is certainly this process; upstream keeps the identity to itself.
func (l *Lease) Learn(ctx context.Context) error {
	lease, err := l.client.Get(ctx, l.name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("reading lease %s: %w", l.name, err)
	}
	holder := ptr.Deref(lease.Spec.HolderIdentity, "")
	if !strings.HasPrefix(holder, l.host+"_") {
		return fmt.Errorf("lease %s is held by %q, which is not a process of host %s", l.name, holder, l.host)
	}
	l.holder.Store(&holder)
	return nil
}

// KeepLearning tries until it is known who we are. Without knowing it the lease would just
// not be released.
func (l *Lease) KeepLearning(ctx context.Context) {
	_ = wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		err := l.Learn(ctx)
		if err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "Cannot learn the lease holder, trying again")
		}
		return err == nil, nil
	})
}

// Release gives the lease back if this process holds it, so that a standby takes over at
// its next look. Afterwards this process cannot take it again.
func (l *Lease) Release(ctx context.Context) error {
	l.sealed.Store(true)
	holder := l.holder.Load()
	if holder == nil {
		return nil
	}
	for {
		lease, err := l.client.Get(ctx, l.name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("reading lease %s: %w", l.name, err)
		}
		if ptr.Deref(lease.Spec.HolderIdentity, "") != *holder {
			return nil
		}
		_, err = l.client.Update(ctx, released(lease), metav1.UpdateOptions{})
		// A renewal may have been under way.
		if apierrors.IsConflict(err) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return fmt.Errorf("releasing lease %s: %w", l.name, err)
		}
		return nil
	}
}

// released is the lease as client-go leaves it when it is told to release on cancel.
func released(lease *coordinationv1.Lease) *coordinationv1.Lease {
	now := metav1.NowMicro()
	lease = lease.DeepCopy()
	lease.Spec.HolderIdentity = ptr.To("")
	lease.Spec.LeaseDurationSeconds = ptr.To[int32](1)
	lease.Spec.RenewTime, lease.Spec.AcquireTime = &now, &now
	return lease
}

var errReleased = errors.New("the lease was released")

// Guard keeps upstream's election, which cannot be stopped, from writing the lease again
// after its release.
func (l *Lease) Guard(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		write := r.Method != http.MethodGet && strings.Contains(r.URL.Path, "/leases")
		if write && l.sealed.Load() {
			if r.Body != nil {
				r.Body.Close()
			}
			return nil, errReleased
		}
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

package leader

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcoordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Store keeps the record of a brake in an annotation of the leader's lease, where the
// next leader finds it. The lease is used without an election too. Every write carries the
// version that was read: neither the election nor a second process can overwrite a record
// that it has not seen, and the election, which does the same, keeps the annotations.
type Store struct {
	Client     typedcoordinationv1.LeaseInterface
	Namespace  string
	Name       string
	Annotation string
	Events     event.Recorder
	// Now is the API server's time, zero when it is not known.
	Now func() time.Time
}

var _ safety.Store = (*Store)(nil)

// Update implements [safety.Store].
func (s *Store) Update(ctx context.Context, change func(safety.Stored) (string, error)) error {
	for {
		err := s.try(ctx, change)
		// A renewal of the lease, or another process, came in between.
		if (apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)) && ctx.Err() == nil {
			continue
		}
		return err
	}
}

func (s *Store) try(ctx context.Context, change func(safety.Stored) (string, error)) error {
	lease, err := s.Client.Get(ctx, s.Name, metav1.GetOptions{})
	absent := apierrors.IsNotFound(err)
	if absent {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}}
	} else if err != nil {
		return fmt.Errorf("reading lease %s/%s: %w", s.Namespace, s.Name, err)
	}
	before := lease.Annotations[s.Annotation]
	record, err := change(safety.Stored{
		Record:     before,
		ReleasedBy: lease.Annotations[safety.AnnotationReleasedBy],
		ReleasedAt: lease.Annotations[safety.AnnotationReleasedAt],
		Now:        s.Now(),
	})
	if err != nil || record == before {
		return err
	}
	lease = lease.DeepCopy()
	if record == "" {
		delete(lease.Annotations, s.Annotation)
	} else {
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, s.Annotation, record)
	}
	if absent {
		_, err = s.Client.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		_, err = s.Client.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing to lease %s/%s: %w", s.Namespace, s.Name, err)
	}
	return nil
}

// Released tells who released the brake, or why a release is none.
func (s *Store) Released(r safety.Release) {
	if r.Err != nil {
		s.tell(event.BrakeReleaseInvalid, r.Err.Error())
		return
	}
	klog.InfoS("The deletion brake was released", "record", s.Annotation, "by", r.By, "at", r.At, "missing", r.Keys)
	s.tell(event.BrakeReleased, fmt.Sprintf("released by %s at %s: deletions before that are not counted any more, and %d Nodes that were not Ready then, and whose machines are missing, may be deleted",
		r.By, r.At, r.Keys))
}

// ReleasedRoutes tells how many routes a release lets go. A leader knows only of those that it held
// back itself.
func (s *Store) ReleasedRoutes(r safety.Release, routes int) {
	klog.InfoS("The route brake was released", "record", s.Annotation, "by", r.By, "at", r.At, "routes", routes)
	message := fmt.Sprintf("released by %s at %s: %d routes that were held back then may be deleted", r.By, r.At, routes)
	if routes == 0 {
		message += "; this leader had held none back by then: if it holds routes back now, release again"
	}
	s.tell(event.BrakeReleased, message)
}

func (s *Store) tell(reason event.Reason, message string) {
	s.Events.Record(event.Object{Kind: "Lease", Namespace: s.Namespace, Name: s.Name}, reason, message)
}

// Clock knows the API server's time from its answers.
type Clock struct {
	next http.RoundTripper
	// ahead is how much it is ahead of ours.
	ahead atomic.Pointer[time.Duration]
}

// Wrap is for the client whose answers are read.
func (c *Clock) Wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

// RoundTrip implements [http.RoundTripper].
func (c *Clock) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err == nil {
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			c.ahead.Store(new(time.Until(at)))
		}
	}
	return response, err
}

// Now is the API server's time, zero before it has answered.
func (c *Clock) Now() time.Time {
	if ahead := c.ahead.Load(); ahead != nil {
		return time.Now().Add(*ahead)
	}
	return time.Time{}
}

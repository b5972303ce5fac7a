package framework

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

// leaseStore keeps the record of a brake in an annotation of the leader's lease, where the
// next leader finds it. The lease is used without an election too. Every write carries the
// version that was read: neither the election nor a second process can overwrite a record
// that it has not seen, and the election, which does the same, keeps the annotations.
type leaseStore struct {
	client     typedcoordinationv1.LeaseInterface
	namespace  string
	name       string
	annotation string
	events     event.Recorder
	// now is the API server's time, zero when it is not known.
	now func() time.Time
}

var _ safety.Store = (*leaseStore)(nil)

func (s *leaseStore) Update(ctx context.Context, change func(safety.Stored) (string, error)) error {
	for {
		err := s.try(ctx, change)
		// A renewal of the lease, or another process, came in between.
		if (apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)) && ctx.Err() == nil {
			continue
		}
		return err
	}
}

func (s *leaseStore) try(ctx context.Context, change func(safety.Stored) (string, error)) error {
	lease, err := s.client.Get(ctx, s.name, metav1.GetOptions{})
	absent := apierrors.IsNotFound(err)
	if absent {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: s.name}}
	} else if err != nil {
		return fmt.Errorf("reading lease %s/%s: %w", s.namespace, s.name, err)
	}
	before := lease.Annotations[s.annotation]
	record, err := change(safety.Stored{
		Record:     before,
		ReleasedBy: lease.Annotations[safety.AnnotationReleasedBy],
		ReleasedAt: lease.Annotations[safety.AnnotationReleasedAt],
		Now:        s.now(),
	})
	if err != nil || record == before {
		return err
	}
	lease = lease.DeepCopy()
	if record == "" {
		delete(lease.Annotations, s.annotation)
	} else {
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, s.annotation, record)
	}
	if absent {
		_, err = s.client.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		_, err = s.client.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing to lease %s/%s: %w", s.namespace, s.name, err)
	}
	return nil
}

// keepRecords gives both brakes a store on the lease.
func (c *Cloud) keepRecords(client typedcoordinationv1.LeaseInterface, namespace, name string, now func() time.Time) {
	store := func(annotation string) *leaseStore {
		return &leaseStore{client: client, namespace: namespace, name: name, annotation: annotation + c.cloud.Name, events: c.recorder, now: now}
	}
	nodes := store(safety.AnnotationNodes)
	c.brake.Keep(nodes)
	c.routeRecords = store(safety.AnnotationRoutes)
	c.routeBrake.Keep(c.routeRecords)
	c.inventory.OnRelease(nodes.released)
}

// serverClock knows the API server's time from its answers.
type serverClock struct {
	next http.RoundTripper
	// ahead is how much it is ahead of ours.
	ahead atomic.Pointer[time.Duration]
}

func (c *serverClock) wrap(next http.RoundTripper) http.RoundTripper {
	c.next = next
	return c
}

func (c *serverClock) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err == nil {
		if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			c.ahead.Store(new(time.Until(at)))
		}
	}
	return response, err
}

func (c *serverClock) now() time.Time {
	if ahead := c.ahead.Load(); ahead != nil {
		return time.Now().Add(*ahead)
	}
	return time.Time{}
}

// released tells who released the brake, or why a release is none.
func (s *leaseStore) released(r safety.Release) {
	if r.Err != nil {
		s.tell(event.BrakeReleaseInvalid, r.Err.Error())
		return
	}
	klog.InfoS("The deletion brake was released", "record", s.annotation, "by", r.By, "at", r.At, "missing", r.Keys)
	s.tell(event.BrakeReleased, fmt.Sprintf("released by %s at %s: deletions before that are not counted any more, and %d Nodes that were not Ready then, and whose machines are missing, may be deleted",
		r.By, r.At, r.Keys))
}

// releasedRoutes tells how many routes a release lets go. A leader knows only of those that it held
// back itself.
func (s *leaseStore) releasedRoutes(r safety.Release, routes int) {
	klog.InfoS("The route brake was released", "record", s.annotation, "by", r.By, "at", r.At, "routes", routes)
	message := fmt.Sprintf("released by %s at %s: %d routes that were held back then may be deleted", r.By, r.At, routes)
	if routes == 0 {
		message += "; this leader had held none back by then: if it holds routes back now, release again"
	}
	s.tell(event.BrakeReleased, message)
}

func (s *leaseStore) tell(reason event.Reason, message string) {
	s.events.Record(event.Object{Kind: "Lease", Namespace: s.namespace, Name: s.name}, reason, message)
}

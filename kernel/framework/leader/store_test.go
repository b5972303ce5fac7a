package leader

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// told are the events of a store.
type told struct{ lines []string }

func (r *told) Record(o event.Object, reason event.Reason, message string) {
	r.lines = append(r.lines, o.Kind+" "+o.Namespace+"/"+o.Name+" "+reason.Name+": "+message)
}

// strict makes a fake server refuse updates of versions that are not the newest, as a real one
// does.
func strict(server *fake.Clientset) {
	version := 1
	server.PrependReactor("update", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
		lease := a.(clienttesting.UpdateAction).GetObject().(*coordinationv1.Lease)
		if lease.ResourceVersion != "" && lease.ResourceVersion != fmt.Sprint(version) {
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), lease.Name, errors.New("changed"))
		}
		version++
		lease.ResourceVersion = fmt.Sprint(version)
		return false, nil, nil
	})
}

func brakeOn(server *fake.Clientset, events event.Recorder) (*safety.Brake, *Store) {
	store := &Store{
		Client: server.CoordinationV1().Leases("kube-system"), Namespace: "kube-system", Name: "ccm",
		Annotation: safety.AnnotationNodes + "sim", Events: events,
		Now: func() time.Time { return time.Time{} },
	}
	brake := safety.NewBrake(safety.BrakeOptions{})
	brake.Keep(store)
	brake.Watch(nil, store.Released)
	return brake, store
}

func leaseOf(t *testing.T, server *fake.Clientset) *coordinationv1.Lease {
	t.Helper()
	lease, err := server.CoordinationV1().Leases("kube-system").Get(t.Context(), "ccm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// The election and the brakes of two processes write the same object; nobody's part is lost.
func TestLeaseStoreBesideTheElection(t *testing.T) {
	_, server := leased(t, "here_1")
	lease := leaseOf(t, server)
	lease.ResourceVersion = "1"
	if err := server.Tracker().Update(coordinationv1.SchemeGroupVersion.WithResource("leases"), lease, "kube-system"); err != nil {
		t.Fatal(err)
	}
	strict(server)
	election := &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccm"}, Client: server.CoordinationV1()}
	renew := func() error {
		record, _, err := election.Get(t.Context())
		if err != nil {
			return err
		}
		record.RenewTime = metav1.Now()
		return election.Update(t.Context(), *record)
	}
	one, _ := brakeOn(server, &told{})
	two, _ := brakeOn(server, &told{})
	for n := range 5 {
		// The election has read the lease, the brake writes, the election writes what it read.
		record, _, err := election.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		brake := []*safety.Brake{one, two}[n%2]
		if allowed, err := brake.Allow(t.Context(), 20, fmt.Sprint("uid-", n)); len(allowed) != 1 {
			t.Fatalf("deletion %d: %v", n, err)
		}
		if err := election.Update(t.Context(), *record); !apierrors.IsConflict(err) {
			t.Fatalf("the election wrote over the record: %v", err)
		}
		if err := renew(); err != nil {
			t.Fatal(err)
		}
	}
	for _, brake := range []*safety.Brake{one, two} {
		if allowed, err := brake.Allow(t.Context(), 20, "one more"); len(allowed) != 0 || err == nil {
			t.Error("the two processes have more than one window")
		}
	}
	if got := leaseOf(t, server); *got.Spec.HolderIdentity != "here_1" || *got.Spec.LeaseTransitions != 3 {
		t.Errorf("the brake changed the election: %+v", got.Spec)
	}
}

// A renewal between reading and writing makes a conflict, after which it is done again.
func TestLeaseStoreConflict(t *testing.T) {
	_, server := leased(t, "here_1")
	conflicts := 3
	server.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		if conflicts--; conflicts >= 0 {
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), "ccm", errors.New("changed"))
		}
		return false, nil, nil
	})
	brake, _ := brakeOn(server, &told{})
	if allowed, err := brake.Allow(t.Context(), 20, "a"); len(allowed) != 1 {
		t.Error(err)
	}
}

// Without an election there is no lease yet.
func TestLeaseStoreCreates(t *testing.T) {
	server := fake.NewClientset()
	brake, _ := brakeOn(server, &told{})
	if err := brake.Check(t.Context(), 20, "a"); err != nil || len(server.Actions()) != 1 {
		t.Fatalf("reading: %v, %v", err, server.Actions())
	}
	if allowed, err := brake.Allow(t.Context(), 20, "a", "b"); len(allowed) != 2 {
		t.Fatal(err)
	}
	if leaseOf(t, server).Annotations[safety.AnnotationNodes+"sim"] == "" {
		t.Error("nothing was written")
	}
	server.ClearActions()
	if _, err := brake.Allow(t.Context(), 20, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(server.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() != "get" }) {
		t.Errorf("the same again is written again: %v", server.Actions())
	}
}

func TestLeaseStoreUnavailable(t *testing.T) {
	_, server := leased(t, "here_1")
	server.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("etcd")
	})
	brake, _ := brakeOn(server, &told{})
	allowed, err := brake.Allow(t.Context(), 20, "a")
	if _, ok := errors.AsType[*safety.StoreError](err); !ok || len(allowed) > 0 || !brake.Engaged() {
		t.Errorf("Allow() = %v, %v", allowed, err)
	}
}

// A release by hand: it is told who gave it, and what was wrong with one.
func TestLeaseStoreRelease(t *testing.T) {
	_, server := leased(t, "here_1")
	events := &told{}
	brake, _ := brakeOn(server, events)
	turn := 0
	fill := func() (allowed []string) {
		turn++
		for n := range 8 {
			got, _ := brake.Allow(t.Context(), 20, fmt.Sprint(turn, " ", n))
			allowed = append(allowed, got...)
		}
		return allowed
	}
	annotate := func(at string) {
		lease := leaseOf(t, server).DeepCopy()
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, safety.AnnotationReleasedAt, at)
		metav1.SetMetaDataAnnotation(&lease.ObjectMeta, safety.AnnotationReleasedBy, "jane")
		if _, err := server.CoordinationV1().Leases("kube-system").Update(context.Background(), lease, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fill(); len(got) != 5 {
		t.Fatalf("%d of 20 allowed", len(got))
	}
	annotate("today")
	if got := fill(); len(got) != 0 || len(events.lines) != 1 || !strings.Contains(events.lines[0], "DeletionBrakeReleaseInvalid") {
		t.Errorf("%d released by a time that is none: %v", len(got), events.lines)
	}
	annotate(time.Now().Add(time.Second).UTC().Format(time.RFC3339))
	if got := fill(); len(got) != 5 || len(events.lines) != 2 || !strings.Contains(events.lines[1], "Lease kube-system/ccm DeletionBrakeReleased: released by jane") {
		t.Errorf("%d after the release: %v", len(got), events.lines)
	}
}

// The API server's time is that of its last answer that says one.
func TestServerClock(t *testing.T) {
	clock := &Clock{}
	header := http.Header{}
	answers := clock.Wrap(roundTripper(func(*http.Request) (*http.Response, error) { return &http.Response{Header: header}, nil }))
	ask := func() time.Time {
		t.Helper()
		if _, err := answers.RoundTrip(nil); err != nil {
			t.Fatal(err)
		}
		return clock.Now()
	}
	if got := ask(); !got.IsZero() {
		t.Errorf("without a time: %v", got)
	}
	header.Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
	if got := ask(); time.Since(got).Round(time.Minute) != time.Hour {
		t.Errorf("an hour behind: %v", got)
	}
	header.Set("Date", "nonsense")
	if got := ask(); time.Since(got).Round(time.Minute) != time.Hour {
		t.Errorf("after nonsense: %v", got)
	}
}

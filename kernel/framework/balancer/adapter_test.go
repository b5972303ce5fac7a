package balancer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

func adapter(m Manager, s *fakeServices) *Adapter {
	a := New(Options{
		Manager: m, Services: s, Nodes: func() []*corev1.Node { return nil }, Drain: drain.New(), Events: &fakeRecorder{}, Workers: 1,
	})
	a.record = func(context.Context, *corev1.Service, map[string]string) error { return nil }
	return a
}

// fakeRecorder keeps the reasons of events.
type fakeRecorder struct{ log }

func (r *fakeRecorder) Record(_ event.Object, reason event.Reason, _ string) { r.Add(reason.Name) }

var (
	busy    = &loadbalancer.Pending{After: 3 * time.Second, Reason: "waiting"}
	limited = &loadbalancer.Pending{After: 9 * time.Second, Reason: "limited", Err: errors.New("429")}
)

func TestEnsure(t *testing.T) {
	status := &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}
	present := service("web", func(s *corev1.Service) {
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.9"}}
	})
	tests := []struct {
		name  string
		f     fakeBalancers
		want  *corev1.LoadBalancerStatus
		fails bool
		// watched says that the controller has nothing left to do: it logs other errors, and says them in events.
		watched bool
		quiet   bool
		said    []string
	}{
		{"done", fakeBalancers{outcome: loadbalancer.Outcome{Status: status}}, status, false, false, false, nil},
		{"left alone", fakeBalancers{}, &present.Status.LoadBalancer, false, false, false, nil},
		{"busy", fakeBalancers{err: busy}, nil, true, true, true, nil},
		{"rate limit", fakeBalancers{err: limited}, nil, true, true, false, []string{"CloudFailure"}},
		{"failed", fakeBalancers{err: errors.New("no")}, nil, true, false, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := adapter(&tt.f, &fakeServices{})
			events := &fakeRecorder{}
			l.watch.events = events
			got, err := l.EnsureLoadBalancer(context.Background(), "", present, nil)
			if (err != nil) != tt.fails {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if _, retried := errors.AsType[*api.RetryError](err); (err == cloudprovider.ImplementedElsewhere) != tt.watched || retried { //nolint:errorlint // the controller compares so
				t.Errorf("error %v, want one that the controller takes for an answer: %t", err, tt.watched)
			}
			if diff := cmp.Diff(tt.said, events.Take()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			event := &corev1.Event{Reason: "SyncLoadBalancerFailed", InvolvedObject: corev1.ObjectReference{UID: present.UID}}
			if quiet := l.pending.quiet(event); quiet != tt.quiet {
				t.Errorf("event suppressed: %v", quiet)
			}
		})
	}
}

// What is certain is written on the Service also when something else failed.
func TestFailedEnsureIsRecorded(t *testing.T) {
	failed := errors.New("no")
	l := adapter(&fakeBalancers{err: failed, outcome: loadbalancer.Outcome{Record: map[string]string{"id": "7"}}}, &fakeServices{})
	var written map[string]string
	l.record = func(_ context.Context, _ *corev1.Service, annotations map[string]string) error {
		written = annotations
		return errors.New("the API server is away")
	}
	if _, err := l.EnsureLoadBalancer(t.Context(), "", service("web"), nil); !errors.Is(err, failed) {
		t.Errorf("error %v, want that of the cloud", err)
	}
	if written["id"] != "7" {
		t.Errorf("written %v", written)
	}
}

func TestPendingDeletionIsLookedAtSoon(t *testing.T) {
	tests := []struct {
		name    string
		err     error
		current *corev1.Service
		want    []string
	}{
		{"pending", busy, service("web"), []string{"queue web"}},
		{"pending, gone", busy, nil, nil},
		{"failed", errors.New("no"), service("web"), nil},
		{"deleted", nil, service("web"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				services := &fakeServices{current: tt.current}
				err := adapter(&fakeBalancers{err: tt.err}, services).EnsureLoadBalancerDeleted(t.Context(), "", service("web"))
				if (err != nil) != (tt.err != nil) {
					t.Errorf("error %v", err)
				}
				time.Sleep(busy.After)
				synctest.Wait()
				if diff := cmp.Diff(tt.want, services.Take()); diff != "" {
					t.Errorf("queued (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A deletion that takes long is looked at for several reasons: the resync, the controller's own
// retries. Together they must not make more looks, of several requests each, than one row.
func TestPendingDeletionIsLookedAtInOneRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		services := &fakeServices{current: service("web")}
		l := adapter(&fakeBalancers{err: busy}, services)
		for range 10 {
			_ = l.EnsureLoadBalancerDeleted(t.Context(), "", service("web"))
			time.Sleep(time.Second)
		}
		time.Sleep(busy.After)
		synctest.Wait()
		if got := services.Take(); len(got) != 1 {
			t.Errorf("queued %v, want once", got)
		}
		if len(l.alarms.set) != 0 {
			t.Errorf("%d alarms are left", len(l.alarms.set))
		}
	})
}

func TestUpdateUsesTheServiceAsItIs(t *testing.T) {
	current := service("web", withAnnotation("id", "7"))
	b := &fakeBalancers{}
	if err := adapter(b, &fakeServices{current: current}).UpdateLoadBalancer(context.Background(), "", service("web"), nil); err != nil {
		t.Fatal(err)
	}
	if b.got != current {
		t.Error("the controller's old copy was used")
	}
}

func TestRecord(t *testing.T) {
	svc := service("web", withAnnotation("id", "7"), withAnnotation("cert", "a"))
	server := fake.NewClientset(svc)
	var told map[string]string
	a := &annotator{client: server.CoreV1(), before: func(_ *corev1.Service, m map[string]string) { told = m }}
	if err := a.write(context.Background(), svc, map[string]string{"id": "7"}); err != nil {
		t.Fatal(err)
	}
	if len(server.Actions()) > 0 || told != nil {
		t.Error("wrote what was there")
	}
	if err := a.write(context.Background(), svc, map[string]string{"id": "7", "cert": "b"}); err != nil {
		t.Fatal(err)
	}
	if told["cert"] != "b" || len(told) != 1 {
		t.Errorf("told %v", told)
	}
	if err := a.write(context.Background(), service("absent"), map[string]string{"id": "1"}); err == nil {
		t.Error("a failed write is no error")
	}
}

// What goes must not undo what its user has changed since, and nothing else that has changed
// since, such as the controller's finalizer, may stand in the way.
func TestRecordReplacesOnlyWhatItSaw(t *testing.T) {
	seen := service("web", withAnnotation("a.io/id", "7"), withAnnotation("a.io/note", "x"))
	for name, test := range map[string]struct {
		now  func(*corev1.Service)
		want map[string]string
	}{
		"nothing changed":         {func(*corev1.Service) {}, map[string]string{"a.io/id": "8", "a.io/new": "y"}},
		"finalizer":               {withFinalizer, map[string]string{"a.io/id": "8", "a.io/new": "y"}},
		"another annotation":      {withAnnotation("b", "c"), map[string]string{"a.io/id": "8", "a.io/new": "y", "b": "c"}},
		"the annotation":          {withAnnotation("a.io/id", "9"), nil},
		"the one that is removed": {withAnnotation("a.io/note", "z"), nil},
		"the Service":             {func(s *corev1.Service) { s.UID = "another" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			there := seen.DeepCopy()
			test.now(there)
			there.ResourceVersion = "9"
			server := fake.NewClientset(there)
			a := &annotator{client: server.CoreV1(), before: func(*corev1.Service, map[string]string) {}}
			err := a.write(t.Context(), seen, map[string]string{"a.io/id": "8", "a.io/note": "", "a.io/new": "y"})
			if (err == nil) != (test.want != nil) {
				t.Fatalf("error %v", err)
			}
			got, _ := server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
			want := test.want
			if want == nil {
				want = there.Annotations
			}
			if diff := cmp.Diff(want, got.Annotations); diff != "" || len(got.Finalizers) != len(there.Finalizers) {
				t.Errorf("annotations (-want +got):\n%s, finalizers %v", diff, got.Finalizers)
			}
		})
	}
}

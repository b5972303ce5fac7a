package framework

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// become gives the Service another type.
func become(t *testing.T, server *fake.Clientset, name string, want corev1.ServiceType) {
	t.Helper()
	services := server.CoreV1().Services("shop")
	svc, err := services.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	svc.Spec.Type = want
	if _, err := services.Update(t.Context(), svc, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, server *fake.Clientset, names ...string) {
	t.Helper()
	for _, name := range names {
		svc := service(name)
		svc.ResourceVersion = ""
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A Service whose user changes their mind while its balancer is being deleted gets one again when
// the deletion has ended, not at the next look for drift.
func TestServiceThatStaysAfterAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		create(t, server, "web")
		settle()
		b.slow.Store(int64(10 * time.Second))
		b.take()
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(2 * time.Second)
		b.slow.Store(0) // the ensure does not wait for the deletion
		become(t, server, "web", corev1.ServiceTypeLoadBalancer)
		wait(2 * time.Second)
		if got := strings.Join(b.take(), ", "); got != "delete web, ensure web 0" {
			t.Fatalf("at first %q", got)
		}
		wait(10 * time.Second)
		if got := strings.Join(b.take(), ", "); got != "ensure web 0" {
			t.Errorf("after the deletion %q, want one more ensure", got)
		}
	})
}

// The end of a deletion that a change of mind interrupted is not that of the next one.
func TestDepartureOfAnotherTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		create(t, server, "web")
		settle()
		finalizers := func() int {
			svc, err := server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return len(svc.Finalizers)
		}
		b.slow.Store(int64(10 * time.Second))
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(2 * time.Second)
		b.slow.Store(0)
		become(t, server, "web", corev1.ServiceTypeLoadBalancer)
		wait(2 * time.Second)
		b.slow.Store(int64(30 * time.Second))
		become(t, server, "web", corev1.ServiceTypeClusterIP)
		wait(10 * time.Second)
		if got := finalizers(); got != 1 {
			t.Errorf("%d finalizers while the second deletion runs", got)
		}
		wait(time.Minute)
		if got := finalizers(); got != 0 {
			t.Errorf("%d finalizers in the end", got)
		}
	})
}

// Deletions are bounded as everything else about load balancers is.
func TestDeletionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{deletions: 1}
		server := running(t, &machines{}, b)
		var names []string
		for n := range 30 {
			names = append(names, fmt.Sprint("web-", n))
		}
		create(t, server, names...)
		settle()
		b.slow.Store(int64(10 * time.Second))
		b.take()
		for _, name := range names {
			become(t, server, name, corev1.ServiceTypeClusterIP)
		}
		wait(2 * time.Minute)
		if got := len(b.take()); got != 30 || b.most != 5 {
			t.Errorf("%d deletions, %d at once; want 30, 5 at once as --concurrent-service-syncs says", got, b.most)
		}
	})
}

// Nothing is kept about Services that are gone, whenever they go.
func TestVanishedServicesAreForgotten(t *testing.T) {
	for name, at := range map[string]time.Duration{
		"during a look": 8 * time.Second,
		"before a look": 3 * time.Second,
		"later":         time.Minute,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &balancing{busy: 1}
				server := running(t, &machines{}, b)
				create(t, server, "web")
				synctest.Wait()
				b.slow.Store(int64(10 * time.Second)) // of the look after 5 s
				wait(at)
				if err := server.CoreV1().Services("shop").Delete(context.Background(), "web", metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				wait(10 * time.Minute)
				l := b.adapter
				if len(l.watch.results) > 0 || len(l.pending.services) > 0 || len(l.departures.begun) > 0 || len(l.watch.alarms.set) > 0 {
					t.Errorf("kept: results %v, pending %v, departures %v, alarms %v", l.watch.results, l.pending.services, l.departures.begun, l.watch.alarms.set)
				}
			})
		})
	}
}

// A Service that goes when a look has ended, and before the controller has asked for its result.
func TestResultsOfServicesThatAreGone(t *testing.T) {
	l := adapter(&fakeBalancers{}, &fakeServices{current: service("web")})
	l.watch.look(service("web"))
	if len(l.watch.results) != 1 {
		t.Fatal("no result")
	}
	l.Forget("uid-web")
	if len(l.watch.results) != 0 {
		t.Error("the result is kept")
	}
	l.watch.look(service("web"))
	l.watch.end("uid-web")
	if len(l.watch.results) != 0 {
		t.Error("the result of a look that another one overtook is kept")
	}
}

// A deletion takes long, and the Service meanwhile wants a balancer and gives it up again. What the
// first deletion found says nothing of the balancer that was made since.
func TestEarlierDepartureIsNotTakenForTheLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := service("web", withType(corev1.ServiceTypeClusterIP), withFinalizer)
		services := &fakeServices{current: svc}
		d := &deletions{services: services, events: &fakeRecorder{}, begun: map[types.UID]*deletion{}, slots: make(chan struct{}, 2)}
		d.delete = func(context.Context, *corev1.Service) error {
			time.Sleep(time.Minute)
			return nil
		}
		d.hold(svc)
		time.Sleep(30 * time.Second)
		d.forget(svc.UID)
		d.hold(svc)
		time.Sleep(45 * time.Second)
		synctest.Wait()
		if begun, gone := d.state(svc.UID); !begun || gone || len(services.take()) > 0 {
			t.Errorf("begun %t, gone %t after the first deletion", begun, gone)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, gone := d.state(svc.UID); !gone || len(services.take()) != 1 {
			t.Errorf("gone %t after the second deletion", gone)
		}
	})
}

// late is a cloud in which an ensure meets a deletion.
type late struct {
	fakeBalancers
	during func()

	mu      sync.Mutex
	deleted time.Time
}

func (l *late) Ensure(context.Context, *corev1.Service, []*corev1.Node) (loadbalancer.Outcome, error) {
	l.during()
	return loadbalancer.Outcome{}, nil
}

func (l *late) Delete(context.Context, *corev1.Service) error {
	l.mu.Lock()
	l.deleted = time.Now()
	l.mu.Unlock()
	time.Sleep(time.Minute)
	return nil
}

// last returns when the last deletion began.
func (l *late) last() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deleted
}

// An ensure by a copy of the Service that is older than its deletion ends no deletion. What it made
// is deleted too, whenever it ends.
func TestEnsureByAnOlderCopyEndsNoDeletion(t *testing.T) {
	old, leaving := service("web"), service("web", withType(corev1.ServiceTypeClusterIP), withFinalizer)
	ensures := map[string]func(*loadBalancers) error{
		"of the controller": func(l *loadBalancers) error {
			_, err := l.EnsureLoadBalancer(context.Background(), "", old, nil)
			return err
		},
		"of the watch": func(l *loadBalancers) error {
			l.watch.look(old)
			return nil
		},
		"with a result that is known": func(l *loadBalancers) error {
			l.watch.results[old.UID] = result{at: time.Now(), svc: old}
			_, err := l.EnsureLoadBalancer(context.Background(), "", old, nil)
			return err
		},
	}
	for _, test := range []struct {
		by    string
		begun time.Duration // how long before the ensure
		lasts time.Duration // the ensure, from the deletion on when that begins in it
	}{
		{"of the controller", 0, 0},
		{"of the controller", 30 * time.Second, 0},
		{"of the controller", 30 * time.Second, 10 * time.Second},
		{"of the controller", 30 * time.Second, 10 * time.Minute},
		{"of the controller", 10 * time.Minute, 0},
		{"of the controller", -1, 0},
		{"of the controller", -1, 10 * time.Second},
		{"of the controller", -1, 10 * time.Minute},
		{"of the watch", -1, 10 * time.Second},
		{"of the watch", -1, 10 * time.Minute},
		{"with a result that is known", 0, 0},
		{"with a result that is known", 30 * time.Second, 0},
	} {
		t.Run(fmt.Sprintf("%s, begun %v before, lasts %v", test.by, test.begun, test.lasts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				services, clouds := &fakeServices{current: old}, &late{}
				l := adapter(&clouds.fakeBalancers, services)
				l.balancers, l.departures.slots = clouds, make(chan struct{}, 2)
				begin := func() {
					services.current = leaving
					l.departures.hold(leaving)
				}
				if test.begun >= 0 {
					begin()
					time.Sleep(test.begun)
				}
				clouds.during = func() {
					if test.begun < 0 {
						begin()
					}
					time.Sleep(test.lasts)
				}
				if err := ensures[test.by](l); err != nil {
					t.Fatal(err)
				}
				ended := time.Now()
				services.take()
				time.Sleep(50 * time.Minute)
				synctest.Wait()
				if last := clouds.last(); last.Before(ended) {
					t.Errorf("no deletion since the ensure: the last one at %v, it ended at %v", last, ended)
				}
				if _, gone := l.departures.state(old.UID); !gone || len(services.take()) != 1 {
					t.Errorf("gone %t; want the controller asked once to remove the finalizer", gone)
				}
			})
		})
	}
}

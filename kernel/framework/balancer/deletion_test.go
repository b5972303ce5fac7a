package balancer

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// A Service that goes when a look has ended, and before the controller has asked for its result.
func TestResultsOfServicesThatAreGone(t *testing.T) {
	l := adapter(&fakeBalancers{}, &fakeServices{current: service("web", withFinalizer)})
	l.watch.look(service("web", withFinalizer))
	if len(l.watch.results) != 1 {
		t.Fatal("no result")
	}
	l.Forget("uid-web")
	if len(l.watch.results) != 0 {
		t.Error("the result is kept")
	}
	l.watch.look(service("web", withFinalizer))
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
		if begun, gone := d.state(svc.UID); !begun || gone || len(services.Take()) > 0 {
			t.Errorf("begun %t, gone %t after the first deletion", begun, gone)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if _, gone := d.state(svc.UID); !gone || len(services.Take()) != 1 {
			t.Errorf("gone %t after the second deletion", gone)
		}
	})
}

// A Service that is deleted while it is in the controller's queue: the controller is told to wait, and reports that as a failure.
func TestWaitForADeletionIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := service("web", withType(corev1.ServiceTypeClusterIP), withFinalizer)
		a := adapter(&fakeBalancers{err: busy}, &fakeServices{current: svc})
		a.Hold(svc)
		synctest.Wait()
		_, _, err := a.GetLoadBalancer(t.Context(), "", svc)
		if err == nil {
			t.Fatal("the controller is not told to wait")
		}
		for message, quiet := range map[string]bool{
			"Error syncing load balancer: failed to check if load balancer exists before cleanup: " + err.Error(): true,
			"Error syncing load balancer: failed to remove load balancer cleanup finalizer: no":                   false,
		} {
			event := &corev1.Event{Reason: "SyncLoadBalancerFailed", Message: message, InvolvedObject: corev1.ObjectReference{UID: svc.UID}}
			if got := a.Quiet(event); got != quiet {
				t.Errorf("%q is kept from being reported: %t", message, got)
			}
		}
		a.Forget(svc.UID)
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
	old, leaving := service("web", withFinalizer), service("web", withType(corev1.ServiceTypeClusterIP), withFinalizer)
	ensures := map[string]func(*Adapter) error{
		"of the controller": func(l *Adapter) error {
			_, err := l.EnsureLoadBalancer(context.Background(), "", old, nil)
			return err
		},
		"of the watch": func(l *Adapter) error {
			l.watch.look(old)
			return nil
		},
		"with a result that is known": func(l *Adapter) error {
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
				l.Manager, l.deletions.slots = clouds, make(chan struct{}, 2)
				begin := func() {
					services.current = leaving
					l.deletions.hold(leaving)
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
				services.Take()
				time.Sleep(50 * time.Minute)
				synctest.Wait()
				if last := clouds.last(); last.Before(ended) {
					t.Errorf("no deletion since the ensure: the last one at %v, it ended at %v", last, ended)
				}
				if _, gone := l.deletions.state(old.UID); !gone || len(services.Take()) != 1 {
					t.Errorf("gone %t; want the controller asked once to remove the finalizer", gone)
				}
			})
		})
	}
}

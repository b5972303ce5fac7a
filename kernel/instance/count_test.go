package instance

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The numbers of this file are the promise of the product: what a cluster costs in
// requests to the cloud, while everything that asks is running.

func TestCallsToInitialise(t *testing.T) {
	tests := []struct {
		limits  cloud.Limits
		n, late int
		withID  bool
	}{
		{digitalOcean, 1000, 0, false},
		{digitalOcean, 1000, 4, false},
		{digitalOcean, 1000, 4, true},
		{digitalOcean, 5000, 4, false},
		{digitalOcean, 5000, 9, true},
		{hetzner, 1000, 9, false},
		{hetzner, 5000, 9, true},
		{aws, 1000, 4, true},
		{aws, 5000, 4, false},
	}
	for _, test := range tests {
		name := fmt.Sprintf("%d nodes, page %d, %d late, provider-ID %v", test.n, test.limits.PageSize, test.late, test.withID)
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(test.limits)
				initialiseAll(t, w, w.inventory(nil), test.n, test.late, test.withID, 10)
			})
		})
	}
}

// initialiseAll lets n nodes join at 70 a second, of which the last few have machines that
// no list has when they do, while the lifecycle controller asks for all of them: none is
// Ready yet. Beside the pages of a list it may cost some more requests.
func initialiseAll(t *testing.T, w *world, i *Inventory, n, late int, withID bool, more int) {
	for k := range n - late {
		w.boot(fmt.Sprint(k))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	queue := make(chan *corev1.Node, n)
	for range 20 {
		go func() {
			for node := range queue {
				machine, err := i.Metadata(ctx, node)
				if err == nil {
					w.initialise(node, machine)
				} else if ctx.Err() == nil {
					time.AfterFunc(50*time.Millisecond, func() { queue <- node })
				}
			}
		}()
	}
	go func() {
		for ctx.Err() == nil {
			w.pass(ctx, i, 10)
			time.Sleep(5 * time.Second)
		}
	}()
	for k := range n {
		if k >= n-late {
			w.boot(fmt.Sprint(k))
		}
		providerID := ""
		if withID {
			providerID = fmt.Sprintf("test://id-%d", k)
		}
		queue <- w.joinAs(fmt.Sprint(k), providerID)
		time.Sleep(time.Second / 70)
	}
	time.Sleep(10 * time.Second)
	if left := i.uninitialised(); left > 0 {
		t.Errorf("%d nodes are not initialised after 10 s", left)
	}
	if pages, cost := i.schedule.pages(n), w.cost(); cost > pages+more {
		t.Errorf("%d requests, want at most %d: %v", cost, pages+more, w.calls)
	}
	cancel()
	time.Sleep(time.Minute)
	close(queue)
}

func (i *Inventory) uninitialised() (n int) {
	for _, node := range i.nodes.list() {
		if Uninitialized(node) {
			n++
		}
	}
	return n
}

func TestCallsWhenIdle(t *testing.T) {
	for _, limits := range []cloud.Limits{digitalOcean, hetzner, aws} {
		for _, n := range []int{1000, 5000} {
			t.Run(fmt.Sprintf("%d nodes, page %d", n, limits.PageSize), func(t *testing.T) {
				simulate(t, func(t *testing.T) {
					w := newWorld(limits)
					i := w.inventory(nil)
					w.members("node", n, true)
					w.status(t.Context(), i, 10)
					time.Sleep(5 * time.Minute)
					w.cost()
					for end := time.Now().Add(4 * time.Hour); time.Now().Before(end); time.Sleep(5 * time.Minute) {
						if failed := w.status(t.Context(), i, 10); failed > 0 {
							t.Fatalf("metadata of %d nodes failed", failed)
						}
						w.pass(t.Context(), i, 10)
					}
					perHour := w.cost() / 4
					if most := 12 * i.schedule.pages(n); perHour > most {
						t.Errorf("%d requests an hour, want at most %d", perHour, most)
					}
					if most := int(share * i.schedule.perHour()); perHour > most {
						t.Errorf("%d requests an hour, want at most %d of the limit", perHour, most)
					}
				})
			})
		}
	}
}

func TestCallsWithNotReadyNodes(t *testing.T) {
	tests := []struct {
		limits      cloud.Limits
		n, notReady int
		workers     int
	}{
		{digitalOcean, 1000, 100, 10},
		{digitalOcean, 1000, 100, 1},
		{digitalOcean, 1000, 1, 1},
		{digitalOcean, 1000, 4, 1},
		{digitalOcean, 5000, 500, 10},
		{hetzner, 1000, 100, 10},
		{hetzner, 1000, 15, 3},
		{aws, 1000, 100, 10},
		{aws, 1000, 100, 1},
		{aws, 5000, 300, 10},
	}
	for _, test := range tests {
		name := fmt.Sprintf("%d of %d, page %d, %d workers", test.notReady, test.n, test.limits.PageSize, test.workers)
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(test.limits)
				i := w.inventory(nil)
				w.members("ready", test.n-test.notReady, true)
				w.members("down", test.notReady, false)
				w.status(t.Context(), i, 10)
				time.Sleep(time.Minute)
				w.cost()
				const minutes = 10
				for range minutes / 5 {
					w.status(t.Context(), i, 10)
					w.lifecycle(t.Context(), i, test.workers, 5*time.Minute)
				}
				perMinute := float64(w.cost()) / minutes
				if most := 2 * float64(i.schedule.pages(test.n)); perMinute > most {
					t.Errorf("%.1f requests a minute, want at most %v: %v", perMinute, most, w.calls)
				}
				if most := share * i.schedule.perHour() / 60; perMinute > most {
					t.Errorf("%.1f requests a minute, want at most %.1f of the limit: %v", perMinute, most, w.calls)
				}
				if len(w.gone()) > 0 {
					t.Errorf("deleted %v", w.gone())
				}
			})
		})
	}
}

func TestCallsOfThousandConcurrentMisses(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("old", 1000, true)
		w.status(t.Context(), i, 10)
		time.Sleep(10 * time.Second)
		w.cost()
		var nodes []*corev1.Node
		for k := range 1000 {
			w.boot(fmt.Sprint(k))
			nodes = append(nodes, w.join(fmt.Sprint(k)))
		}
		parallel(nodes, 1000, func(node *corev1.Node) {
			if _, err := i.Metadata(t.Context(), node); err != nil {
				t.Error(err)
			}
		})
		if cost := w.cost(); cost > i.schedule.pages(2000) {
			t.Errorf("%d requests, want one list of %d: %v", cost, i.schedule.pages(2000), w.calls)
		}
	})
}

func TestCallsOfNotFoundBurst(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("node", 500, false)
		w.status(t.Context(), i, 10)
		w.onList = func(_ context.Context, list *cloud.InstanceList) error {
			*list = cloud.InstanceList{Complete: true}
			return nil
		}
		w.hide = func(cloud.InstanceID) bool { return true }
		time.Sleep(time.Minute)
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		w.cost()
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		if len(w.gone()) > 0 {
			t.Errorf("deleted %d nodes", len(w.gone()))
		}
		// The budget may have saved a little before the half hour began.
		if perMinute := float64(w.cost()) / 30; perMinute > 1.05*share*i.schedule.perHour()/60 {
			t.Errorf("%.1f requests a minute: %v", perMinute, w.calls)
		}
	})
}

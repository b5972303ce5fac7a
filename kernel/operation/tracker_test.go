package operation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/operation"
)

// api is a cloud in which operations end at known times.
type api struct {
	mu    sync.Mutex
	ends  map[string]time.Time
	fails map[string]error
	// down is the error of requests for states, and each how many operations one request asks for, 0 for all.
	down  error
	each  int
	asked [][]string
}

func (a *api) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for asked := 0; a.each > 0 && asked < len(ids); asked += a.each {
		cloud.CountRequest(ctx)
	}
	a.asked = append(a.asked, ids)
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		if end, known := a.ends[id]; known && time.Now().Before(end) {
			states[id] = cloud.OperationState{Running: true}
		} else if known {
			states[id] = cloud.OperationState{Err: a.fails[id]}
		}
	}
	return states, a.down
}

func (a *api) begin(id string, takes time.Duration) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends[id] = time.Now().Add(takes)
	return id
}

func newAPI() *api { return &api{ends: map[string]time.Time{}, fails: map[string]error{}} }

// However many changes wait, one request asks for all that run, and none is made when nothing does.
func TestManyAreAskedForTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		tracker := operation.New(a)
		began := time.Now()
		var groups []*operation.Group
		for n := range 50 {
			groups = append(groups, tracker.Follow(nil, 0, a.begin(fmt.Sprint("operation-", n), 3*time.Second)))
		}
		for _, g := range groups {
			<-g.Done()
			if g.Err() != nil {
				t.Error(g.Err())
			}
		}
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("the end was seen after %v, want at most a second after 3s", took)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(a.asked) > 3 || len(a.asked[0]) != 50 {
			t.Errorf("%d requests, the first for %d operations; want at most 3 and 50", len(a.asked), len(a.asked[0]))
		}
	})
}

// States that take several requests are asked for less often: ten of them four seconds apart, where one is made each second.
func TestStatesOfManyRequests(t *testing.T) {
	for each, most := range map[int]int{0: 10, 500: 10, 50: 4} {
		synctest.Test(t, func(t *testing.T) {
			a := newAPI()
			a.each = each
			tracker, began := operation.New(a), time.Now()
			var groups []*operation.Group
			for n := range 500 {
				groups = append(groups, tracker.Follow(nil, 0, a.begin(fmt.Sprint("operation-", n), 10*time.Second)))
			}
			for _, g := range groups {
				<-g.Done()
			}
			if took := time.Since(began); len(a.asked) > most || took > 14*time.Second {
				t.Errorf("%d operations in a request: asked %d times, the end seen after %s; want at most %d times", each, len(a.asked), took, most)
			}
			if asked := len(a.asked); each == 0 && asked <= 5 {
				t.Errorf("asked %d times in one request each: that is no more often than with ten", asked)
			}
		})
	}
}

// What hundreds of operations took says nothing of the next one, nor of the few that are left of them.
func TestAfterManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.each = 50
		tracker, began := operation.New(a), time.Now()
		var most, last []*operation.Group
		for n := range 500 {
			takes := 3 * time.Second
			if n < 10 {
				takes = 9 * time.Second
			}
			g := tracker.Follow(nil, 0, a.begin(fmt.Sprint("operation-", n), takes))
			if most = append(most, g); n < 10 {
				last = append(last, g)
			}
		}
		for _, g := range last {
			<-g.Done()
		}
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("the end of the last ten was seen after %s, want two seconds after 9 at the most", took)
		}
		for _, g := range most {
			<-g.Done()
		}
		time.Sleep(time.Hour)
		began = time.Now()
		<-tracker.Follow(nil, 0, a.begin("another", 100*time.Millisecond)).Done()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the end of a single one was seen after %s", took)
		}
	})
}

// Fifty changes of ten operations each, one after the other, take about one request for each of the ten.
func TestManyInTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const changes, turns = 50, 10
		a := newAPI()
		tracker := operation.New(a)
		var all sync.WaitGroup
		for n := range changes {
			all.Go(func() {
				for turn := range turns {
					time.Sleep(time.Duration(n%10) * 30 * time.Millisecond) // not all requests are made at once
					g := tracker.Follow(nil, 0, a.begin(fmt.Sprint("operation-", n, "-", turn), time.Second))
					<-g.Done()
					if !g.Succeeded() || !g.At().Equal(time.Now()) {
						t.Errorf("succeeded %t, at %v", g.Succeeded(), g.At())
					}
				}
			})
		}
		all.Wait()
		if len(a.asked) > turns+3 {
			t.Errorf("%d requests, want about %d", len(a.asked), turns)
		}
	})
}

// One that begins while another has run for long is not asked for late.
func TestOneThatBeginsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		tracker := operation.New(a)
		long := tracker.Follow(nil, 0, a.begin("long", 10*time.Minute))
		time.Sleep(5*time.Minute + time.Second)
		began := time.Now()
		<-tracker.Follow(nil, 0, a.begin("short", time.Second)).Done()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the short one was seen after %v", took)
		}
		if long.Ended() {
			t.Error("the long one has ended")
		}
		<-long.Done()
	})
}

// slowAPI answers a second after it was asked, with what was true then.
type slowAPI struct{ *api }

func (a slowAPI) OperationStates(ctx context.Context, ids []string) (map[string]cloud.OperationState, error) {
	states, err := a.api.OperationStates(ctx, ids)
	time.Sleep(time.Second)
	return states, err
}

// Several changes can name one operation. An answer to a request from before a change does not tell its end.
func TestOneOperationOfTwoChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		tracker := operation.New(slowAPI{a})
		first := tracker.Follow(nil, 0, a.begin("balancer", 100*time.Millisecond))
		time.Sleep(700 * time.Millisecond) // it is being asked for
		began, second := time.Now(), tracker.Follow(nil, 0, a.begin("balancer", 3*time.Second))
		<-first.Done()
		if second.Ended() {
			t.Error("the second change ended with the first")
		}
		<-second.Done()
		if took := time.Since(began); !first.Succeeded() || !second.Succeeded() || took < 3*time.Second || took > 6*time.Second {
			t.Errorf("the second change was seen to end after %v", took)
		}
	})
}

// Operations that begin all the time keep nobody from asking.
func TestManyThatBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		tracker := operation.New(a)
		first, began := tracker.Follow(nil, 0, a.begin("first", time.Second)), time.Now()
		last := first
		for n := 0; !first.Ended(); n++ {
			if time.Since(began) > 3*time.Second {
				t.Fatalf("nobody asked for 3 seconds: %d requests", len(a.asked))
			}
			last = tracker.Follow(nil, 0, a.begin(fmt.Sprint("other-", n), time.Second))
			time.Sleep(100 * time.Millisecond)
		}
		<-last.Done()
	})
}

// A change that names an operation which has run for long is asked about as often as one that has just begun.
func TestAChangeThatJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		tracker := operation.New(a)
		first := tracker.Follow(nil, 0, a.begin("balancer", 10*time.Minute))
		time.Sleep(5*time.Minute + time.Second)
		a.begin("balancer", 3*time.Second)
		began := time.Now()
		<-tracker.Follow(nil, time.Second, "balancer").Done()
		if took := time.Since(began); took > 4*time.Second || !first.Ended() {
			t.Errorf("its end was seen after %v", took)
		}
	})
}

// The operations of two changes are followed together, with the failure of the earlier one. One that hangs
// counts as ended after an hour.
func TestEarlierOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("no room")
		a := newAPI()
		a.fails["a"] = refused
		tracker := operation.New(a)
		earlier := tracker.Follow(nil, 0, a.begin("a", time.Second))
		<-earlier.Done()
		both, began := tracker.Follow(earlier, 0, a.begin("b", 100*time.Hour)), time.Now()
		if tracker.Follow(both, 0) != both {
			t.Error("nothing new, and another group")
		}
		<-both.Done()
		if took := time.Since(began); !errors.Is(both.Err(), refused) || took < time.Hour || took > time.Hour+time.Minute {
			t.Errorf("ended after %v with %v", took, both.Err())
		}
	})
}

// A change ends with the last of its operations, with the first failure. What the cloud does not know
// any more has ended.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("no room")
		a := newAPI()
		a.fails["b"] = refused
		tracker := operation.New(a)
		g := tracker.Follow(nil, 0, a.begin("a", time.Second), a.begin("b", 2*time.Second), a.begin("c", 5*time.Second), "forgotten", "a")
		time.Sleep(4 * time.Second)
		if g.Ended() {
			t.Error("it has ended before its last operation")
		}
		if <-g.Done(); !errors.Is(g.Err(), refused) {
			t.Errorf("error %v, want %v", g.Err(), refused)
		}
		if g := tracker.Follow(nil, 0, "forgotten"); !ended(g) || g.Succeeded() {
			t.Error("one that the cloud does not know has succeeded")
		}
		if err := tracker.Wait(t.Context(), a.begin("d", time.Second)); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := tracker.Wait(ctx, a.begin("e", time.Minute)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the end of the context", err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if g := operation.New(nil).Follow(nil, 0, "x"); g != nil {
			t.Error("a cloud without operations has some")
		}
	})
}

// ended waits for the end.
func ended(g *operation.Group) bool {
	<-g.Done()
	return true
}

// A cloud that does not answer proves nothing, for ten minutes; then what was done is to be observed.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI()
		a.down = &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: 20 * time.Second}, Err: errors.New("slow down")}
		tracker := operation.New(a)
		began := time.Now()
		g := tracker.Follow(nil, 0, a.begin("a", time.Second))
		<-g.Done()
		if took := time.Since(began); took < 10*time.Minute || took > 11*time.Minute || g.Err() != nil || g.Succeeded() {
			t.Errorf("ended after %v with %v, want after 10 minutes without an error", took, g.Err())
		}
		if len(a.asked) > 32 {
			t.Errorf("%d requests although the cloud asked for 20 seconds each", len(a.asked))
		}
		for _, ids := range a.asked {
			if !slices.Equal(ids, slices.Collect(maps.Keys(a.ends))) {
				t.Errorf("asked for %q", ids)
			}
		}
	})
}

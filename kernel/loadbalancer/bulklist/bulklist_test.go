package bulklist

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// reader is a cloud whose list takes 50 ms.
type reader struct {
	cloud.BulkList
	began []time.Time
}

func (r *reader) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	r.began = append(r.began, time.Now())
	time.Sleep(50 * time.Millisecond)
	return r, ctx.Err()
}

// Services that look one after the other, each for what is later than its own deletion, share lists.
func TestStaggered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &reader{}
		lists := New(cloud, func() int { return 0 })
		for i := range many {
			lists.WorthReading(types.UID(fmt.Sprint("earlier ", i)))
		}
		start := time.Now()
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 20 * time.Millisecond)
				if list, _ := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now(), Deleting: true}); list == nil {
					t.Errorf("Service %d got no list", i)
				}
			})
		}
		all.Wait()
		if len(cloud.began) > 6 || time.Since(start) > 1500*time.Millisecond {
			t.Errorf("%d lists in %s, want one each %s", len(cloud.began), time.Since(start), apart)
		}
	})
}

// The first look of a process is a list where the cluster has many Services, and once that was tried, as any other.
func TestFirstLook(t *testing.T) {
	for services, want := range map[int]int{many - 1: 0, many: 1, 50: 1} {
		synctest.Test(t, func(t *testing.T) {
			cloud := &reader{}
			lists := New(cloud, func() int { return services })
			first, _ := lists.Get(t.Context(), Query{Service: "first", After: time.Now()})
			if second, _ := lists.Get(t.Context(), Query{Service: "second"}); len(cloud.began) != want || (first != nil) != (want > 0) || second != nil {
				t.Errorf("%d Services: %d lists, first %v, second %v", services, len(cloud.began), first, second)
			}
			time.Sleep(maxAge)
			synctest.Wait()
		})
	}
}

// Where a list takes longer than anybody waits for one, those who waited do not read for themselves.
func TestTooSlowListIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{takes: 2 * time.Minute}
		lists := New(s, func() int { return 100 })
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				list, err := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now()})
				if list == nil && !cloud.IsClass(err, cloud.FailureThrottled) {
					t.Errorf("Service %d is to read for itself: %v", i, err)
				}
			})
		}
		all.Wait()
		time.Sleep(mostPatience)
	})
}

// Where a Service would read the same list by itself, it waits for a slow one, also with few others, and is told why one fails. Others read
// for themselves.
func TestNobodyReadsTheSameList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &slow{takes: 20 * time.Second}
		lists := New(api, func() int { return many })
		ask := func(inLists int) (with, without, failed int) {
			for i := range many { // it is known then that many come at once
				lists.WorthReading(types.UID(fmt.Sprint("earlier ", i)))
			}
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() {
					list, err := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now(), InLists: i < inLists})
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err != nil:
						failed++
					case list != nil:
						with++
					default:
						without++
					}
				})
			}
			all.Wait()
			return with, without, failed
		}
		if with, without, failed := ask(10); with != 10 || without+failed > 0 || len(api.began) > 2 {
			t.Errorf("a list of 20 s: %d with it, %d without, %d failed; %d lists", with, without, failed, len(api.began))
		}
		time.Sleep(maxAge)
		began := len(api.began)
		api.fails = errors.New("broken")
		if with, without, failed := ask(6); with > 0 || without != 4 || failed != 6 || len(api.began)-began > 1 {
			t.Errorf("a list that fails: %d with it, %d without, %d failed; %d lists", with, without, failed, len(api.began)-began)
		}
		time.Sleep(mostPatience)
	})
}

// A Service that does not wait for its list any more costs the others nothing.
func TestOneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &reader{}
		lists := New(cloud, func() int { return many })
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if list, err := lists.Get(impatient, Query{Service: "one", After: time.Now()}); list != nil || err != nil {
			t.Error("a list that was given up is believed")
		}
		if list, _ := lists.Get(t.Context(), Query{Service: "other", After: time.Now(), Alone: true}); list == nil {
			t.Error("no list for another Service")
		}
		time.Sleep(maxAge)
		synctest.Wait()
	})
}

// slow is a cloud whose lists wait for the rate limit, or fail for it.
type slow struct {
	reader
	takes      time.Duration
	fails      error
	priorities []cloud.Priority
}

func (s *slow) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	s.began, s.priorities = append(s.began, time.Now()), append(s.priorities, cloud.PriorityOf(ctx))
	time.Sleep(s.takes)
	return s, s.fails
}

// crowd has so many Services look at once, again and again for a minute, and returns how many got a list, and how many none.
func crowd(t *testing.T, lists *Lists, services int) (with, without int) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	end := time.Now().Add(time.Minute)
	for i := range services {
		all.Go(func() {
			for time.Now().Before(end) {
				list, err := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now().Add(-250 * time.Millisecond)})
				mu.Lock()
				if list != nil {
					with++
				} else if err == nil && time.Now().Before(end) { // afterwards hardly anybody waits any more
					without++
				}
				mu.Unlock()
				time.Sleep(time.Second + time.Duration(i)*time.Millisecond)
			}
		})
	}
	all.Wait()
	return with, without
}

// The more Services look, the further apart are lists, and the longer is one waited for: otherwise each reads for itself.
func TestManyShareAListThatWaits(t *testing.T) {
	for _, takes := range []time.Duration{50 * time.Millisecond, 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			api := &slow{takes: takes}
			lists := New(api, func() int { return 400 })
			with, without := crowd(t, lists, 400)
			if with < 2*400 || without > 2 || len(api.began) > 25 { // the first ones are too few for a list
				t.Errorf("lists take %s: %d looks with a list and %d without one, %d lists in a minute", takes, with, without, len(api.began))
			}
			if api.priorities[0] != cloud.PriorityBegun {
				t.Errorf("lists have priority %d, want that of what has begun", api.priorities[0])
			}
			time.Sleep(2 * mostApart)
			synctest.Wait()
			if _, held := lists.reading.Latest(); held {
				t.Error("a list is kept that nobody may take any more")
			}
		})
	}
}

// pages is a cloud whose list takes several requests.
type pages struct {
	cloud.BulkList
	requests int
	began    []time.Time
}

func (p *pages) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	p.began = append(p.began, time.Now())
	for range p.requests {
		cloud.CountRequest(ctx)
	}
	return p, nil
}

// A list that takes several requests is read less often where many Services ask, and hardly less often where few do. How much older than
// who asks it may be is as before.
func TestListsOfManyPages(t *testing.T) {
	for _, tt := range []struct {
		requests, services int
		want               time.Duration
	}{
		{0, 50, apart},
		{1, 50, apart},
		{4, 50, apart + 3*apartRequest},
		{10, 50, apart + 9*apartRequest},
		{100, 50, mostApart},
		{10, 5, apart + 9*apartRequest/10},
		{3, 1, apart + 2*apartRequest/50},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := &pages{requests: tt.requests}
			lists := New(api, func() int { return many })
			for range 2 {
				for i := range tt.services {
					lists.WorthReading(types.UID(fmt.Sprint(i)))
				}
				if list, err := lists.Get(t.Context(), Query{Service: "0", After: time.Now(), Alone: true}); list == nil || err != nil {
					t.Fatalf("list %v, %v", list, err)
				}
				time.Sleep(time.Nanosecond)
			}
			if got := api.began[1].Sub(api.began[0]); got != tt.want || lists.Slack() != 0 {
				t.Errorf("%d requests, %d Services: lists %s apart, want %s; slack %s", tt.requests, tt.services, got, tt.want, lists.Slack())
			}
			time.Sleep(maxAge)
			if list, err := lists.Get(t.Context(), Query{Service: "0", Alone: true}); list == nil || err != nil || time.Since(api.began[2]) != 0 {
				t.Errorf("%d requests: a list from %s ago is given, %v", tt.requests, time.Since(api.began[len(api.began)-1]), err)
			}
			time.Sleep(2 * mostApart)
			synctest.Wait()
		})
	}
}

// Where the rate limit is used up nobody reads for himself.
func TestThrottledListIsToldToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttled := &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: time.Minute}}
		api := &slow{takes: time.Second, fails: throttled}
		lists := New(api, func() int { return many })
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if _, err := lists.Get(t.Context(), Query{Service: types.UID(fmt.Sprint(i)), After: time.Now(), Alone: true}); !cloud.IsClass(err, cloud.FailureThrottled) {
					t.Errorf("error %v, want that of the list", err)
				}
			})
		}
		all.Wait()
		if len(api.began) != 1 {
			t.Errorf("%d lists, want one", len(api.began))
		}
		time.Sleep(maxAge)
		if api.fails = errors.New("broken"); len(api.began) == 1 {
			if _, err := lists.Get(t.Context(), Query{Service: "later", Alone: true}); err != nil {
				t.Errorf("error %v: a list that fails otherwise is done without", err)
			}
		}
	})
}

// A list from before another Service got a balancer is given to nobody, not even to those who wait for it by then. One from before a
// deletion is given to Services that go.
func TestListsFromBeforeAWrite(t *testing.T) {
	for _, tt := range []struct {
		name     string
		written  func(s *Lists)
		deleting bool
		want     int
	}{
		{"nothing", func(*Lists) {}, false, 1},
		{"another Service's balancer", func(s *Lists) { s.Expire(time.Now()) }, false, 2},
		{"the same, of a Service that goes", func(s *Lists) { s.Expire(time.Now()) }, true, 2},
		{"a deletion", func(s *Lists) { s.Deleted(time.Now()) }, false, 2},
		{"a deletion, of a Service that goes", func(s *Lists) { s.Deleted(time.Now()) }, true, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := &reader{}
			lists := New(api, func() int { return many })
			var all sync.WaitGroup
			all.Go(func() {
				if list, err := lists.Get(t.Context(), Query{Service: "one", Deleting: tt.deleting, Alone: true}); list == nil || err != nil {
					t.Errorf("%s: list %v, error %v", tt.name, list, err)
				}
			})
			time.Sleep(10 * time.Millisecond)
			tt.written(lists)
			all.Wait()
			if list, err := lists.Get(t.Context(), Query{Service: "other", Deleting: tt.deleting, Alone: true}); list == nil || err != nil {
				t.Errorf("%s: list %v, error %v of another one", tt.name, list, err)
			}
			if len(api.began) != tt.want {
				t.Errorf("%s: %d lists, want %d", tt.name, len(api.began), tt.want)
			}
			time.Sleep(2 * mostApart)
			synctest.Wait()
		})
	}
}

// A list that takes longer than anybody waits for another one's serves those for whom it began.
func TestSlowListsServeThoseWhoRead(t *testing.T) {
	for _, query := range []Query{{}, {Alone: true}, {InLists: true}} {
		synctest.Test(t, func(t *testing.T) {
			lists := New(&slow{takes: mostPatience + 10*time.Second}, func() int { return many })
			for round := range 3 {
				var mu sync.Mutex
				var all sync.WaitGroup
				served := 0
				for i := range many {
					all.Go(func() {
						q := query
						q.Service, q.After = types.UID(fmt.Sprint(i)), time.Now()
						if list, _ := lists.Get(t.Context(), q); list != nil {
							mu.Lock()
							defer mu.Unlock()
							served++
						}
					})
				}
				if all.Wait(); served == 0 {
					t.Errorf("%+v, round %d: a list was read for nobody", query, round)
				}
			}
			time.Sleep(2 * mostPatience)
		})
	}
}

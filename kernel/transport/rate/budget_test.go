package rate

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What the cloud says is left is believed beyond our own estimate too, but for what others may need.
func TestLimiterBelievesThatMoreIsLeft(t *testing.T) {
	hourly := cloud.Limits{RequestsPerHour: 3600}
	for name, test := range map[string]struct {
		limiter *Limiter
		want    int
	}{
		"a cloud":              {NewLimiter(hourly, 0), 3599 - 720},
		"an API apart":         {ForAPI(cloud.API{RequestsPerHour: 3600}, 0), 1440 - 1},
		"nothing is published": {NewLimiter(cloud.Limits{}, 0), 99},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := test.limiter
			if err := l.Wait(t.Context(), Request{}); err != nil {
				t.Fatal(err)
			}
			l.Observe(time.Now(), Advice{Remaining: 3599, HasRemaining: true})
			if n := len(saturate(t, l, cloud.PriorityNodeInit, 1)); n-1 != test.want {
				t.Errorf("%s: %d requests at once, want %d", name, n-1, test.want)
			}
		})
	}
}

// Requests that are under way may be counted by the cloud or not, and answers overtake each other.
func TestRequestsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{RequestsPerHour: 3600}, 0)
		early := time.Now()
		for range 11 {
			if err := l.Wait(t.Context(), Request{}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		late := time.Now()
		l.Observe(late, Advice{Remaining: 20, HasRemaining: true})
		if left := l.budget.hour.left; left != 10 {
			t.Errorf("%v left beside 10 requests under way, want 10 of 20", left)
		}
		l.Observe(early, Advice{Remaining: 3000, HasRemaining: true})
		for range 9 {
			l.Lost()
		}
		if left := l.budget.hour.left; left > 10 || l.underWay != 0 {
			t.Errorf("%v left and %d under way after an older answer, want 10 and 0", left, l.underWay)
		}
	})
}

// What is refused says what the requests were for.
func TestTextOfAUsedUpBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(cloud.Limits{RequestsPerHour: 1000}, 0) // 400 at once
		for range 240 {
			if err := pass(t.Context(), l, cloud.PriorityCreation); err != nil {
				t.Fatal(err)
			}
		}
		for range 60 {
			if err := pass(t.Context(), l, cloud.PriorityDeletion); err != nil {
				t.Fatal(err)
			}
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := l.Wait(soon, Request{Priority: cloud.PriorityChange})
		const want = "waiting for the rate limit: the next request for changes of load balancers is possible in 30s, after the deadline; " +
			"this program has sent about 300 in the last hour, 80 % for new load balancers, 20 % for deletions of load balancers: context deadline exceeded"
		if err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
		l.Observe(time.Now(), Advice{Remaining: 0, HasRemaining: true})
		time.Sleep(2 * time.Hour)
		l.Observe(time.Now(), Advice{Remaining: 0, HasRemaining: true})
		last, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Wait(last, Request{}); err == nil || !strings.Contains(err.Error(), "sent none in the last hour, so others use the limit") {
			t.Errorf("error %v, want that others use the limit", err)
		}
	})
}

// What is less urgent leaves a part of each limit to what is more urgent.
func TestShares(t *testing.T) {
	for name, limits := range map[string]cloud.Limits{"minute": {RequestsPerMinute: 1250}, "hour": {RequestsPerHour: 2500}} {
		synctest.Test(t, func(t *testing.T) {
			l, sent := NewLimiter(limits, 0), 0
			for _, step := range []struct {
				priority cloud.Priority
				want     int
			}{{cloud.PriorityRefresh, 500}, {cloud.PriorityChange, 550}, {cloud.PriorityCreation, 600}, {cloud.PriorityBegun, 900}, {cloud.PriorityDeletion, 950}, {cloud.PriorityExistence, 1000}} {
				for {
					now, cancel := context.WithTimeout(t.Context(), time.Millisecond)
					err := pass(now, l, step.priority)
					cancel()
					if err != nil {
						break
					}
					sent++
				}
				if sent != step.want {
					t.Errorf("%s: %d requests went with priority %s, want %d", name, sent, Label(step.priority), step.want)
				}
			}
		})
	}
}

package transport

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric/metrictest"
)

// two is a cloud with an API for machines, and one for servers that may be asked 200 times an hour.
var two = Options{
	Cloud:  "c",
	Limits: cloud.Limits{RequestsPerHour: 3600, APIs: []cloud.API{{Name: "robot", RequestsPerHour: 200}}},
	API: func(r *http.Request) string {
		if strings.HasPrefix(r.URL.Path, "/robot/") {
			return "robot"
		}
		return "undeclared"
	},
}

func ask(ctx context.Context, t *testing.T, client *http.Client, path string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cloud.test"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// An API whose hour is used up keeps nobody from the other one, and never gets more than its share.
func TestUsedUpAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := two
		metrics := metrictest.New()
		o.Metrics, o.QPS = metrics, 20 // a rate that the user set is not that of the other API
		client := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/robot/") {
				w.Header().Set("RateLimit-Remaining", "150")
			}
		})
		used, start := 0, time.Now()
		for time.Since(start) < time.Hour {
			ctx, cancel := context.WithTimeout(cloud.WithPriority(t.Context(), cloud.PriorityNodeInit), time.Second) // which may use all
			if _, err := ask(ctx, t, client, "/robot/server"); err == nil {
				used++
			}
			cancel()
			before := time.Now()
			if status, err := ask(t.Context(), t, client, "/v1/servers"); status != http.StatusOK || err != nil || time.Since(before) > time.Second {
				t.Fatalf("the other API: status %d, %v, after %v", status, err, time.Since(before))
			}
			time.Sleep(time.Second)
		}
		if used < 70 || used > 160 {
			t.Errorf("%d requests of 200 in the first hour", used)
		}
		if n := metrics.Sum(metric.Requests, "c", "robot", "other", "200"); n != float64(used) {
			t.Errorf("counted for the API: %v of %d", n, used)
		}
		if n := metrics.Sum(metric.Requests, "c", "", "other", "200"); n < 1000 {
			t.Errorf("counted for the rest: %v", n)
		}
		left, _ := metrics.Gauge(metric.RateRemaining, "c", "robot")
		if _, rest := metrics.Gauge(metric.RateRemaining, "c", ""); left != 150 || rest {
			t.Errorf("%v requests are left of the API; one of the rest: %t", left, rest)
		}
	})
}

// An API that throttles, with status 429 or in its own words, pauses alone.
func TestThrottledAPI(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusForbidden} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := two
				o.Throttled = func(r *http.Response) bool { return r.StatusCode == http.StatusForbidden }
				throttled := 0
				client := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/robot/") {
						throttled++
						w.WriteHeader(status)
					}
				})
				ended := make(chan time.Time)
				go func() {
					for range 3 {
						_, _ = ask(t.Context(), t, client, "/robot/server")
					}
					ended <- time.Now()
				}()
				start := time.Now()
				for range 100 {
					if status, err := ask(t.Context(), t, client, "/v1/servers"); status != http.StatusOK || err != nil {
						t.Fatalf("the other API: status %d, %v", status, err)
					}
				}
				if spent := time.Since(start); spent > 0 {
					t.Errorf("100 requests of the other API took %v", spent)
				}
				if spent := (<-ended).Sub(start); spent < 2*time.Second || throttled < 3 {
					t.Errorf("%d throttled requests took %v: the API was not spared", throttled, spent)
				}
			})
		})
	}
}

// An API of which one request too many locks the account is left alone for as long as it declares, and whoever
// cannot wait is told at once.
func TestLockedAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := two
		o.Limits.APIs = []cloud.API{{Name: "robot", RequestsPerHour: 200, Pause: 5 * time.Minute}}
		o.Throttled = func(r *http.Response) bool { return r.StatusCode == http.StatusForbidden }
		sent, start := 0, time.Now()
		client := serve(t, o, func(w http.ResponseWriter, r *http.Request) {
			if sent++; time.Since(start) < 4*time.Minute {
				w.WriteHeader(http.StatusForbidden)
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), cloud.CallTimeout)
		defer cancel()
		_, err := ask(ctx, t, client, "/robot/server")
		if f := cloud.FailureOf(err); f.Class != cloud.FailureThrottled || f.RetryAfter < 4*time.Minute || time.Since(start) > 10*time.Second {
			t.Errorf("%+v of %v after %v", f, err, time.Since(start))
		}
		if status, err := ask(t.Context(), t, client, "/robot/server"); err != nil || status != http.StatusOK {
			t.Errorf("status %d, %v", status, err)
		}
		if spent := time.Since(start); spent < 5*time.Minute || sent != 2 {
			t.Errorf("%d requests in %v", sent, spent)
		}
	})
}

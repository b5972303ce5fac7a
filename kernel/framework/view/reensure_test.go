package view

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestReensure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period, count, periods = time.Hour, 500, 20
		var services []*corev1.Service
		for i := range count {
			services = append(services, service("s"+strconv.Itoa(i)))
		}
		last := map[string]time.Time{}
		var gaps []time.Duration
		tick, inTick, most := time.Time{}, 0, 0
		start := time.Now()
		r := newReensure(period, func() []*corev1.Service { return services }, func(svc *corev1.Service) {
			now := time.Now()
			if before, ok := last[svc.Name]; ok {
				gaps = append(gaps, now.Sub(before))
			}
			last[svc.Name] = now
			if now != tick {
				tick, inTick = now, 0
			}
			inTick++
			most = max(most, inTick)
		})
		ctx, cancel := context.WithTimeout(t.Context(), periods*period)
		defer cancel()
		r.run(ctx)
		if len(last) != count {
			t.Fatalf("%d of %d Services ensured again after %v", len(last), count, time.Since(start))
		}
		if longest := slices.Max(gaps); longest > period*5/4 {
			t.Errorf("a Service waited %v", longest)
		}
		if shortest := slices.Min(gaps); shortest < period*9/10 {
			t.Errorf("a Service waited only %v", shortest)
		}
		if most > 2*count/ticksPerPeriod+1 {
			t.Errorf("%d Services at once", most)
		}
	})
}

func TestReensureFollowsServices(t *testing.T) {
	var services []*corev1.Service
	ensured := 0
	r := newReensure(time.Hour, func() []*corev1.Service { return services }, func(*corev1.Service) { ensured++ })
	now := time.Now()
	services = append(services, service("web"))
	r.tick(now)
	if ensured != 0 {
		t.Error("a new Service is ensured by its own event")
	}
	services = nil
	r.tick(now.Add(time.Minute))
	if len(r.due) != 0 {
		t.Error("a deleted Service is remembered")
	}
	services = append(services, service("web"))
	r.tick(now.Add(2 * time.Minute))
	r.tick(now.Add(3 * time.Hour))
	if ensured != 1 {
		t.Errorf("ensured %d times", ensured)
	}
}

// Where more Services are due than a tick takes, the one that has waited longest is first, wherever the list has it.
func TestReensureTakesTheLongestDueFirst(t *testing.T) {
	now := time.Now()
	var services []*corev1.Service
	var ensured []string
	r := newReensure(time.Hour, func() []*corev1.Service { return services }, func(svc *corev1.Service) { ensured = append(ensured, svc.Name) })
	for i := range 3 {
		svc := service("s" + strconv.Itoa(i))
		services, r.due[svc.UID] = append(services, svc), now.Add(-time.Duration(i)*time.Minute)
	}
	for range 3 {
		r.tick(now)
	}
	if want := []string{"s2", "s1", "s0"}; !slices.Equal(ensured, want) {
		t.Errorf("ensured %v, want %v", ensured, want)
	}
}

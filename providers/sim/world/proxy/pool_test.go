package proxy

import (
	"slices"
	"strconv"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

func newPool(health map[string]string, fewest bool) *pool {
	p := &pool{}
	addresses := map[string]string{}
	for id := range health {
		addresses[id] = "address of " + id
	}
	p.set(addresses, fewest)
	for id, h := range health {
		p.members[id].health = h
	}
	return p
}

func TestPick(t *testing.T) {
	for name, test := range map[string]struct {
		health map[string]string
		fewest bool
		want   []string
	}{
		"in turn":                    {map[string]string{"a": api.HealthHealthy, "b": api.HealthHealthy, "c": api.HealthHealthy}, false, []string{"a", "b", "c", "a"}},
		"only healthy ones":          {map[string]string{"a": api.HealthUnknown, "b": api.HealthUnhealthy, "c": api.HealthHealthy}, false, []string{"c", "c"}},
		"unknown ones when no other": {map[string]string{"a": api.HealthUnknown, "b": api.HealthUnhealthy, "c": api.HealthUnknown}, false, []string{"a", "c", "a"}},
		"never dead ones":            {map[string]string{"a": api.HealthUnhealthy}, false, []string{""}},
		"nobody there":               {nil, false, []string{""}},
		"fewest connections":         {map[string]string{"a": api.HealthHealthy, "b": api.HealthHealthy}, true, []string{"a", "b", "a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(test.health, test.fewest)
			var got []string
			for range test.want {
				id, address := p.pick(nil, "")
				if id != "" && address != "address of "+id {
					t.Errorf("address of %s = %q", id, address)
				}
				got = append(got, id)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("picked %q, want %q", got, test.want)
			}
		})
	}
}

// A client stays with its target, and goes back to it when that returns. The others stay where they are.
func TestPickKeepsClients(t *testing.T) {
	all := map[string]string{"a": api.HealthHealthy, "b": api.HealthHealthy, "c": api.HealthHealthy}
	p := newPool(all, false)
	const clients = 100
	first, count := map[int]string{}, map[string]int{}
	for n := range clients {
		first[n], _ = p.pick(nil, strconv.Itoa(n))
		count[first[n]]++
	}
	if len(count) != len(all) {
		t.Errorf("%d clients are at %v, want some at each", clients, count)
	}
	check := func(gone string) {
		t.Helper()
		for n := range clients {
			got, _ := p.pick(nil, strconv.Itoa(n))
			if first[n] == gone && got == gone || first[n] != gone && got != first[n] {
				t.Errorf("client %d is at %s, was at %s", n, got, first[n])
			}
		}
	}
	check("")
	p.members["b"].health = api.HealthUnhealthy
	check("b")
	p.members["b"].health = api.HealthHealthy
	check("")
}

func TestPickAfterRelease(t *testing.T) {
	p := newPool(map[string]string{"a": api.HealthHealthy, "b": api.HealthHealthy}, true)
	p.pick(nil, "") // a
	p.pick(nil, "") // b
	p.release("b")
	if id, _ := p.pick(nil, ""); id != "b" {
		t.Errorf("picked %s, want b, which has fewer connections", id)
	}
}

func TestPickTriesOthers(t *testing.T) {
	p := newPool(map[string]string{"a": api.HealthHealthy, "b": api.HealthUnknown}, false)
	tried := map[string]bool{}
	for _, want := range []string{"a", "b", ""} {
		id, _ := p.pick(tried, "")
		if id != want {
			t.Errorf("picked %q, want %q", id, want)
		}
		tried[id] = true
	}
}

func TestRecord(t *testing.T) {
	check := api.HealthCheck{HealthyThreshold: 2, UnhealthyThreshold: 3}
	const good, bad = true, false
	for name, test := range map[string]struct {
		results []bool
		want    string
	}{
		"nothing yet":         {nil, api.HealthUnknown},
		"the first one good":  {[]bool{good}, api.HealthHealthy},
		"the first one bad":   {[]bool{bad}, api.HealthUnhealthy},
		"two bad are too few": {[]bool{good, bad, bad}, api.HealthHealthy},
		"three bad":           {[]bool{good, bad, bad, bad}, api.HealthUnhealthy},
		"interrupted row":     {[]bool{good, bad, bad, good, bad, bad}, api.HealthHealthy},
		"one good is too few": {[]bool{bad, good}, api.HealthUnhealthy},
		"two good":            {[]bool{bad, good, good}, api.HealthHealthy},
	} {
		p := newPool(map[string]string{"a": api.HealthUnknown}, false)
		for _, ok := range test.results {
			p.record("a", "address of a", ok, check)
		}
		if got := p.members["a"].health; got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestRecordIgnoresFormerAddress(t *testing.T) {
	p := newPool(map[string]string{"a": api.HealthHealthy}, false)
	p.record("a", "former address", false, api.HealthCheck{UnhealthyThreshold: 1})
	if got := p.members["a"].health; got != api.HealthHealthy {
		t.Errorf("health = %s: a late result of the former address counted", got)
	}
}

func TestSetKeepsHealth(t *testing.T) {
	p := newPool(map[string]string{"a": api.HealthHealthy, "b": api.HealthHealthy, "c": api.HealthHealthy}, false)
	p.set(map[string]string{"a": "address of a", "b": "moved"}, false)
	got := map[string]string{}
	p.report(got)
	if len(got) != 2 || got["a"] != api.HealthHealthy || got["b"] != api.HealthUnknown {
		t.Errorf("health = %v: want a as it was, the moved b unknown, c away", got)
	}
}

package rate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// purposes say what requests of each priority are for.
var purposes = [cloud.Priorities]string{
	cloud.PriorityNodeInit:  "new Nodes and lists of machines",
	cloud.PriorityExistence: "proofs that machines exist",
	cloud.PriorityDeletion:  "deletions of load balancers",
	cloud.PriorityBegun:     "load balancers that are being made or changed",
	cloud.PriorityCreation:  "new load balancers",
	cloud.PriorityChange:    "changes of load balancers",
	cloud.PriorityRefresh:   "comparisons",
}

// Label is the label of a priority.
func Label(p cloud.Priority) string {
	names := [cloud.Priorities]string{"node_init", "existence", "deletion", "begun", "creation", "change", "refresh"}
	return names[min(max(p, 0), cloud.PriorityRefresh)]
}

// usage is what requests were sent for.
type usage struct {
	// minutes are the last sixty, each at its number modulo sixty.
	minutes [60]minute
	tenants map[string]decayed
}

type minute struct {
	number int64
	sent   [cloud.Priorities]int
}

// decayed is a number that halves every tenantMemory.
type decayed struct {
	left float64
	at   time.Time
}

const (
	// tenantMemory is after what time half as many requests of a namespace count.
	tenantMemory = 10 * time.Minute
	// mostTenants is how many namespaces are remembered before those are dropped that hardly count.
	mostTenants = 1000
)

func (d decayed) now(now time.Time) float64 {
	return d.left * math.Exp2(-now.Sub(d.at).Seconds()/tenantMemory.Seconds())
}

// add counts a request.
func (u *usage) add(now time.Time, p cloud.Priority, tenant string) {
	number := now.Unix() / 60
	m := &u.minutes[number%int64(len(u.minutes))]
	if m.number != number {
		*m = minute{number: number}
	}
	m.sent[p]++
	if tenant == "" {
		return
	}
	if u.tenants == nil {
		u.tenants = map[string]decayed{}
	}
	if len(u.tenants) >= mostTenants {
		maps.DeleteFunc(u.tenants, func(_ string, d decayed) bool { return d.now(now) < 1 })
	}
	u.tenants[tenant] = decayed{u.tenants[tenant].now(now) + 1, now}
}

// of returns how much a namespace has used. Requests for nobody in particular serve many.
func (u *usage) of(now time.Time, tenant string) float64 { return u.tenants[tenant].now(now) }

// text says what most requests of the last hour were for. Its numbers are round, so that events about it are mostly the same.
func (u *usage) text(now time.Time) string {
	var sent [cloud.Priorities]int
	all := 0
	for _, m := range u.minutes {
		if now.Unix()/60-m.number >= int64(len(u.minutes)) {
			continue
		}
		for p, n := range m.sent {
			sent[p] += n
			all += n
		}
	}
	if all == 0 {
		return "this program has sent none in the last hour, so others use the limit"
	}
	var parts []string
	order := slices.SortedStableFunc(slices.Values([]cloud.Priority{0, 1, 2, 3, 4, 5, 6}), func(a, b cloud.Priority) int { return sent[b] - sent[a] })
	for _, p := range order {
		if percent := (20*sent[p] + all) / (2 * all) * 10; percent > 0 {
			parts = append(parts, fmt.Sprintf("%d %% for %s", percent, purposes[p]))
		}
	}
	return fmt.Sprintf("this program has sent about %d in the last hour, %s", round(all), strings.Join(parts, ", "))
}

// round returns a number with its first digit alone.
func round(n int) int {
	power := int(math.Pow10(int(math.Log10(float64(max(n, 1))))))
	return n / power * power
}

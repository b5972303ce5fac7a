package instance

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

const (
	// share of the published limit that all our reads may use on average; balancers,
	// people and other tools need the rest.
	share = 0.20
	// listShare is what lists on a schedule use of it. The difference is for reads that
	// somebody waits for.
	listShare = 0.15
	// assumedPerHour stands in where no limit is published: the lowest one any cloud
	// publishes.
	assumedPerHour = 3600
	// assumedPage stands in where no page size is published.
	assumedPage = 100
	// listsPerMinute bounds what looking after NotReady nodes costs, in lists or single
	// reads of the same cost: two, less the one that each status pass reads.
	listsPerMinute = 2 - 0.2
	// readsBetweenLists is how many single reads are always possible after a list, even
	// where a list is a single page.
	readsBetweenLists = 5
)

// pace turns the published limits of a cloud into how often it is read.
//
//	machines  page  limit/h   pages  metadata age  state age, many NotReady  one NotReady
//	1,000     200   5,000     5      60 s          33 s                      10 s
//	5,000     200   5,000     25     120 s         120 s                     10 s
//	1,000     50    3,600     20     133 s         133 s                     10 s
//	1,000     1000  –         1      60 s          33 s                      33 s
type pace struct {
	policy Policy
	limits cloud.Limits
}

// pages is what a list of n machines costs, in requests.
func (p pace) pages(n int) int {
	page := p.limits.PageSize
	if page <= 0 {
		page = assumedPage
	}
	return max(1, ceil(n, page))
}

// reads is what reading n machines one by one costs, in requests.
func (p pace) reads(n int) int { return ceil(n, p.batch()) }

// batch is how many machines one read may name.
func (p pace) batch() int { return max(1, p.limits.GetBatch) }

// perHour is the published limit.
func (p pace) perHour() float64 {
	limit := float64(assumedPerHour)
	if p.limits.RequestsPerHour > 0 {
		limit = float64(p.limits.RequestsPerHour)
	}
	if perMinute := 60 * float64(p.limits.RequestsPerMinute); perMinute > 0 {
		limit = min(limit, perMinute)
	}
	return limit
}

// spacing is how far apart scheduled reads of that cost must be.
func (p pace) spacing(requests int) time.Duration {
	return time.Duration(float64(requests) / (listShare * p.perHour()) * float64(time.Hour))
}

// metadataAge is how old a list of n machines may be to answer for metadata.
func (p pace) metadataAge(n int) time.Duration {
	return max(p.policy.MaxAge, p.spacing(p.pages(n)))
}

// stateAge is how old an answer may be to say that a machine exists, when watched of n
// machines are asked for again and again.
func (p pace) stateAge(n, watched int) time.Duration {
	pages := p.pages(n)
	cost := min(pages, p.reads(watched))
	perMinute := time.Duration(float64(cost) / (listsPerMinute * float64(pages)) * float64(time.Minute))
	return max(p.policy.StateMaxAge, perMinute, p.spacing(cost))
}

// staleAge is how old an answer may be to stand in for one that failed.
func (p pace) staleAge(n int) time.Duration {
	return max(p.policy.StaleMaxAge, p.metadataAge(n))
}

// listCheaper says whether a list of n machines costs less than reading some of them.
func (p pace) listCheaper(n, some int) bool { return p.reads(some) > p.pages(n) }

// budget is the token bucket of all reads, in requests. It starts full.
func (p pace) budget() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(share*p.perHour()/time.Hour.Seconds()), p.burst(0))
}

// burst is what the budget holds: two lists and some reads, at least five minutes' worth.
func (p pace) burst(n int) int {
	return max(int(share*p.perHour()/12), 2*p.pages(n)+2*readsBetweenLists)
}

func ceil(n, per int) int { return (n + per - 1) / per }

package instance

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// errNotItsTurn says that the cloud was not asked, to stay within its limits.
var errNotItsTurn = errors.New("not in the list of machines, and too many others are being read one by one: its turn comes later")

const (
	// share of the published limit that all our reads may use on average.
	share = 0.20
	// listShare is what lists on a schedule use of it; somebody waits for the other reads.
	listShare = 0.15
	// assumedPerHour stands in where no limit is published: the lowest one of any cloud.
	assumedPerHour = 3600
	// assumedPage stands in where no page size is published.
	assumedPage = 100
	// listsPerMinute bounds what looking after NotReady nodes costs, in lists or single
	// reads of the same cost: two, less the one that each status pass reads.
	listsPerMinute = 2 - 0.2
	// readsBetweenLists is how many single reads are always possible after a list.
	readsBetweenLists = 5
)

// schedule turns the published limits of a cloud into how often it is read.
//
//	machines  page  limit/h   pages  metadata age  state age, many NotReady  one NotReady
//	1,000     200   5,000     5      60 s          33 s                      10 s
//	5,000     200   5,000     25     120 s         120 s                     10 s
//	1,000     50    3,600     20     133 s         133 s                     10 s
//	1,000     1000  –         1      60 s          33 s                      33 s
type schedule struct {
	policy Policy
	limits cloud.Limits
}

// pages is what a list of n machines costs, in requests.
func (s schedule) pages(n int) int {
	page := s.limits.PageSize
	if page <= 0 {
		page = assumedPage
	}
	return max(1, ceil(n, page))
}

// reads is what reading n machines one by one costs, in requests.
func (s schedule) reads(n int) int { return ceil(n, s.batch()) }

// batch is how many machines one read may name.
func (s schedule) batch() int { return max(1, s.limits.GetBatch) }

// perHour is the published limit.
func (s schedule) perHour() float64 {
	limit := float64(assumedPerHour)
	if s.limits.RequestsPerHour > 0 {
		limit = float64(s.limits.RequestsPerHour)
	}
	if perMinute := 60 * float64(s.limits.RequestsPerMinute); perMinute > 0 {
		limit = min(limit, perMinute)
	}
	return limit
}

// spacing is how far apart scheduled reads of that cost must be.
func (s schedule) spacing(requests int) time.Duration {
	return time.Duration(float64(requests) / (listShare * s.perHour()) * float64(time.Hour))
}

// metadataAge is how old a list of n machines may be to answer for metadata.
func (s schedule) metadataAge(n int) time.Duration {
	return max(maxAge, s.spacing(s.pages(n)))
}

// stateAge is how old an answer may be to say that a machine exists, when watched of n
// machines are asked for again and again.
func (s schedule) stateAge(n, watched int) time.Duration {
	pages := s.pages(n)
	cost := min(pages, s.reads(watched))
	perMinute := time.Duration(float64(cost) / (listsPerMinute * float64(pages)) * float64(time.Minute))
	return max(s.policy.StateMaxAge, perMinute, s.spacing(cost))
}

// staleAge is how old an answer may be to stand in for one that failed.
func (s schedule) staleAge(n int) time.Duration {
	return max(staleMaxAge, s.metadataAge(n))
}

// listCheaper says whether a list of n machines costs less than reading some of them.
func (s schedule) listCheaper(n, some int) bool { return s.reads(some) > s.pages(n) }

// burst is what the budget holds: two lists, some reads after each and a few more, at least five minutes' worth.
func (s schedule) burst(n int) int {
	return max(int(share*s.perHour()/12), 2*s.pages(n)+3*readsBetweenLists)
}

func ceil(n, per int) int { return (n + per - 1) / per }

// budget is the token bucket of all reads, in requests. It starts full.
type budget struct {
	schedule schedule
	limiter  *rate.Limiter
	// size is the best guess at how many machines a list has.
	size func() int

	mu sync.Mutex
	// single counts the single reads of unlisted machines since the last list.
	single int
}

func newBudget(s schedule, size func() int) *budget {
	return &budget{schedule: s, size: size, limiter: rate.NewLimiter(rate.Limit(share*s.perHour()/time.Hour.Seconds()), s.burst(0))}
}

func (b *budget) list() int { return b.schedule.pages(b.size()) }

// spend takes requests that are made in any case. The debt is bounded: a burst of them, when
// many balancers go at once, must not keep new Nodes waiting for minutes.
func (b *budget) spend(requests int) {
	if left := int(b.limiter.Tokens()) + b.list() + readsBetweenLists; left > 0 {
		b.limiter.ReserveN(time.Now(), min(requests, left, b.limiter.Burst()))
	}
}

// allow takes requests, if it has them.
func (b *budget) allow(requests int) bool {
	return b.limiter.AllowN(time.Now(), min(requests, b.limiter.Burst()))
}

// room reports whether the budget has the requests and, beyond them, a list and some reads for new Nodes.
func (b *budget) room(requests int) bool {
	return b.limiter.Tokens() >= float64(requests+b.list()+readsBetweenLists)
}

// affordable is how many of n machines can be read one by one and leave a list and some reads for new Nodes.
func (b *budget) affordable(n int) int {
	requests := int(b.limiter.Tokens()) - b.list() - readsBetweenLists
	return min(n, max(requests, 0)*b.schedule.batch())
}

// spare reports whether a read that is likely to fail leaves enough for the proofs of others: a list, and some reads.
func (b *budget) spare() bool { return b.room(1 + b.list() + readsBetweenLists) }

// readsCheaper reports whether that many single reads are still cheaper than a list.
func (b *budget) readsCheaper(requests int) bool {
	most := max(b.list(), readsBetweenLists)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.single+requests <= most
}

// allowSingle takes one single read of an unlisted machine.
func (b *budget) allowSingle() error {
	if !b.readsCheaper(1) || !b.allow(1) {
		return errNotItsTurn
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.single++
	return nil
}

func (b *budget) listed() {
	b.limiter.SetBurst(b.schedule.burst(b.size()))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.single = 0
}

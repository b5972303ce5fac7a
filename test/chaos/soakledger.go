package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// stage is what a soaked Service is at, by what was written last.
type stage string

// The stages. A Service that leaves has been deleted and is there until its finalizers are gone.
const (
	absent  stage = "absent"
	asks    stage = "asks for a load balancer"
	off     stage = "is of type ClusterIP"
	handed  stage = "is another controller's"
	leaving stage = "leaves"
)

// slot is a name for a Service, which is made and deleted again and again.
type slot struct {
	name string
	// steady says that the Service only changes, so that its address never may.
	steady bool
	stage  stage
	since  time.Time
	uid    string
	// address is the first one of a steady Service, and moved a later one that differs from it.
	address, moved string
}

// ledger is what was done, to compare with what there is.
type ledger struct {
	mu    sync.Mutex
	slots []*slot
	// there are the machines, by name.
	there map[string]testcloud.Machine
	done  map[string]int
	// wrong are balancers that were deleted although a Service was reached there, doubled Services that had two for too long, idle
	// balancers that served and had no target.
	wrong, doubled, idle []string
	// twice is how often a Service got a second load balancer.
	twice int
}

func newLedger(services int) *ledger {
	l := &ledger{there: map[string]testcloud.Machine{}, done: map[string]int{}}
	for i := range services {
		l.slots = append(l.slots, &slot{name: fmt.Sprintf("web-%d", i), steady: i%4 == 0, stage: absent})
	}
	return l
}

// set notes that a Service is at another stage.
func (l *ledger) set(s *slot, to stage, uid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.stage, s.since, s.uid = to, time.Now(), uid
}

// count notes that something was done.
func (l *ledger) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done[what]++
}

// report notes what must not be.
func (l *ledger) report(list *[]string, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// byUID returns a copy of the slot of a Service that lives, nil when there is none.
func (l *ledger) byUID(uid string) *slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.slots {
		if uid != "" && s.uid == uid && s.stage != absent {
			found := *s
			return &found
		}
	}
	return nil
}

// all returns copies of the slots by name.
func (l *ledger) all() map[string]slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]slot{}
	for _, s := range l.slots {
		all[s.name] = *s
	}
	return all
}

// operation is a change of a Service.
type operation string

// The operations.
const (
	create   operation = "create"
	ports    operation = "change ports"
	annotate operation = "change annotations"
	turnOff  operation = "type ClusterIP"
	turnOn   operation = "type LoadBalancer"
	handOver operation = "hand over to another class"
	remove   operation = "delete"
)

// handsOver switches the handing over of Services to other controllers.
const handsOver = true

// mix says how often each operation is done with a Service at a stage.
var mix = map[stage]map[operation]int{
	absent: {create: 1},
	asks:   {ports: 40, annotate: 25, turnOff: 10, handOver: 8, remove: 17},
	off:    {turnOn: 60, remove: 40},
	handed: {ports: 60, remove: 40},
}

// choose draws an operation for a slot, "" for none.
func (s slot) choose(r *rand.Rand) operation {
	weights := map[operation]int{}
	total := 0
	for op, weight := range mix[s.stage] {
		ends := op == turnOff || op == handOver || op == remove
		if op == handOver && !handsOver || ends && s.steady {
			continue
		}
		weights[op], total = weight, total+weight
	}
	if total == 0 {
		return ""
	}
	at := r.IntN(total)
	for _, op := range []operation{create, ports, annotate, turnOff, turnOn, handOver, remove} {
		if at -= weights[op]; at < 0 {
			return op
		}
	}
	return ""
}

package proxy

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// pool chooses targets. The zero value is empty and ready.
type pool struct {
	mu        sync.Mutex
	members   map[string]*member // by machine id
	fewest    bool               // least connections instead of round robin
	lastTaken string
}

type member struct {
	address     string
	health      string
	streak      int // results in a row that contradict health
	connections int
}

// set replaces the members; known ones keep what is known about them.
func (p *pool) set(addresses map[string]string, fewest bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fewest = fewest
	members := map[string]*member{}
	for id, address := range addresses {
		if old, ok := p.members[id]; ok && old.address == address {
			members[id] = old
			continue
		}
		members[id] = &member{address: address, health: api.HealthUnknown}
	}
	p.members = members
}

// pick takes a member for a connection: a healthy one, or with none of those one of which
// nothing is known yet. It returns "" when there is no member that was not tried. With an
// affinity it takes the same one each time, as long as the members are the same.
func (p *pool) pick(tried map[string]bool, affinity string) (id, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, health := range []string{api.HealthHealthy, api.HealthUnknown} {
		var candidates []string
		for id, m := range p.members {
			if m.health == health && !tried[id] {
				candidates = append(candidates, id)
			}
		}
		if len(candidates) > 0 {
			if affinity != "" {
				id = kept(candidates, affinity)
			} else {
				id = p.choose(candidates)
				p.lastTaken = id
			}
			p.members[id].connections++
			return id, p.members[id].address
		}
	}
	return "", ""
}

// kept returns the candidate with the highest hash of its name and the affinity (rendezvous hashing): when one leaves, only its own
// clients go elsewhere.
func kept(candidates []string, affinity string) string {
	return slices.MaxFunc(candidates, func(a, b string) int { return cmp.Compare(weight(a, affinity), weight(b, affinity)) })
}

var seed = maphash.MakeSeed()

func weight(candidate, affinity string) uint64 { return maphash.String(seed, candidate+"/"+affinity) }

// choose returns the next candidate in turn, among those with the fewest connections when
// that is the algorithm.
func (p *pool) choose(candidates []string) string {
	if p.fewest {
		least := p.members[slices.MinFunc(candidates, func(a, b string) int {
			return p.members[a].connections - p.members[b].connections
		})].connections
		candidates = slices.DeleteFunc(candidates, func(id string) bool { return p.members[id].connections > least })
	}
	slices.Sort(candidates)
	for _, id := range candidates {
		if id > p.lastTaken {
			return id
		}
	}
	return candidates[0]
}

// release says that a connection ended.
func (p *pool) release(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.members[id]; m != nil && m.connections > 0 {
		m.connections--
	}
}

// addresses returns the members to probe.
func (p *pool) addresses() map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	addresses := map[string]string{}
	for id, m := range p.members {
		addresses[id] = m.address
	}
	return addresses
}

// record takes in the result of one probe: the first one decides, later ones need the
// threshold to change the mind.
func (p *pool) record(id, address string, ok bool, check api.HealthCheck) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[id]
	if m == nil || m.address != address {
		return
	}
	result, threshold := api.HealthUnhealthy, check.UnhealthyThreshold
	if ok {
		result, threshold = api.HealthHealthy, check.HealthyThreshold
	}
	if m.health == result {
		m.streak = 0
		return
	}
	if m.streak++; m.health == api.HealthUnknown || m.streak >= threshold {
		m.health, m.streak = result, 0
	}
}

// report writes the health of every member.
func (p *pool) report(into map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range maps.Keys(p.members) {
		into[id] = p.members[id].health
	}
}

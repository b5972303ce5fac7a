package install

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/proxy"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
)

// probes check the targets of load balancers of a cloud that is an API alone, as the simulated cloud does. Who looks at all load balancers
// holds the lock meanwhile.
type probes struct {
	sync.Mutex
	// byID have an ID such as that of the load balancer.
	byID map[string]*proxy.Proxy
}

// health is what is known of targets, by the name of the node, as in [api.Balancer].
type health map[string]string

// look says what targets are to be checked with, and what is known by now. Targets are addresses by name.
func (p *probes) look(id string, check api.HealthCheck, targets map[string]string) health {
	if p.byID == nil {
		p.byID = map[string]*proxy.Proxy{}
	}
	if p.byID[id] == nil {
		p.byID[id] = proxy.New("")
	}
	p.byID[id].Apply(api.BalancerSpec{HealthCheck: check}, targets)
	known := health{}
	for name := range targets {
		known[name] = api.HealthUnknown
	}
	p.byID[id].Report(&api.Balancer{TargetHealth: known})
	return known
}

// keep ends all other checks.
func (p *probes) keep(ids []string) {
	maps.DeleteFunc(p.byID, func(id string, checks *proxy.Proxy) bool {
		gone := !slices.Contains(ids, id)
		if gone {
			checks.Close()
		}
		return gone
	})
}

// end ends all checks.
func (p *probes) end() {
	p.Lock()
	defer p.Unlock()
	p.keep(nil)
}

// callsOf counts the requests whose route begins with one of the paths.
func callsOf(counters traffic.Counters, paths ...string) (calls Calls) {
	for route, c := range counters.Routes {
		method, path, _ := strings.Cut(route, " ")
		switch about := slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(path, p) }); {
		case about && traffic.Mutating(method):
			calls.Writes += c.Requests
		case about:
			calls.Reads += c.Requests
		}
	}
	return calls
}

func (h health) healthy() map[string]bool {
	healthy := map[string]bool{}
	for name, state := range h {
		healthy[name] = state == api.HealthHealthy
	}
	return healthy
}

// targets are those of a listener. Until one is known to be healthy, those of which nothing is known get traffic.
func (h health) targets(addresses map[string]string) (list []plane.Target) {
	good := api.HealthHealthy
	if !slices.Contains(slices.Collect(maps.Values(h)), good) {
		good = api.HealthUnknown
	}
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		if address, err := netip.ParseAddr(addresses[name]); err == nil {
			list = append(list, plane.Target{Address: address, Healthy: h[name] == good})
		}
	}
	return list
}

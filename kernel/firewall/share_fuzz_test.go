package firewall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// FuzzShare checks what holds for any openings: see checkShare.
func FuzzShare(f *testing.F) {
	f.Add(uint8(3), uint8(0), uint8(0), []byte{0, 1, 3, 1, 1, 1, 9, 1, 2, 2, 6, 3, 0, 3, 40, 9})
	f.Add(uint8(1), uint8(2), uint8(0x1b), []byte{0, 1, 3, 9, 0, 4, 5, 4, 1, 6, 6, 0x33, 2, 9, 9, 0x31})
	f.Add(uint8(7), uint8(9), uint8(0x6d), []byte("Services that were there before, and others that want much"))
	f.Fuzz(func(t *testing.T, most, first, how uint8, data []byte) {
		needs := someNeeds(data[:min(len(data), 160)])
		before := earlier(needs[:min(int(first), len(needs))], how)
		checkShare(t, needs[min(int(first/4), len(needs)):], before, limits{rules: int(most%16) + 1, sources: 2})
	})
}

// someNeeds makes Services of up to four namespaces from any bytes.
func someNeeds(data []byte) []need {
	var needs []need
	for chunk := range slices.Chunk(data, 4) {
		if len(chunk) < 4 {
			break
		}
		o := tcp(int(chunk[1]%64), int(chunk[1]%64)+int(chunk[2]%3))
		for i, source := range []string{a, b, c} {
			if chunk[3]>>i&1 == 1 {
				o.Sources = append(o.Sources, source)
			}
		}
		if chunk[3]>>3&1 == 1 {
			o.Balancers = []string{fmt.Sprint(chunk[2] % 4)}
		}
		if len(o.Sources)+len(o.Balancers) == 0 {
			continue
		}
		own := []cloud.Opening{o}
		if chunk[3]>>4&1 == 1 {
			own = append(own, tcpFrom(64+int(chunk[2]%4), fmt.Sprint(len(needs))))
		}
		if chunk[3]>>5&1 == 1 {
			o.From, o.To = int(chunk[2]%64), int(chunk[2]%64)
			own = append(own, o)
		}
		needs = append(needs, needOf(string('a'+rune(chunk[0]%4)), fmt.Sprintf("s%03d", len(needs)), int(chunk[3]), own...))
	}
	return needs
}

// earlier returns what Services needed before: the same, without the balancer, with other sources, or with another balancer.
func earlier(needs []need, how uint8) []need {
	other := map[string]string{a: b, b: c, c: a}
	before := slices.Clone(needs)
	for i, n := range needs {
		before[i].openings = nil
		for _, o := range n.openings {
			switch how >> (2 * (i % 4)) & 3 {
			case 1:
				o.Balancers = nil
			case 2:
				sources := o.Sources
				o.Sources = nil
				for _, source := range sources {
					o.Sources = append(o.Sources, other[source])
				}
			case 3:
				if o.Balancers != nil {
					o.Balancers = []string{"before"}
				}
			}
			if len(o.Sources)+len(o.Balancers) > 0 {
				before[i].openings = append(before[i].openings, o)
			}
		}
	}
	return before
}

// checkShare checks the pass after one in which there were the Services that were there before: nothing is open
// that nobody wants, the limit holds, the order of the Services does not count, what does not wait is open, no
// port is open without its health check, nobody loses a rule that is needed as it is or with other sources, and the
// next pass closes nothing.
func checkShare(t *testing.T, needs, before []need, l limits) {
	t.Helper()
	open, _ := share(before, nil, l)
	kept, waiting := share(needs, open, l)
	checkNobodyElse(t, needs, kept)
	if n := len(l.split(kept)); n > l.rules {
		t.Errorf("%d rules where %d are possible", n, l.rules)
	}
	reversed := slices.Clone(needs)
	slices.Reverse(reversed)
	if again, w := share(reversed, open, l); !cmp.Equal(kept, again) || len(w) != len(waiting) {
		t.Errorf("the order of the Services counts: %s, then %s", list(kept), list(again))
	}
	waits := map[*corev1.Service]bool{}
	for _, n := range waiting {
		waits[n.service] = true
	}
	for _, n := range needs {
		if !waits[n.service] && !same(add(kept, n.openings...), kept) {
			t.Errorf("%s/%s is neither open nor waiting", n.service.Namespace, n.service.Name)
		}
	}
	checkStays(t, needs, open, kept, l)
	checkChecks(t, needs, kept, l)
	next, _ := share(needs, kept, l)
	if !same(add(next, kept...), next) {
		t.Errorf("the next pass closes something: %s, then %s", list(kept), list(next))
	}
}

// stays returns what has to stay of a rule: what is needed of it as it was, or else with other sources, where that is one rule
// of the same ports that is no larger.
func stays(rule cloud.Opening, needs []need, l limits) []cloud.Opening {
	wanted := merge(onPorts(all(needs), rule))
	if len(wanted) != 1 || wanted[0].PortRange != rule.PortRange || l.of(wanted...) > l.of(rule) {
		return nil
	}
	if same := within(wanted, []cloud.Opening{rule}); len(same) > 0 {
		return same
	}
	return wanted
}

// checkStays checks that a rule stays that is needed, if only its sources or balancers are exchanged, unless a Service has to close
// its ports there because it needs a health check that was not open.
func checkStays(t *testing.T, needs []need, open, kept []cloud.Opening, l limits) {
	t.Helper()
	var there []cloud.Opening
	for _, rule := range open {
		there = append(there, stays(rule, needs, l)...)
	}
	for _, rule := range open {
		given := slices.ContainsFunc(needs, func(n need) bool { return len(onPorts(n.openings, rule)) > 0 && n.unchecked(there) })
		for _, o := range stays(rule, needs, l) {
			if !given && !isOpen(o, kept) {
				t.Errorf("%s from %s is needed, from %s, and closed", rule, sourcesOf(rule), sourcesOf(o))
			}
		}
	}
}

// checkChecks checks that what is open is so for Services whose health checks are open. Only what cannot be closed
// without more rules than there may be is open for others.
func checkChecks(t *testing.T, needs []need, kept []cloud.Opening, l limits) {
	t.Helper()
	for _, n := range needs {
		_, ports := n.parts()
		if ports = within(ports, kept); !n.unchecked(kept) || len(ports) == 0 {
			continue
		}
		if less := without(ports, needs, kept); l.hold(less) && !same(less, kept) {
			t.Errorf("%s/%s has %s open, and no health check", n.service.Namespace, n.service.Name, list(ports))
		}
	}
}

// checkNobodyElse checks that nobody is let in where no Service wants it.
func checkNobodyElse(t *testing.T, needs []need, kept []cloud.Opening) {
	t.Helper()
	for port := range 70 {
		want := admitted(all(needs), port)
		for who := range admitted(kept, port) {
			if !want[who] {
				t.Errorf("port %d lets %s in, which nobody wants", port, who)
			}
		}
	}
}

// TestShareOfAnything runs FuzzShare's checks on many openings at random.
func TestShareOfAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		data := make([]byte, 4*(1+random.IntN(40)))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		needs := someNeeds(data)
		random.Shuffle(len(needs), func(i, j int) { needs[i], needs[j] = needs[j], needs[i] })
		before := earlier(needs[:random.IntN(len(needs)+1)], uint8(random.Uint32()))
		checkShare(t, needs[random.IntN(len(needs)+1):], before, limits{rules: 1 + random.IntN(64), sources: 1 + random.IntN(3)})
	}
}

// all returns the openings of all needs.
func all(needs []need) []cloud.Opening {
	var list []cloud.Opening
	for _, n := range needs {
		list = append(list, n.openings...)
	}
	return list
}

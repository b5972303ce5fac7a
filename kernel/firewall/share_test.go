package firewall

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// needOf returns the need of a Service that is so many seconds old.
func needOf(namespace, name string, age int, openings ...cloud.Opening) need {
	svc := service(name, corev1.ServiceTypeNodePort)
	svc.Namespace = namespace
	svc.CreationTimestamp = metav1.NewTime(time.Unix(1_000_000-int64(age), 0))
	return need{svc, openings}
}

// every returns n openings for everyone with gaps between them.
func every(first, n int) []cloud.Opening {
	var list []cloud.Opening
	for i := range n {
		list = append(list, tcp(first+2*i, first+2*i, everyone...))
	}
	return list
}

var everyone = everywhere()

func TestShare(t *testing.T) {
	many := make([]string, 2500)
	for i := range many {
		many[i] = fmt.Sprintf("10.%d.%d.0/32", i/256, i%256)
	}
	tests := map[string]struct {
		limits limits
		needs  []need
		// kept is the ports that are open.
		kept string
		// left is what has no room, by Service.
		left map[string]string
	}{
		"no limit": {limits{}, []need{needOf("a", "x", 0, every(1, 3)...)}, "tcp/1, tcp/3, tcp/5", nil},
		"room for all": {
			limits{rules: 3}, []need{needOf("a", "x", 0, every(1, 3)...)}, "tcp/1, tcp/3, tcp/5", nil,
		},
		"namespaces take turns, the oldest first": {
			limits{rules: 5}, []need{needOf("a", "x", 1, every(1, 9)...), needOf("b", "y", 2, every(100, 9)...)},
			"tcp/1, tcp/3, tcp/100, tcp/102, tcp/104",
			map[string]string{"a/x": "tcp/5, tcp/7, tcp/9, tcp/11, tcp/13, tcp/15, tcp/17", "b/y": "tcp/106, tcp/108, tcp/110, tcp/112, tcp/114, tcp/116"},
		},
		"who needs less leaves the rest": {
			limits{rules: 5}, []need{needOf("a", "x", 1, every(1, 9)...), needOf("b", "y", 2, every(100, 1)...)},
			"tcp/1, tcp/3, tcp/5, tcp/7, tcp/100", map[string]string{"a/x": "tcp/9, tcp/11, tcp/13, tcp/15, tcp/17"},
		},
		"Services of a namespace take turns, the oldest first": {
			limits{rules: 3}, []need{needOf("a", "x", 1, every(1, 3)...), needOf("a", "y", 2, every(100, 3)...)},
			"tcp/1, tcp/100, tcp/102", map[string]string{"a/x": "tcp/3, tcp/5", "a/y": "tcp/104"},
		},
		"many Services are no advantage": {
			limits{rules: 2}, []need{
				needOf("a", "x1", 9, every(1, 1)...), needOf("a", "x2", 9, every(3, 1)...), needOf("b", "y", 2, every(100, 1)...),
			}, "tcp/1, tcp/100", map[string]string{"a/x2": "tcp/3"},
		},
		"a range is one rule": {
			limits{rules: 2}, []need{needOf("a", "x", 1, tcp(1, 1, everyone...), tcp(2, 2, everyone...)), needOf("b", "y", 2, every(100, 2)...)},
			"tcp/1-2, tcp/100", map[string]string{"b/y": "tcp/102"},
		},
		"what adds no rule has room": {
			limits{rules: 2}, []need{needOf("a", "x", 9, every(1, 2)...), needOf("b", "y", 8, every(100, 1)...), needOf("c", "z", 1, tcp(101, 101, everyone...))},
			"tcp/1, tcp/100-101", map[string]string{"a/x": "tcp/3"},
		},
		"a health check comes with the first port": {
			limits{rules: 3}, []need{
				needOf("a", "x", 9, append(every(1, 2), tcpFrom(10256, "1"))...), needOf("b", "y", 8, append(every(100, 2), tcpFrom(10256, "2"))...),
			}, "tcp/1, tcp/100, tcp/10256", map[string]string{"a/x": "tcp/3", "b/y": "tcp/102"},
		},
		"what needs many rules comes when the others have as many": {
			limits{rules: 4, sources: 1000}, []need{
				needOf("a", "x", 9, tcp(1, 1, many...)), needOf("b", "y", 8, every(100, 3)...),
			}, "tcp/100, tcp/102, tcp/104", map[string]string{"a/x": "tcp/1"},
		},
		"sources of two on one port": {
			limits{rules: 2, sources: 1000}, []need{
				needOf("a", "x", 9, tcp(1, 1, many[:800]...)), needOf("b", "y", 8, tcp(1, 1, many[800:1600]...)), needOf("b", "z", 7, every(100, 1)...),
			}, "tcp/1", map[string]string{"b/z": "tcp/100"},
		},
		"splitting the range of another costs what it adds": {
			limits{rules: 3}, []need{
				needOf("a", "x", 9, tcp(1, 9, everyone[0])), needOf("b", "y", 8, append([]cloud.Opening{tcp(5, 5, c)}, every(100, 1)...)...), needOf("c", "z", 7, every(200, 1)...),
			}, "tcp/1-9, tcp/100, tcp/200", map[string]string{"b/y": "tcp/5"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			kept, left := share(test.needs, test.limits)
			if got := list(kept); got != test.kept {
				t.Errorf("open: %s, want %s", got, test.kept)
			}
			got := map[string]string{}
			for _, c := range left {
				got[c.service.Namespace+"/"+c.service.Name] = list(c.openings)
			}
			if diff := cmp.Diff(test.left, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if n := len(test.limits.split(kept)); n != test.limits.of(kept...) || !test.limits.hold(n) {
				t.Errorf("%d rules, counted as %d", n, test.limits.of(kept...))
			}
		})
	}
}

// FuzzShare checks what holds for any openings: nothing is open that nobody wants, the limit
// holds, the order of the Services does not count, what is not left out is open, and no namespace
// gets less than its part while another has more.
func FuzzShare(f *testing.F) {
	f.Add(uint8(3), []byte{0, 1, 3, 1, 1, 1, 9, 1, 2, 2, 6, 3, 0, 3, 40, 9})
	f.Add(uint8(1), []byte{0, 1, 3, 9, 0, 4, 5, 4, 1, 6, 6, 3, 2, 9, 9, 1})
	f.Add(uint8(7), []byte("a namespace that wants much and others that want little"))
	f.Fuzz(func(t *testing.T, most uint8, data []byte) {
		needs := someNeeds(data)
		l := limits{rules: int(most%16) + 1, sources: 2}
		kept, left := share(needs, l)
		checkShare(t, needs, kept, left, l)
		slices.Reverse(needs)
		again, leftAgain := share(needs, l)
		slices.Reverse(leftAgain)
		if diff := cmp.Diff(kept, again); diff != "" {
			t.Errorf("the order of the Services counts:\n%s", diff)
		}
		if len(left) != len(leftAgain) {
			t.Errorf("%d Services are left out, in another order %d", len(left), len(leftAgain))
		}
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
		if len(o.Sources)+len(o.Balancers) > 0 {
			needs = append(needs, needOf(string('a'+rune(chunk[0]%4)), fmt.Sprintf("s%03d", len(needs)), int(chunk[3]), o))
		}
	}
	return needs
}

func checkShare(t *testing.T, needs []need, kept []cloud.Opening, left []need, l limits) {
	t.Helper()
	var wanted []cloud.Opening
	for _, c := range needs {
		wanted = append(wanted, c.openings...)
	}
	for port := range 70 {
		want := admitted(wanted, port)
		for who := range admitted(kept, port) {
			if !want[who] {
				t.Errorf("port %d lets %s in, which nobody wants", port, who)
			}
		}
	}
	if n := len(l.split(kept)); n > l.rules {
		t.Errorf("%d rules where %d are possible", n, l.rules)
	}
	out := map[*corev1.Service]bool{}
	for _, c := range left {
		out[c.service] = true
	}
	namespaces := map[string]int{}
	for _, c := range needs {
		namespaces[c.service.Namespace]++
		for _, o := range c.openings {
			if !out[c.service] && l.of(add(kept, o)...) != l.of(kept...) {
				t.Errorf("%s/%s is neither open nor left out", c.service.Namespace, c.service.Name)
			}
		}
	}
	for _, c := range left {
		namespaces[c.service.Namespace]--
	}
	// A rule of one is at most two more where it lies in the range of another, of two sources each.
	if share := l.rules / (6 * max(len(needs), 1)); share > 0 && len(left) > 0 {
		t.Errorf("%d of %d Services are left out although %d rules would do for all", len(left), len(needs), l.rules)
	}
	if part := l.rules / max(len(namespaces), 1) / 6; part > 0 {
		for namespace, has := range namespaces {
			if has == 0 {
				t.Errorf("namespace %s has nothing, its part is %d rules", namespace, part)
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
		l := limits{rules: 1 + random.IntN(64), sources: 1 + random.IntN(3)}
		kept, left := share(needs, l)
		checkShare(t, needs, kept, left, l)
		random.Shuffle(len(needs), func(i, j int) { needs[i], needs[j] = needs[j], needs[i] })
		if again, _ := share(needs, l); !cmp.Equal(kept, again) {
			t.Errorf("the order of the Services counts: %s, then %s", list(kept), list(again))
		}
	}
}

// TestShareIsFair: with one rule for each opening every namespace has its part, or all it wants.
func TestShareIsFair(t *testing.T) {
	for n := 1; n <= 12; n++ {
		l := limits{rules: 47}
		var needs []need
		for i := range n {
			for j := range 1 + i*7%5 { // up to five Services
				needs = append(needs, needOf(fmt.Sprintf("n%02d", i), fmt.Sprintf("s%d", j), i, every(1000*(i+1)+100*j, 1+i*11%40)...))
			}
		}
		kept, left := share(needs, l)
		want, has := map[string]int{}, map[string]int{}
		for _, c := range needs {
			want[c.service.Namespace] += len(c.openings)
			has[c.service.Namespace] += len(c.openings)
		}
		for _, c := range left {
			has[c.service.Namespace] -= len(c.openings)
		}
		for namespace := range want {
			if part := min(l.rules/n, want[namespace]); has[namespace] < part {
				t.Errorf("%d namespaces: %s has %d openings, want at least %d", n, namespace, has[namespace], part)
			}
		}
		if len(left) > 0 && len(kept) != l.rules {
			t.Errorf("%d namespaces: %d of %d rules are used", n, len(kept), l.rules)
		}
	}
}

// TestShareOfMany: thousands of openings, and of source ranges, take no long time.
func TestShareOfMany(t *testing.T) {
	sources := make([]string, 5000)
	for i := range sources {
		sources[i] = fmt.Sprintf("10.%d.%d.0/32", i/256, i%256)
	}
	needs := []need{needOf("greedy", "sources", 0, tcp(7, 7, sources...), tcp(9, 9, sources...))}
	for i := range 200 {
		needs = append(needs, needOf(fmt.Sprintf("n%03d", i), "ports", i, every(20+200*i, 50)...))
	}
	kept, left := share(needs, limits{rules: 47, sources: 1000})
	if n := len((limits{sources: 1000}).split(kept)); n != 47 || len(left) == 0 {
		t.Errorf("%d rules, %d Services left out", n, len(left))
	}
}

func TestWithin(t *testing.T) {
	present := []cloud.Opening{tcp(10, 20, a, "192.0.2.7"), tcpFrom(30, "1", "2")}
	tests := map[string]struct {
		in   cloud.Opening
		want []cloud.Opening
	}{
		"closed":              {tcp(5, 9, a), nil},
		"another protocol":    {udp(tcp(10, 20, a)), nil},
		"a part of the ports": {tcp(5, 12, a), []cloud.Opening{tcp(10, 12, a)}},
		"narrower sources":    {tcp(10, 10, "10.1.0.0/16"), []cloud.Opening{tcp(10, 10, "10.1.0.0/16")}},
		"wider sources":       {tcp(10, 10, everyone...), []cloud.Opening{tcp(10, 10, a)}},
		"other sources":       {tcp(10, 10, b), nil},
		"an address":          {tcp(10, 10, "192.0.2.7"), []cloud.Opening{tcp(10, 10, "192.0.2.7")}},
		"balancers":           {tcpFrom(30, "2", "3"), []cloud.Opening{tcpFrom(30, "2")}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, within(test.in, present), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

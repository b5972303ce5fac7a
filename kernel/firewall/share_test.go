package firewall

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// needOf returns the need of a Service that is so many seconds old.
func needOf(namespace, name string, age int, openings ...cloud.Opening) need {
	svc := service(name, corev1.ServiceTypeNodePort)
	svc.Namespace, svc.UID = namespace, types.UID(namespace+"/"+name)
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
	const narrow = "10.1.0.0/16"
	tests := map[string]struct {
		limits limits
		open   []cloud.Opening
		needs  []need
		// kept is the ports that are open.
		kept string
		// waiting is what waits, by Service.
		waiting map[string]string
	}{
		"no limit": {limits{}, nil, []need{needOf("a", "x", 0, every(1, 3)...)}, "tcp/1, tcp/3, tcp/5", nil},
		"room for all": {
			limits{rules: 3}, nil, []need{needOf("a", "x", 0, every(1, 3)...)}, "tcp/1, tcp/3, tcp/5", nil,
		},
		"what nobody needs is closed": {limits{rules: 3}, every(7, 3), []need{needOf("a", "x", 0, every(1, 2)...)}, "tcp/1, tcp/3", nil},
		"the oldest has what fits, as far as it fits": {
			limits{rules: 3}, nil, []need{needOf("a", "x", 1, every(1, 3)...), needOf("a", "y", 2, every(100, 2)...)},
			"tcp/1, tcp/100, tcp/102", map[string]string{"a/x": "tcp/3, tcp/5"},
		},
		"of one second by UID, whatever their names": {
			limits{rules: 1}, nil, []need{withUID("9", needOf("a", "a", 1, every(1, 1)...)), withUID("1", needOf("b", "b", 1, every(3, 1)...))},
			"tcp/3", map[string]string{"a/a": "tcp/1"},
		},
		"nobody goes for an older one": {
			limits{rules: 3}, every(100, 3), []need{needOf("a", "x", 9, every(1, 2)...), needOf("b", "y", 1, every(100, 3)...)},
			"tcp/100, tcp/102, tcp/104", map[string]string{"a/x": "tcp/1, tcp/3"},
		},
		"what becomes free is the oldest one's": {
			limits{rules: 3}, every(100, 3), []need{
				needOf("c", "z", 5, every(200, 1)...), needOf("a", "x", 9, every(1, 2)...), needOf("b", "y", 1, every(100, 2)...),
			},
			"tcp/1, tcp/100, tcp/102", map[string]string{"a/x": "tcp/3", "c/z": "tcp/200"},
		},
		"what is too much for what is left does not stop the next": {
			limits{rules: 3, sources: 1000}, every(100, 1), []need{
				needOf("a", "x", 9, tcp(1, 1, many...)), needOf("b", "y", 8, every(100, 3)...),
			}, "tcp/100, tcp/102, tcp/104", map[string]string{"a/x": "tcp/1"},
		},
		"a range is one rule": {
			limits{rules: 2}, nil, []need{needOf("a", "x", 1, tcp(1, 1, everyone...), tcp(2, 2, everyone...)), needOf("b", "y", 0, every(100, 2)...)},
			"tcp/1-2, tcp/100", map[string]string{"b/y": "tcp/102"},
		},
		"what adds no rule has room": {
			limits{rules: 2}, nil, []need{needOf("a", "x", 8, every(1, 2)...), needOf("b", "y", 9, every(100, 1)...), needOf("c", "z", 1, tcp(101, 101, everyone...))},
			"tcp/1, tcp/100-101", map[string]string{"a/x": "tcp/3"},
		},
		"a health check comes with the first port": {
			limits{rules: 3}, nil, []need{
				needOf("a", "x", 9, append(every(1, 2), tcpFrom(10256, "1"))...), needOf("b", "y", 8, append(every(100, 2), tcpFrom(10256, "2"))...),
			}, "tcp/1, tcp/3, tcp/10256", map[string]string{"b/y": "tcp/100, tcp/102, tcp/10256"},
		},
		"no port without its health check": {
			limits{rules: 2}, every(1, 1), []need{
				needOf("a", "x", 9, append(every(100, 2), tcpFrom(10256, "1"))...), needOf("b", "y", 8, every(1, 3)...),
			}, "tcp/1, tcp/3", map[string]string{"a/x": "tcp/100, tcp/102, tcp/10256", "b/y": "tcp/5"},
		},
		"the health check of a port that is open comes first": {
			limits{rules: 2}, every(1, 1), []need{needOf("a", "x", 9, append(every(1, 2), tcpFrom(10256, "1"))...)},
			"tcp/1, tcp/10256", map[string]string{"a/x": "tcp/3"},
		},
		"sources of two on one port": {
			limits{rules: 2, sources: 1000}, nil, []need{
				needOf("a", "x", 9, tcp(1, 1, many[:800]...)), needOf("b", "y", 8, tcp(1, 1, many[800:1600]...)), needOf("b", "z", 7, every(100, 1)...),
			}, "tcp/1", map[string]string{"b/z": "tcp/100"},
		},
		"narrower sources at once": {
			limits{rules: 2}, []cloud.Opening{tcp(1, 1, a), tcp(3, 3, a)}, []need{needOf("a", "x", 1, tcp(1, 1, narrow)), needOf("b", "y", 9, tcp(3, 3, a), tcp(5, 5, a))},
			"tcp/1, tcp/3", map[string]string{"b/y": "tcp/5"},
		},
		"narrower sources that are more rules than there is room for": {
			limits{rules: 2, sources: 1000}, []cloud.Opening{tcp(1, 1, a), tcp(3, 3, a)}, []need{needOf("a", "x", 9, tcp(1, 1, many...)), needOf("b", "y", 1, tcp(3, 3, a), tcp(5, 5, a))},
			"tcp/3, tcp/5", map[string]string{"a/x": "tcp/1"},
		},
		"wider sources wait": {
			limits{rules: 2, sources: 1000}, []cloud.Opening{tcp(1, 1, many[:900]...), tcp(3, 3, a)}, []need{needOf("a", "x", 9, tcp(1, 1, many...)), needOf("b", "y", 1, tcp(3, 3, a))},
			"tcp/1, tcp/3", map[string]string{"a/x": "tcp/1"},
		},
		"cutting up its own range takes no rule of another": {
			limits{rules: 3}, []cloud.Opening{tcp(1, 9, everyone...), tcp(100, 100, a), tcp(200, 200, b)},
			[]need{needOf("a", "x", 9, every(1, 5)...), needOf("b", "y", 8, tcp(100, 100, a)), needOf("c", "z", 7, tcp(200, 200, b))},
			"tcp/1, tcp/100, tcp/200", map[string]string{"a/x": "tcp/3, tcp/5, tcp/7, tcp/9"},
		},
		"narrowing takes no rule of those that share it": {
			limits{rules: 1}, []cloud.Opening{tcp(1, 3, everyone...)},
			[]need{needOf("a", "x", 9, tcp(1, 1, a)), needOf("b", "y", 1, tcp(2, 3, everyone...))},
			"tcp/2-3", map[string]string{"a/x": "tcp/1"},
		},
		"a range that a closing cuts stays the oldest one's": {
			limits{rules: 2}, []cloud.Opening{tcp(1, 3, everyone...), tcp(9, 9, everyone...)},
			[]need{needOf("a", "x", 7, tcp(1, 1, everyone...)), needOf("b", "y", 8, tcp(3, 3, everyone...)), needOf("c", "z", 1, tcp(9, 9, everyone...))},
			"tcp/3, tcp/9", map[string]string{"a/x": "tcp/1"},
		},
		"a rule of many stays whole, whatever their age": {
			limits{rules: 2}, []cloud.Opening{tcp(1, 4, everyone...), tcp(9, 9, everyone...)},
			[]need{
				needOf("a", "1", 7, tcp(1, 1, everyone...)), needOf("a", "2", 6, tcp(3, 3, everyone...)), needOf("b", "3", 5, tcp(2, 2, everyone...)),
				needOf("a", "4", 4, tcp(4, 4, everyone...)), needOf("b", "5", 3, tcp(9, 9, everyone...), tcp(11, 11, everyone...)),
			},
			"tcp/1-4, tcp/9", map[string]string{"b/5": "tcp/11"},
		},
		"the check of a port that is open comes before who is older": {
			limits{rules: 3}, every(1, 2), []need{needOf("a", "x", 1, append(every(1, 1), tcpFrom(10256, "1"))...), needOf("b", "y", 9, every(3, 2)...)},
			"tcp/1, tcp/3, tcp/10256", map[string]string{"b/y": "tcp/5"},
		},
		"a port gives way to the check of another": {
			limits{rules: 2}, every(1, 2), []need{needOf("a", "x", 1, append(every(1, 2), tcpFrom(10256, "1"))...), needOf("b", "y", 9, every(5, 1)...)},
			"tcp/1, tcp/10256", map[string]string{"a/x": "tcp/3", "b/y": "tcp/5"},
		},
		"a port whose check has no room is closed": {
			limits{rules: 2}, every(1, 2), []need{needOf("a", "x", 1, append(every(1, 1), tcpFrom(10256, "1"))...), needOf("b", "y", 2, every(3, 2)...)},
			"tcp/3, tcp/5", map[string]string{"a/x": "tcp/1, tcp/10256"},
		},
		"a port of two whose checks have no room is closed": {
			limits{rules: 1}, every(1, 1), []need{
				needOf("a", "x", 1, append(every(1, 1), tcpFrom(10256, "1"))...), needOf("a", "y", 2, append(every(1, 1), tcpFrom(10256, "2"))...),
			}, "", map[string]string{"a/x": "tcp/1, tcp/10256", "a/y": "tcp/1, tcp/10256"},
		},
		"a port whose closing would cut the rule of another stays": {
			limits{rules: 1}, []cloud.Opening{tcp(1, 3, everyone...)}, []need{
				needOf("a", "x", 9, tcp(2, 2, everyone...), tcpFrom(10256, "1")), needOf("b", "y", 1, every(1, 2)...),
			}, "tcp/1-3", map[string]string{"a/x": "tcp/10256"},
		},
		"exchanged sources stay": {
			limits{rules: 1}, []cloud.Opening{tcp(1, 1, a)}, []need{needOf("a", "x", 1, tcp(1, 1, b)), needOf("b", "y", 9, every(3, 1)...)},
			"tcp/1", map[string]string{"b/y": "tcp/3"},
		},
		"an exchanged balancer stays": {
			limits{rules: 2}, []cloud.Opening{tcp(1, 1, a), tcpFrom(10256, "1")},
			[]need{needOf("a", "x", 1, tcp(1, 1, a), tcpFrom(10256, "2")), needOf("b", "y", 9, every(3, 1)...)},
			"tcp/1, tcp/10256", map[string]string{"b/y": "tcp/3"},
		},
		"exchanged sources of one of two": {
			limits{rules: 2}, []cloud.Opening{tcp(1, 1, a), tcp(2, 2, a, b)},
			[]need{needOf("a", "x", 3, tcp(1, 2, a)), needOf("a", "z", 1, tcp(2, 2, c)), needOf("b", "y", 9, every(5, 2)...)},
			"tcp/1, tcp/2", map[string]string{"b/y": "tcp/5, tcp/7"},
		},
		"exchanged sources that are more rules come before who is older": {
			limits{rules: 3, sources: 1000}, []cloud.Opening{tcp(1, 1, b)}, []need{needOf("a", "x", 1, tcp(1, 1, many...)), needOf("b", "y", 9, every(3, 1)...)},
			"tcp/1", map[string]string{"b/y": "tcp/3"},
		},
		"who is new on a port of another waits like all": {
			limits{rules: 3}, []cloud.Opening{tcp(1, 9, a)}, []need{
				needOf("a", "x", 3, tcp(1, 9, a)), needOf("a", "z", 1, tcp(5, 5, b)), needOf("b", "y", 9, every(21, 2)...),
			}, "tcp/1-9, tcp/21, tcp/23", map[string]string{"a/z": "tcp/5"},
		},
		"more open than the firewall holds": {
			limits{rules: 2}, every(1, 4), []need{needOf("a", "x", 9, every(1, 4)...)},
			"tcp/1, tcp/3", map[string]string{"a/x": "tcp/5, tcp/7"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			kept, waiting := share(test.needs, test.open, test.limits)
			if got := list(kept); got != test.kept {
				t.Errorf("open: %s, want %s", got, test.kept)
			}
			got := map[string]string{}
			for _, n := range waiting {
				got[n.service.Namespace+"/"+n.service.Name] = list(n.openings)
			}
			if diff := cmp.Diff(test.waiting, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
			if n := len(test.limits.split(kept)); n != test.limits.of(kept...) || !test.limits.hold(kept) {
				t.Errorf("%d rules, counted as %d", n, test.limits.of(kept...))
			}
		})
	}
}

func withUID(uid types.UID, n need) need {
	n.service.UID = uid
	return n
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
	var open []cloud.Opening
	for range 2 { // into an empty firewall, and into a full one
		kept, waiting := share(needs, open, limits{rules: 47, sources: 1000})
		if n := len((limits{sources: 1000}).split(kept)); n != 47 || len(waiting) == 0 {
			t.Errorf("%d rules, %d Services wait", n, len(waiting))
		}
		open = kept
	}
}

func TestWithin(t *testing.T) {
	present := []cloud.Opening{tcp(10, 20, a, "192.0.2.7"), tcpFrom(30, "1", "2"), tcp(40, 40, everyone...)}
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
		"among everybody":     {tcpFrom(40, "3"), []cloud.Opening{tcpFrom(40, "3")}},
		"some of many":        {tcp(10, 10, "10.1.0.0/16", "10.2.3.0/24", b), []cloud.Opening{tcp(10, 10, "10.1.0.0/16", "10.2.3.0/24")}},
		"balancers":           {tcpFrom(30, "2", "3"), []cloud.Opening{tcpFrom(30, "2")}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, within([]cloud.Opening{test.in}, present), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

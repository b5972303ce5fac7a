package digitalocean_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
)

// stage is a part of a balancer's life. act begins it, and end waits for its end and returns
// the state of the cloud then, comparable between runs.
type stage struct {
	name string
	act  func(*service)
	end  func(*service) string
}

// recreation is the stage in which somebody has deleted the balancer, long after it was made.
const recreation = "recreation"

// lives are the stages that follow each other, of a Service that has no balancer at first.
var lives = map[string][]stage{
	"own": {
		{"creation", (*service).expose, (*service).settledState},
		{"change", changeAtOnce, changed},
		{recreation, loseBalancer, (*service).settledState},
		{"replacement", func(s *service) {
			s.annotate(map[string]string{upstream + "type": "REGIONAL", portable + "allow-replacement": "true"})
		}, replaced},
		{"deletion", (*service).begin, func(s *service) string { s.remove(); return remains(s) }},
	},
	"adopted": {
		{"adoption", func(s *service) { asUpstream(s.legacyName()); s.expose() }, func(s *service) string {
			s.ready() // its name proves whose it is: it is tagged with the next change
			return s.settledState()
		}},
		{"release", func(s *service) { s.edit(func(svc *corev1.Service) { svc.Spec.Type = corev1.ServiceTypeClusterIP }) },
			func(s *service) string { s.released(); return remains(s) }},
	},
}

// TestCrash kills the CCM at each request to the cloud: before every one is carried out, and
// after every one that changes something, but before it is answered. Each time another CCM
// has to come to the same end. Its parts run side by side, each in a process of its own, and beside the
// tests that come before: all of them wait most of the time.
func TestCrash(t *testing.T) {
	if p := ownPart(t); p != nil {
		s := supervise(t)
		want := map[string]string{}
		calls := s.live(lives[p.Life], want, nil)
		t.Logf("requests of an undisturbed life: %v", calls)
		report(t, s.disturb(*p, want))
		return
	}
	var workers []*worker
	for _, p := range parts {
		workers = append(workers, startWorker(t, p))
	}
	t.Parallel()
	kills := map[string]map[string]int{}
	for _, w := range workers {
		t.Run(w.String(), func(t *testing.T) {
			of := w.Life + " " + string(w.Phase)
			if kills[of] == nil {
				kills[of] = map[string]int{}
			}
			for stage, count := range w.end(t) {
				kills[of][stage] += count
			}
		})
	}
	for name, life := range lives {
		for _, phase := range []halt.Phase{halt.Before, halt.After} {
			interrupted(t, name, life, phase, kills[name+" "+string(phase)])
		}
	}
}

// interrupted checks that every stage of a life was interrupted but those that make no such request.
func interrupted(t *testing.T, name string, life []stage, phase halt.Phase, kills map[string]int) {
	t.Helper()
	t.Logf("%s: killed %s a request: %v", name, phase, kills)
	for _, part := range life {
		// The name of upstream's balancer proves whose it is, so adopting it writes nothing.
		none := phase == halt.After && part.name == "adoption"
		if (kills[part.name] == 0) != none {
			t.Errorf("%s: %s was interrupted %d times %s a request", name, part.name, kills[part.name], phase)
		}
	}
}

// disturb lives again and again, each time with a kill some requests later in each stage,
// until no stage has so many. It returns how often each stage was interrupted.
func (s *supervisor) disturb(p part, want map[string]string) map[string]int {
	s.t.Helper()
	kills := map[string]int{}
	for n := p.First; ; n += p.Step {
		fired := s.live(lives[p.Life], want, func() func() *halt.Event { return s.killAt(n, p.Phase == halt.After, p.Phase) })
		for name, count := range fired {
			kills[name] += count
		}
		if len(fired) == 0 || s.t.Failed() {
			return kills
		}
	}
}

// live runs a whole life and compares each stage's end with want, where it puts those that
// are missing. With a trap it returns the stages that were interrupted, else the requests of
// each.
func (s *supervisor) live(life []stage, want map[string]string, trap func() func() *halt.Event) map[string]int {
	s.t.Helper()
	counts := map[string]int{}
	svc := create(s.t, map[string]string{nodeSelector: ""}, nodePorts, func(svc *corev1.Service) {
		svc.Spec.Type = corev1.ServiceTypeNodePort
	})
	for _, part := range life {
		if part.name == recreation {
			s.outlives(svc)
		}
		before := env.Cloud.Counters().Total
		caught := func() *halt.Event { return nil }
		if trap != nil {
			caught = trap()
		}
		part.act(svc)
		got := part.end(svc)
		at := caught()
		switch {
		case trap == nil:
			counts[part.name] = env.Cloud.Counters().Total - before
		case at != nil:
			counts[part.name] = 1
		}
		if _, known := want[part.name]; !known {
			want[part.name] = got
		}
		if got != want[part.name] {
			s.t.Errorf("%s, killed at %+v: the end differs:\ngot  %s\nwant %s\nrequests:\n%s", part.name, at, got, want[part.name], asked(before))
		}
		if s.t.Failed() {
			return counts
		}
	}
	svc.remove() // the next one wants its node ports
	return counts
}

// expose makes the Service one with a load balancer.
func (s *service) expose() {
	s.t.Helper()
	s.edit(func(svc *corev1.Service) { svc.Spec.Type = corev1.ServiceTypeLoadBalancer })
}

// settledState is the balancer, once the Service names it.
func (s *service) settledState() string {
	s.t.Helper()
	_, b := s.ready()
	return normal(s, b)
}

// nodePorts fixes them, so that every run ends the same. The API server chooses none of the
// first 86 itself.
func nodePorts(svc *corev1.Service) {
	for i := range svc.Spec.Ports {
		svc.Spec.Ports[i].NodePort = 30040 + int32(i)
	}
}

// changeAtOnce changes ports, annotations, the name and the nodes.
func changeAtOnce(s *service) {
	exclude(s.t, pool[0].Name, true)
	s.edit(func(svc *corev1.Service) {
		svc.Spec.Ports = []corev1.ServicePort{tcp(80), tcp(8443), udp(53)}
		nodePorts(svc)
		svc.Annotations[portable+"name"] = "crashed"
		svc.Annotations[portable+"health-check-interval"] = "20"
		svc.Annotations[upstream+"deny-rules"] = "ip:192.0.2.7"
	})
}

func changed(s *service) string {
	b := s.balancer(func(b *do.Balancer) error {
		return errors.Join(
			same(rules(b), "53 udp>udp, 80 tcp>tcp, 8443 tcp>tcp"), same(name(b), "crashed"), same(targets(b), "2 of the pool"),
			same(healthInterval(b), "20"), same(refused(b), "ip:192.0.2.7"))
	})
	exclude(s.t, pool[0].Name, false)
	s.balancer(func(b *do.Balancer) error { return same(targets(b), "3 of the pool") })
	return normal(s, b)
}

// loseBalancer deletes the balancer behind the CCM's back: the Service then names one that
// no longer exists.
func loseBalancer(s *service) {
	if err := env.Cloud.LoadBalancers.Delete(s.get().Annotations[idKey]); err != nil {
		s.t.Fatal(err)
	}
	s.touch()
}

// replaced does not wait for the two seconds in which the old balancer goes.
func replaced(s *service) string {
	s.without()
	s.touch()
	s.balancer(func(b *do.Balancer) error { return same(kind(b), do.TypeRegional) })
	return s.settledState()
}

// without waits until the Service has no balancer, or a new one already.
func (s *service) without() {
	s.t.Helper()
	old := s.get().Annotations[idKey]
	if err := env.Cloud.Await(within(s.t), func(state do.State) bool { return find(state, old) == nil }); err != nil {
		s.t.Fatalf("waiting for balancer %s to go: %v", old, err)
	}
}

// begin asks for the deletion and does not wait.
func (s *service) begin() {
	s.t.Helper()
	if err := env.Client().CoreV1().Services(namespace).Delete(within(s.t), s.name, metav1.DeleteOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// exclude keeps a node from balancers, or lets it back.
func exclude(t *testing.T, node string, excluded bool) {
	t.Helper()
	value := "null"
	if excluded {
		value = `"true"`
	}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, corev1.LabelNodeExcludeBalancers, value)
	if _, err := env.Client().CoreV1().Nodes().Patch(within(t), node, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// normal is a balancer without what is new in each run.
func normal(s *service, b do.Balancer) string {
	b.CreatedAt, b.Region = "", nil
	slices.Sort(b.Tags)
	slices.Sort(b.DropletIDs)
	data, err := json.Marshal(b)
	if err != nil {
		return err.Error()
	}
	return strings.NewReplacer(b.ID, "ID", strconv.Quote(b.IP), "IP", strconv.Quote(b.IPv6), "IPv6", string(s.uid), "UID", s.legacyName(), "LEGACY", s.name, "NAME").Replace(string(data))
}

// remains is everything in the cloud that was not there at the beginning: nothing.
func remains(s *service) string {
	state := env.Cloud.State()
	var left []string
	for _, b := range state.Balancers {
		left = append(left, "balancer "+b.Name)
	}
	for _, tag := range state.Tags {
		if strings.Contains(tag, string(s.uid)) {
			left = append(left, "tag "+tag)
		}
	}
	return fmt.Sprintf("left: %q", left)
}

// asked lists the requests after the first n.
func asked(n int) string {
	var list []string
	for _, r := range env.Cloud.Requests() {
		if r.N > n {
			list = append(list, fmt.Sprintf("%s %s %s → %d", r.Start.Format("05.000"), r.Method, r.Path, r.Status))
		}
	}
	return strings.Join(list, "\n")
}

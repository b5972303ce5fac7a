package instance

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// shelf is what outlives a process: the store of the brake.
type shelf struct {
	mu     sync.Mutex
	stored safety.Stored
	err    error
}

func (s *shelf) Update(_ context.Context, change func(safety.Stored) (string, error)) error {
	s.mu.Lock()
	before, err := s.stored, s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	record, err := change(before)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.stored.Record = record
	}
	return err
}

func (s *shelf) order(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored.ReleasedBy, s.stored.ReleasedAt = "jane", at.UTC().Format(time.RFC3339Nano)
}

func (s *shelf) brake() *safety.Brake {
	b := safety.NewBrake(safety.BrakeOptions{})
	b.Keep(s)
	return b
}

func keptBrake(o safety.BrakeOptions) (*safety.Brake, *shelf) {
	b, s := safety.NewBrake(o), &shelf{}
	b.Keep(s)
	return b, s
}

// vanish ends machines, and their Nodes become NotReady.
func (w *world) vanish(nodes ...*corev1.Node) {
	for _, node := range nodes {
		w.terminate(cloud.InstanceID("id-" + node.Name))
		w.unready(node)
	}
}

// conceal makes lists and direct reads deny machines whose names begin so. Their Nodes are
// NotReady, or nobody would ask for them.
func (w *world) conceal(prefix string) {
	hidden := func(id cloud.InstanceID) bool { return strings.HasPrefix(string(id), "id-"+prefix) }
	for _, node := range w.listNodes() {
		if strings.HasPrefix(node.Name, prefix) {
			w.unready(node)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hide = hidden
	w.onList = func(_ context.Context, list *cloud.InstanceList) error {
		var seen []cloud.Instance
		for _, item := range list.Items {
			if !hidden(item.ID) {
				seen = append(seen, item)
			}
		}
		list.Items = seen
		return nil
	}
}

// taint marks Nodes as the autoscaler does before it removes their machines.
func (w *world) taint(nodes ...*corev1.Node) []*corev1.Node {
	return w.taintAs(fmt.Sprint(time.Now().Unix()), nodes...)
}

func (w *world) taintAs(value string, nodes ...*corev1.Node) (tainted []*corev1.Node) {
	for _, node := range nodes {
		node = node.DeepCopy()
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "ToBeDeletedByClusterAutoscaler", Value: value})
		tainted = append(tainted, w.put(node))
	}
	return tainted
}

// A process that is killed every 45 s while the cloud hides 25 of 40 machines for good must not
// delete a single Node, whatever the cloud's limits are.
func TestHiddenMachinesOverRestarts(t *testing.T) {
	for name, limits := range map[string]cloud.Limits{"one by one": digitalOcean, "a hundred at once": aws} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w, kept := newWorld(limits), &shelf{}
				w.members("up", 15, true)
				w.members("down", 25, true)
				w.status(t.Context(), w.inventory(kept.brake()), 10)
				w.conceal("down")
				for range 20 {
					i := w.inventory(kept.brake())
					w.status(t.Context(), i, 10)
					w.lifecycle(t.Context(), i, 10, 45*time.Second)
				}
				if got := w.gone(); len(got) > 0 {
					t.Errorf("deleted %v", got)
				}
				if got := w.tellers(event.BrakeEngaged); got != 25 || w.count(metric.BrakeEngaged, "") != 1 {
					t.Errorf("%d of 25 nodes say why they are held", got)
				}
			})
		})
	}
}

// The same with other machines hidden each time, never more than may go at once.
func TestHiddenMachinesInTurnsOverRestarts(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(aws), &shelf{}
		for turn := range 10 {
			w.members(fmt.Sprintf("turn%d-", turn), 4, true)
		}
		for turn := range 10 {
			i := w.inventory(kept.brake())
			w.conceal(fmt.Sprintf("turn%d-", turn))
			w.lifecycle(t.Context(), i, 10, 45*time.Second)
		}
		if got := len(w.gone()); got > 8 {
			t.Errorf("%d of 40 deleted in 8 minutes, want at most one window's 8", got)
		}
	})
}

// More than the limit at once is believed after MassWait, not before and not after a doubt.
func TestMassRemoval(t *testing.T) {
	tests := []struct {
		name       string
		stay, went int
		ready      bool
	}{
		{"12 of 20", 8, 12, true},
		{"half of 100", 50, 50, true},
		{"half of 20, none Ready", 10, 10, false},
		{"10 of 10", 0, 10, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(aws)
				i := w.inventory(nil)
				w.members("stay", test.stay, test.ready)
				nodes := w.members("go", test.went, true)
				w.status(t.Context(), i, 10)
				w.vanish(nodes...)
				wait := i.policy.MassWait
				if test.stay == 0 {
					wait *= absence.EmptyFactor
				}
				w.lifecycle(t.Context(), i, 10, wait-time.Second)
				if got := w.gone(); len(got) > 0 {
					t.Fatalf("deleted %v before", got)
				}
				began := time.Now()
				w.lifecycle(t.Context(), i, 10, 3*time.Minute)
				if got := len(w.gone()); got != test.went {
					t.Errorf("%d deleted, want %d: %v", got, test.went, w.counts)
				}
				t.Logf("%v from then on", time.Since(began))
			})
		})
	}
}

// What speaks against the cloud's answers keeps the time from running.
func TestMassRemovalInDoubt(t *testing.T) {
	for name, doubt := range map[string]func(w *world){
		"a Ready node's machine is missing too": func(w *world) {
			w.terminate("id-stay-0") // what the list lacks, while the kubelet says otherwise
		},
		"a list is incomplete": func(w *world) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.onList = func(_ context.Context, list *cloud.InstanceList) error {
				list.Complete = false
				return nil
			}
		},
		"one comes back now and then": func(w *world) {
			if id := cloud.InstanceID("id-go-0"); w.machines[id].ID == "" {
				w.boot("go-0")
			} else {
				w.terminate(id)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(aws)
				i := w.inventory(nil)
				w.members("stay", 40, true)
				nodes := w.members("go", 25, true)
				w.status(t.Context(), i, 10)
				w.vanish(nodes...)
				for range 9 {
					doubt(w)
					w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				}
				if got := w.gone(); len(got) > 0 {
					t.Errorf("deleted %v", got)
				}
			})
		})
	}
}

// What somebody announced in the cluster is no outage: it goes at once and takes no room from
// the rest.
func TestAnnouncedRemoval(t *testing.T) {
	for _, test := range []struct {
		name       string
		stay, went int
	}{{"12 of 20", 8, 12}, {"10 of 10", 0, 10}} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("stay", test.stay, true)
				nodes := w.members("go", test.went, true)
				w.status(t.Context(), i, 10)
				w.vanish(w.taint(nodes...)...)
				w.lifecycle(t.Context(), i, 10, 2*time.Minute)
				if got := len(w.gone()); got != test.went {
					t.Fatalf("%d deleted, want %d: %v", got, test.went, w.counts)
				}
				if test.stay > 0 {
					w.vanish(w.member("another", true))
					w.lifecycle(t.Context(), i, 10, 2*time.Minute)
					if got := len(w.gone()); got != test.went+1 {
						t.Errorf("%d deleted, want one more: %v", got, w.counts)
					}
				}
			})
		})
	}
}

// A taint that an autoscaler left behind, or that says no time, announces nothing: with such ones
// on many Nodes, an outage would take them all. A Node that is being deleted goes in any case.
func TestAnnouncementsThatAreNone(t *testing.T) {
	deleting := func(w *world, nodes ...*corev1.Node) (all []*corev1.Node) {
		for _, node := range nodes {
			node = node.DeepCopy()
			node.DeletionTimestamp = &metav1.Time{Time: time.Now().Add(-24 * time.Hour)}
			all = append(all, w.put(node))
		}
		return all
	}
	value := func(value string) func(*world, ...*corev1.Node) []*corev1.Node {
		return func(w *world, nodes ...*corev1.Node) []*corev1.Node { return w.taintAs(value, nodes...) }
	}
	at := func(age time.Duration) func(*world, ...*corev1.Node) []*corev1.Node {
		return func(w *world, nodes ...*corev1.Node) []*corev1.Node {
			return w.taintAs(fmt.Sprint(time.Now().Add(-age).Unix()), nodes...)
		}
	}
	for name, test := range map[string]struct {
		ownershipTag func(w *world, nodes ...*corev1.Node) []*corev1.Node
		want         int
	}{
		"an hour old":             {at(time.Hour), 25},
		"of a clock that is fast": {at(-time.Hour), 25},
		"three hours old":         {at(3 * time.Hour), 0},
		"of next week":            {at(-7 * 24 * time.Hour), 0},
		"without time":            {value(""), 0},
		"no time":                 {value("true"), 0},
		"being deleted":           {deleting, 25},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(aws)
				i := w.inventory(nil)
				w.members("stay", 15, true)
				nodes := w.members("go", 25, true)
				w.status(t.Context(), i, 10)
				w.vanish(test.ownershipTag(w, nodes...)...)
				w.lifecycle(t.Context(), i, 10, 5*time.Minute)
				if got := len(w.gone()); got != test.want {
					t.Errorf("%d deleted, want %d: %v", got, test.want, w.counts)
				}
			})
		})
	}
}

// An announcement is not about the account.
func TestAnnouncedRemovalInAnotherAccount(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(digitalOcean), &shelf{}
		nodes := w.members("go", 10, true)
		w.status(t.Context(), w.inventory(kept.brake()), 10)
		time.Sleep(time.Minute)
		w.vanish(w.taint(nodes...)...)
		w.account = "team-2"
		i := w.inventory(kept.brake())
		w.lifecycle(t.Context(), i, 10, 2*i.policy.MassWait)
		if got := w.gone(); len(got) > 0 || w.count(metric.Verdicts, string(absence.IdentityChanged)) == 0 {
			t.Errorf("deleted %v: %v", got, w.counts)
		}
	})
}

// Scale to zero where the control plane is somebody else's: the account answers, nothing else
// is left. The account must be the one that had the machines, also after a restart.
func TestScaleToZero(t *testing.T) {
	for _, test := range []struct {
		name, account string
		stranger      bool
		want          int
	}{
		{"the same account", "team-1", false, 10},
		{"the same account, a machine without a node", "team-1", true, 10},
		{"another account", "team-2", true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w, kept := newWorld(digitalOcean), &shelf{}
				nodes := w.members("go", 10, true)
				w.status(t.Context(), w.inventory(kept.brake()), 10)
				time.Sleep(5 * time.Minute)
				w.status(t.Context(), w.inventory(kept.brake()), 10)
				time.Sleep(time.Minute)
				w.vanish(nodes...)
				if test.stranger {
					w.boot("stranger")
				}
				w.account = test.account
				i := w.inventory(kept.brake())
				wait := i.policy.MassWait
				if !test.stranger {
					wait *= absence.EmptyFactor
				}
				w.lifecycle(t.Context(), i, 10, wait)
				if got := w.gone(); len(got) > 0 {
					t.Fatalf("deleted %v too early", got)
				}
				w.lifecycle(t.Context(), i, 10, 5*time.Minute)
				if got := len(w.gone()); got != test.want {
					t.Errorf("%d deleted, want %d: %v", got, test.want, w.counts)
				}
				if test.want == 0 {
					kept.order(time.Now()) // the operator means the other account
					w.lifecycle(t.Context(), i, 10, 5*time.Minute)
					if got := len(w.gone()); got != 10 {
						t.Errorf("%d deleted after the release: %v", got, w.counts)
					}
				}
			})
		})
	}
}

// A release is about what is missing when it is seen; what is missing later is held again. The
// next process knows it too.
func TestReleaseOfMass(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(aws), &shelf{}
		var told []safety.Release
		start := func() *Inventory {
			i := w.inventory(kept.brake())
			i.OnRelease(func(r safety.Release) { told = append(told, r) })
			w.status(t.Context(), i, 10)
			return i
		}
		w.members("up", 15, true)
		nodes := w.members("down", 25, true)
		i := start()
		w.vanish(nodes...)
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		kept.order(time.Now())
		time.Sleep(6 * time.Second)
		_, _ = i.Exists(t.Context(), w.nodes["down-0"]) // sees the release, and dies
		i = start()
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		if got := len(w.gone()); got != 25 {
			t.Fatalf("%d deleted after the release, want 25: %v", got, w.counts)
		}
		if len(told) != 1 || told[0].By != "jane" || told[0].Keys != 25 {
			t.Errorf("told %+v", told)
		}
		w.vanish(w.members("later", 10, true)...)
		w.lifecycle(t.Context(), i, 10, 10*time.Minute)
		if got := len(w.gone()); got != 25 {
			t.Errorf("%d deleted, want no more than were released", got)
		}
	})
}

// A release that is read minutes after it was given is about what was missing then: Nodes that were
// Ready at that time, and those that still are, stay held.
func TestReleaseIsAboutItsTime(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(aws), &shelf{}
		w.members("up", 40, true)
		nodes, later := w.members("down", 25, true), w.members("later", 20, true)
		w.status(t.Context(), w.inventory(kept.brake()), 10)
		w.vanish(nodes...)
		time.Sleep(time.Minute)
		kept.order(time.Now()) // nobody leads
		time.Sleep(5 * time.Minute)
		w.vanish(later...)
		for n := range 3 { // hidden: their kubelets report
			w.terminate(cloud.InstanceID(fmt.Sprint("id-up-", n)))
		}
		i := w.inventory(kept.brake())
		w.status(t.Context(), i, 10)
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		for n := range 3 {
			w.unready(w.nodes[fmt.Sprint("up-", n)])
		}
		w.lifecycle(t.Context(), i, 10, 10*time.Minute)
		if got := w.gone(); len(got) != 25 || !strings.HasPrefix(got[24], "down") {
			t.Errorf("%d deleted, want the 25 that were missing when the release was given: %v", len(got), got)
		}
	})
}

// What asks the brake before anything was listed does not use a release up for nothing.
func TestReleaseBeforeTheFirstList(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(aws), &shelf{}
		nodes := w.members("down", 25, true)
		w.status(t.Context(), w.inventory(kept.brake()), 10)
		w.vanish(nodes...)
		w.boot("stranger")
		time.Sleep(time.Minute)
		kept.order(time.Now())
		i := w.inventory(kept.brake())
		if err := i.Trust(t.Context()); err != nil { // of a Service that is looked at first
			t.Fatal(err)
		}
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		if got := len(w.gone()); got != 25 {
			t.Errorf("%d of 25 deleted after the release: %v", got, w.counts)
		}
	})
}

// More Ready Nodes of another account than may go together, with our provider-IDs, hold the others:
// the event says what ends that, and a release is not it.
func TestReadyNodesOfAnotherAccount(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("up", 20, true)
		others := w.members("other", 6, true)
		w.status(t.Context(), i, 10)
		for _, node := range others {
			w.terminate(cloud.InstanceID("id-" + node.Name))
		}
		w.vanish(w.member("gone", true))
		w.lifecycle(t.Context(), i, 10, 3*time.Minute)
		_, text := w.told("gone", event.BrakeEngaged)
		if got := w.gone(); len(got) > 0 || !strings.Contains(text, "multicloud-ccm.io/unmanaged=true") || strings.Contains(text, "release-brake") {
			t.Fatalf("deleted %v, told %q", got, text)
		}
		for _, node := range others {
			node = node.DeepCopy()
			node.Labels = map[string]string{LabelUnmanaged: "true"}
			w.put(node)
		}
		w.lifecycle(t.Context(), i, 10, 3*time.Minute)
		if got := w.gone(); len(got) != 1 {
			t.Errorf("deleted %v once they are labelled: %v", got, w.counts)
		}
	})
}

// whileTheRecordIsUnavailable expects that the Node "down" stays while the API server does not
// answer, of which check wants to see more, and goes once it does. prepare may change the Node.
func whileTheRecordIsUnavailable(t *testing.T, prepare func(*world, *corev1.Node) *corev1.Node, check func(*testing.T, *world)) {
	t.Helper()
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(aws), &shelf{err: fmt.Errorf("connection refused")}
		i := w.inventory(kept.brake())
		w.members("up", 20, true)
		w.vanish(prepare(w, w.member("down", true)))
		w.lifecycle(t.Context(), i, 10, 5*time.Minute)
		if got := w.gone(); len(got) > 0 {
			t.Errorf("deleted %v: %v", got, w.counts)
		}
		check(t, w)
		kept.mu.Lock()
		kept.err = nil
		kept.mu.Unlock()
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if got := w.gone(); len(got) != 1 {
			t.Errorf("deleted %v once it answers", got)
		}
	})
}

// The API server does not answer: nothing is deleted, and it is said why.
func TestBrakeRecordUnavailable(t *testing.T) {
	asItIs := func(_ *world, node *corev1.Node) *corev1.Node { return node }
	whileTheRecordIsUnavailable(t, asItIs, func(t *testing.T, w *world) {
		if w.count(metric.BrakeEngaged, "") != 1 {
			t.Errorf("the brake is not engaged: %v", w.counts)
		}
		if _, text := w.told("down", event.BrakeEngaged); !strings.Contains(text, "can't be read or written") {
			t.Errorf("told %q", text)
		}
	})
}

// What was announced goes without asking for room, but not while the record can't be read: there may
// be something in it that holds everything.
func TestAnnouncedRemovalWhileTheRecordIsUnavailable(t *testing.T) {
	announce := func(w *world, node *corev1.Node) *corev1.Node { return w.taint(node)[0] }
	whileTheRecordIsUnavailable(t, announce, func(t *testing.T, w *world) {
		if w.count(metric.Verdicts, string(absence.BrakeRecord)) == 0 {
			t.Errorf("no decision says why: %v", w.counts)
		}
	})
}

// Two good lists with half an hour of failed ones between them say nothing of that half hour: the
// time starts with the second one.
func TestMassRemovalNeedsListsAllTheTime(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("up", 15, true)
		w.members("down", 25, true)
		w.status(t.Context(), i, 10)
		w.conceal("down")
		w.lifecycle(t.Context(), i, 10, 2*time.Minute)
		good := w.onList
		list := func(hook func(context.Context, *cloud.InstanceList) error, d time.Duration) {
			w.mu.Lock()
			w.onList = hook
			w.mu.Unlock()
			w.lifecycle(t.Context(), i, 10, d)
		}
		list(func(context.Context, *cloud.InstanceList) error { return errDown }, i.policy.MassWait+5*time.Minute)
		list(good, i.policy.MassWait-2*time.Minute)
		if got := w.gone(); len(got) > 0 {
			t.Fatalf("deleted %v", got)
		}
		list(good, 5*time.Minute)
		if got := len(w.gone()); got != 25 {
			t.Errorf("%d of 25 deleted after half an hour of lists: %v", got, w.counts)
		}
	})
}

// Machines that no list has, such as Fargate's, are not missing as long as direct reads show
// them.
func TestUnlistedMachinesAreNotMissing(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("unlisted", 30, true)
		node := w.member("gone", true)
		w.onList = func(_ context.Context, list *cloud.InstanceList) error {
			list.Items = []cloud.Instance{{ID: "stranger"}}
			return nil
		}
		w.status(t.Context(), i, 10)
		time.Sleep(5 * time.Minute)
		w.status(t.Context(), i, 10)
		w.vanish(node)
		w.lifecycle(t.Context(), i, 10, 3*time.Minute)
		if got := w.gone(); len(got) != 1 {
			t.Errorf("deleted %v, want gone: %v", got, w.counts)
		}
	})
}

// A token that may not ask for its account: a machine of a Ready Node proves as much. Without
// one the event names what is missing.
func TestAccountMayNotBeAsked(t *testing.T) {
	for _, up := range []int{20, 0} {
		t.Run(fmt.Sprint(up, " Ready"), func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventoryOf(modest{w}, nil)
				w.members("up", up, true)
				w.members("down", 3, false)
				w.status(t.Context(), i, 10)
				w.vanish(w.member("gone", true))
				w.lifecycle(t.Context(), i, 10, 3*time.Minute)
				if got := len(w.gone()); (got == 1) != (up > 0) {
					t.Errorf("%d deleted: %v", got, w.counts)
				}
				if _, text := w.told("gone", event.DeletionHeld); up == 0 && !strings.Contains(text, "account:read") {
					t.Errorf("told %q", text)
				}
				if err := i.Trust(t.Context()); (err == nil) != (up > 0) {
					t.Errorf("Trust() = %v", err)
				}
			})
		})
	}
}

// A release is the operator's word about the account and about the list, when no Node is Ready that
// could prove more: for credentials that may not ask for their account, and while the list lacks a
// part for good, such as a server in an unknown state. What it is not about stays.
func TestReleaseWhereLittleIsKnown(t *testing.T) {
	for name, test := range map[string]struct{ modest, partial bool }{
		"the account is not known":                         {modest: true},
		"the list is incomplete":                           {partial: true},
		"the account is not known, the list is incomplete": {modest: true, partial: true},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w, kept := newWorld(aws), &shelf{}
				var driver cloud.Account = w
				if test.modest {
					driver = modest{w}
				}
				nodes := w.members("go", 10, true)
				w.status(t.Context(), w.inventoryOf(driver, kept.brake()), 10)
				if test.partial {
					w.onList = func(_ context.Context, list *cloud.InstanceList) error {
						list.Complete = false
						return nil
					}
				}
				w.vanish(nodes...)
				i := w.inventoryOf(driver, kept.brake())
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if got := w.gone(); len(got) > 0 {
					t.Fatalf("deleted %v", got)
				}
				kept.order(time.Now())
				time.Sleep(time.Second)
				w.vanish(w.members("later", 10, true)...)
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if got := w.gone(); len(got) != 10 || got[9] != "go-9" {
					t.Errorf("%d deleted after the release, want those 10: %v, %v", len(got), got, w.counts)
				}
			})
		})
	}
}

// modest is a cloud whose credentials may not ask for their account.
type modest struct{ *world }

func (m modest) Identity(ctx context.Context) (cloud.Identity, error) {
	if err := m.call(ctx, "identity", 1); err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{}, &cloud.Error{
		Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "identity", Err: fmt.Errorf("403: needs account:read"),
	}
}

// A process that starts with another account's credentials, while no Node is Ready, must not
// believe that balancers are gone.
func TestTrustAfterRestartInAnotherAccount(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w, kept := newWorld(digitalOcean), &shelf{}
		w.members("n", 3, false)
		i := w.inventory(kept.brake())
		w.lifecycle(t.Context(), i, 1, 2*time.Minute)
		if err := i.Trust(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.account = "team-2"
		if err := w.inventory(kept.brake()).Trust(t.Context()); err == nil {
			t.Error("another account is trusted after a restart")
		}
		w.account = "team-1"
		if err := w.inventory(kept.brake()).Trust(t.Context()); err != nil {
			t.Errorf("the right account is not: %v", err)
		}
	})
}

// Young Nodes and those of nobody are not missing.
func TestMissingAreOurOwnOnly(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("up", 10, true)
		for n := range 20 {
			node := w.member(fmt.Sprint("young-", n), false)
			node.CreationTimestamp = metav1.Now()
			w.terminate(cloud.InstanceID("id-" + node.Name))
			other := w.member(fmt.Sprint("other-", n), false)
			other.Spec.ProviderID = "other://" + other.Name
		}
		w.vanish(w.member("gone", true))
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if got := w.gone(); len(got) != 1 || got[0] != "gone" {
			t.Errorf("deleted %v, want gone: %v", got, w.counts)
		}
	})
}

// nameless is a cloud of which nothing tells one account from another.
type nameless struct{ *world }

func (n nameless) Identity(ctx context.Context) (cloud.Identity, error) {
	return cloud.Identity{Unknown: true}, n.call(ctx, "identity", 1)
}

// Without a name of the account the machine of a Ready Node decides alone: a new token of the same project
// changes nothing, and with that of another project, or of an empty one, nothing is gone.
func TestAccountWithoutName(t *testing.T) {
	for name, test := range map[string]struct {
		up      int
		swap    func(*world)
		deleted int
	}{
		"the same project, and a rotated token":  {20, func(*world) {}, 1},
		"the same project, and no node is Ready": {0, func(*world) {}, 0},
		"another project": {20, func(w *world) {
			clear(w.machines)
			w.machines["id-other"] = cloud.Instance{ID: "id-other", Name: "other", State: cloud.StateRunning}
		}, 0},
		"an empty project":                        {20, func(w *world) { clear(w.machines) }, 0},
		"another project, and only one is Ready":  {1, func(w *world) { clear(w.machines) }, 0},
		"an empty project, and no node was Ready": {0, func(w *world) { clear(w.machines) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(hetzner)
				i := w.inventoryOf(nameless{w}, nil)
				w.members("up", test.up, true)
				w.members("down", 3, false)
				w.status(t.Context(), i, 10)
				w.vanish(w.member("gone", true))
				w.mu.Lock()
				test.swap(w)
				w.mu.Unlock()
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if got := w.gone(); len(got) != test.deleted {
					t.Errorf("deleted %v, want %d: %v", got, test.deleted, w.counts)
				}
				if err := i.Trust(t.Context()); (err == nil) != (test.deleted > 0) {
					t.Errorf("Trust() = %v", err)
				}
			})
		})
	}
}

// twoAccounts is a cloud without names of accounts that sees the machines called b- with credentials of
// their own.
type twoAccounts struct{ nameless }

func (twoAccounts) PartOf(id cloud.InstanceID) string {
	if strings.Contains(string(id), "b-") {
		return "b"
	}
	return ""
}

// Machines that are seen with other credentials prove nothing: those of one account are right while those
// of the other one are of somebody else.
func TestOtherCredentialsProveNothing(t *testing.T) {
	for name, test := range map[string]struct {
		wrong   string // the machines that are not seen any more begin so, "" for none
		gone    string
		deleted int
		trusted bool
	}{
		"a gone":                          {gone: "a-gone", deleted: 1, trusted: true},
		"b gone":                          {gone: "b-gone", deleted: 1, trusted: true},
		"a gone, wrong credentials for a": {wrong: "id-a-", gone: "a-gone"},
		"b gone, wrong credentials for b": {wrong: "id-b-", gone: "b-gone", trusted: true},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(hetzner)
				i := w.inventoryOf(twoAccounts{nameless{w}}, nil)
				w.members("a-up", 2, true)
				w.members("b-up", 2, true)
				w.status(t.Context(), i, 10)
				w.vanish(w.member(test.gone, true))
				w.mu.Lock()
				maps.DeleteFunc(w.machines, func(id cloud.InstanceID, _ cloud.Instance) bool {
					return test.wrong != "" && strings.HasPrefix(string(id), test.wrong)
				})
				w.mu.Unlock()
				w.lifecycle(t.Context(), i, 10, 10*time.Minute)
				if got := w.gone(); len(got) != test.deleted {
					t.Errorf("deleted %v, want %d: %v", got, test.deleted, w.counts)
				}
				if err := i.Trust(t.Context()); (err == nil) != test.trusted {
					t.Errorf("Trust() = %v", err)
				}
			})
		})
	}
}

package instance

import (
	"context"
	"fmt"
	"strings"
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

func TestExistsOfOthersNodes(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		for name, change := range map[string]func(*corev1.Node){
			"another cloud's": func(n *corev1.Node) { n.Spec.ProviderID = "other://1" },
			"no scheme":       func(n *corev1.Node) { n.Spec.ProviderID = "1" },
			"opted out":       func(n *corev1.Node) { n.Labels = map[string]string{LabelUnmanaged: "true"} },
		} {
			node := w.member("n", false).DeepCopy()
			change(node)
			mustExist(t, i, node)
			if off, err := i.Shutdown(t.Context(), node); off || err != nil {
				t.Errorf("%s: Shutdown() = %v, %v, want false", name, off, err)
			}
			if _, err := i.Metadata(t.Context(), node); err == nil {
				t.Errorf("%s: Metadata() has no error", name)
			}
		}
		for name, id := range map[string]string{"empty": "", "malformed": "test://a/b"} {
			node := w.member("n", false).DeepCopy()
			node.Spec.ProviderID = id
			if exists, err := i.Exists(t.Context(), node); exists || err == nil {
				t.Errorf("%s provider-ID: Exists() = %v, %v, want an error", name, exists, err)
			}
		}
		if w.cost() > 0 {
			t.Error("the cloud was asked")
		}
	})
}

func TestReallyDeletedIsRemoved(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("gone", true)
		w.status(t.Context(), i, 10)
		w.terminate("id-gone")
		w.unready(node)
		w.lifecycle(t.Context(), i, 10, 50*time.Second)
		if got := w.gone(); len(got) != 1 || got[0] != "gone" {
			t.Fatalf("deleted %v after 50 s, want [gone]: %v", got, w.events)
		}
		if n, text := w.told("gone", event.CheckingInstance); n != 1 || len(w.events) != 1 || !strings.HasSuffix(text, "checking whether machine id-gone is gone; confirmed on the next read") {
			t.Errorf("events on the way %v, want one that the machine is being checked", w.events)
		}
		if got := w.count(metric.Verdicts, "gone"); got != 1 {
			t.Errorf("%d decisions gone, want 1", got)
		}
	})
}

func TestDeletedNeverWithoutWholeProof(t *testing.T) {
	tests := []struct {
		name string
		// arrange changes the world after the machine of "gone" went.
		arrange func(*world)
		want    absence.Decision
		told    event.Reason
	}{
		{"no Ready node's machine is seen", func(w *world) {
			w.hide = func(cloud.InstanceID) bool { return true }
		}, absence.NoProbe, event.DeletionHeld},
		{"another account", func(w *world) { w.account = "team-2" }, absence.IdentityChanged, event.IdentityChanged},
		{"account unreadable", func(w *world) { w.account = "" }, absence.CloudFailure, event.CloudUnavailable},
		{"reads fail", func(w *world) {
			w.onGet = func(context.Context, cloud.InstanceID) error { return errDown }
		}, absence.CloudFailure, event.CloudUnavailable},
		{"unauthorized", func(w *world) {
			w.onGet = func(context.Context, cloud.InstanceID) error {
				return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureUnauthorized}, Op: "test", Err: fmt.Errorf("401")}
			}
		}, absence.CloudFailure, event.CloudUnavailable},
		{"not found as an error", func(w *world) {
			w.onGet = func(context.Context, cloud.InstanceID) error {
				return &cloud.Error{Failure: cloud.Failure{Class: cloud.FailureNotFound}, Op: "test", Err: fmt.Errorf("404")}
			}
		}, absence.CloudFailure, event.CloudUnavailable},
		{"panic", func(w *world) {
			w.onGet = func(context.Context, cloud.InstanceID) error { panic("driver") }
		}, absence.CloudFailure, event.CloudUnavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("other", 20, true)
				node := w.member("gone", false)
				mustExist(t, i, node)
				w.terminate("id-gone")
				time.Sleep(time.Minute)
				mustHold(t, i, node, absence.Unconfirmed)
				w.mu.Lock()
				test.arrange(w)
				w.mu.Unlock()
				w.lifecycle(t.Context(), i, 1, 10*time.Minute)
				if len(w.gone()) > 0 {
					t.Fatal("the node was deleted")
				}
				if got := w.count(metric.Verdicts, string(test.want)); got == 0 {
					t.Errorf("no decision %s: %v", test.want, w.counts)
				}
				if n, _ := w.told("gone", test.told); n == 0 || n > 5 {
					t.Errorf("%d events %s, want a few", n, test.told.Name)
				}
				w.mu.Lock()
				w.onGet, w.hide, w.account = nil, nil, "team-1"
				w.mu.Unlock()
				w.lifecycle(t.Context(), i, 1, 2*time.Minute)
				if got := w.gone(); len(got) != 1 {
					t.Errorf("deleted %v after the fault, want [gone]: %v", got, w.counts)
				}
			})
		})
	}
}

// A first Node that goes in a young cluster: the account is learned on the way, and no event warns of a proof that goes on as it
// should. One that is held for longer than a proof takes is a warning, which says why.
func TestHealthyProofIsNoWarning(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("gone", true)
		w.status(t.Context(), i, 10)
		i.credentials.forget(time.Now().Add(time.Second)) // as the first list with our machines does
		w.terminate("id-gone")
		w.unready(node)
		w.lifecycle(t.Context(), i, 10, 70*time.Second)
		if got := w.gone(); len(got) != 1 || len(w.events) != 1 || !strings.HasPrefix(w.events[0], "gone CheckingInstance: ") {
			t.Errorf("deleted %v, told %q", got, w.events)
		}
		held := w.member("held", false)
		mustExist(t, i, held)
		time.Sleep(time.Minute)
		w.mu.Lock()
		w.events, w.hide = nil, func(cloud.InstanceID) bool { return true }
		w.mu.Unlock()
		for n, looks := 0, 0; n == 0 && looks < 300; looks++ {
			w.lifecycle(t.Context(), i, 10, time.Second)
			n, _ = w.told("held", event.CheckingInstance)
		}
		w.lifecycle(t.Context(), i, 10, DefaultPolicy().proofTime()-10*time.Second)
		if n, _ := w.told("held", event.DeletionHeld); n != 0 {
			t.Errorf("told before a proof can be there: %q", w.events)
		}
		w.lifecycle(t.Context(), i, 10, 20*time.Second)
		if n, text := w.told("held", event.DeletionHeld); n != 1 || !strings.Contains(text, "the credentials do not see machines of Ready nodes either") {
			t.Errorf("told %q", w.events)
		}
	})
}

func TestConfirmGapIsKept(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.terminate("id-n")
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		first := time.Now()
		for time.Since(first) < 9500*time.Millisecond {
			mustHold(t, i, node, absence.Unconfirmed)
			time.Sleep(250 * time.Millisecond)
		}
		if got := len(w.notFound["id-n"]); got != 1 {
			t.Errorf("%d direct reads in the gap, want 1", got)
		}
		time.Sleep(time.Second)
		if exists, err := i.Exists(t.Context(), node); exists || err != nil {
			t.Errorf("after the gap: %v, %v, want false", exists, err)
		}
	})
}

func TestAbsenceIsForgottenWhenSeenAgain(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		hidden := true
		w.hide = func(id cloud.InstanceID) bool { return hidden && id == "id-n" }
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(11 * time.Second)
		hidden = false
		mustExist(t, i, node)
		hidden = true
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
	})
}

func TestListShowsWhatReadsHide(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		w.hide = func(id cloud.InstanceID) bool { return id == "id-n" }
		w.status(t.Context(), i, 10)
		for range 60 {
			w.lifecycle(t.Context(), i, 10, 30*time.Second)
			time.Sleep(30 * time.Second)
			if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
				t.Fatal(err)
			}
			mustExist(t, i, node)
		}
		if len(w.gone()) > 0 {
			t.Error("deleted though every list shows it")
		}
	})
}

func TestYoungNodesAreNotAskedFor(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		w.status(t.Context(), i, 10)
		node := w.member("new", false).DeepCopy()
		node.CreationTimestamp = metav1.Now()
		w.terminate("id-new")
		w.cost()
		for range 23 {
			mustHold(t, i, node, absence.Young)
			time.Sleep(5 * time.Second)
		}
		if w.cost() > 0 {
			t.Errorf("asked the cloud for a young node: %v", w.calls)
		}
		time.Sleep(10 * time.Second)
		mustHold(t, i, node, absence.Unconfirmed)
	})
}

func TestUninitialisedNodeIsNeverGone(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		node.Spec.Taints = []corev1.Taint{{Key: taintUninitialized}}
		w.terminate("id-n")
		w.lifecycle(t.Context(), i, 1, time.Hour)
		if len(w.gone()) > 0 {
			t.Error("deleted")
		}
	})
}

func TestLastNodeNeedsOnlyAnEmptyList(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		node := w.member("only", false)
		mustExist(t, i, node)
		w.terminate("id-only")
		w.lifecycle(t.Context(), i, 1, time.Minute)
		if len(w.gone()) != 1 {
			t.Errorf("not deleted: %v", w.events)
		}
	})
}

func TestNoReadyNode(t *testing.T) {
	for _, test := range []struct {
		name  string
		empty bool
		want  int
	}{{"the list has others", false, 1}, {"the list is empty", true, 0}} {
		t.Run(test.name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("n", 3, false)
				w.pass(t.Context(), i, 1)
				w.terminate("id-n-0")
				w.onList = func(_ context.Context, list *cloud.InstanceList) error {
					if test.empty {
						list.Items = nil
					}
					return nil
				}
				w.lifecycle(t.Context(), i, 1, 5*time.Minute)
				if got := w.gone(); len(got) != test.want {
					t.Errorf("deleted %v, want %d: %v", got, test.want, w.events)
				}
			})
		})
	}
}

// A process that was started with the credentials of another account has nothing to compare
// that with, and while no Node is Ready no machine to probe either.
func TestNoReadyNodeAndAnotherAccountFromTheStart(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint(n, " nodes"), func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("n", n, false)
				w.mu.Lock()
				clear(w.machines)
				w.mu.Unlock()
				w.boot("of somebody else")
				w.lifecycle(t.Context(), i, 1, 5*time.Minute)
				if got := w.gone(); len(got) > 0 {
					t.Errorf("deleted %v", got)
				}
			})
		})
	}
}

func TestBrakeMetricFollowsTheBrake(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(safety.NewBrake(safety.BrakeOptions{Max: 1, Fraction: 0.01}))
		w.members("stay", 10, true)
		nodes := w.members("go", 2, false)
		w.pass(t.Context(), i, 1)
		w.terminate("id-go-0")
		w.terminate("id-go-1")
		w.lifecycle(t.Context(), i, 1, time.Minute)
		if w.count(metric.BrakeEngaged, "") != 1 {
			t.Fatalf("the brake is not engaged: %v", w.counts)
		}
		for _, node := range nodes {
			w.boot(node.Name)
		}
		time.Sleep(time.Hour)
		w.status(t.Context(), i, 1)
		if w.count(metric.BrakeEngaged, "") != 0 {
			t.Error("nothing is held any more, and the metric is 1")
		}
	})
}

// As many as the brake's limit go together and at once.
func TestTwentyPercentVanish(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		i := w.inventory(nil)
		w.members("stay", 80, true)
		w.vanish(w.members("go", 20, true)...)
		w.status(t.Context(), i, 10)
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if got := len(w.gone()); got != 20 {
			t.Errorf("%d deleted in a minute, want 20: %v", got, w.counts)
		}
		w.vanish(w.members("more", 5, true)...)
		w.lifecycle(t.Context(), i, 10, 5*time.Minute)
		if got := len(w.gone()); got != 20 || w.count(metric.BrakeEngaged, "") != 1 {
			t.Errorf("%d deleted in one window, want 20", got)
		}
		w.lifecycle(t.Context(), i, 10, 10*time.Minute)
		if got := len(w.gone()); got != 25 {
			t.Errorf("%d deleted in the end, want 25: %v", got, w.counts)
		}
	})
}

func TestBrakeReleasedByOperator(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(aws)
		brake, kept := keptBrake(safety.BrakeOptions{Max: 1, Fraction: 0.01})
		i := w.inventory(brake)
		w.members("stay", 20, true)
		first, second := w.member("first", true), w.member("second", true)
		w.status(t.Context(), i, 10)
		w.vanish(first)
		w.lifecycle(t.Context(), i, 1, 2*time.Minute)
		w.vanish(second)
		w.lifecycle(t.Context(), i, 1, 2*time.Minute)
		if len(w.gone()) != 1 || !brake.Engaged() {
			t.Fatalf("deleted %v, engaged %v", w.gone(), brake.Engaged())
		}
		if _, text := w.told("second", event.BrakeEngaged); !strings.Contains(text, "release-brake") {
			t.Errorf("the event does not name the command: %q", text)
		}
		kept.order(time.Now())
		w.lifecycle(t.Context(), i, 1, 30*time.Second)
		if len(w.gone()) != 2 {
			t.Errorf("deleted %v after the release", w.gone())
		}
	})
}

func TestCredentialsOfAnotherProject(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("up", 50, true)
		w.members("down", 50, false)
		w.status(t.Context(), i, 10)
		mine := w.machines
		w.mu.Lock()
		w.account, w.machines = "team-2", map[cloud.InstanceID]cloud.Instance{}
		w.mu.Unlock()
		w.boot("up-0") // a machine of the same name, and in this fake the same id
		stranger := w.machines["id-up-0"]
		stranger.ID, stranger.ProviderID = "stranger", "test://stranger"
		w.mu.Lock()
		w.machines = map[cloud.InstanceID]cloud.Instance{"stranger": stranger}
		w.mu.Unlock()
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		if len(w.gone()) > 0 {
			t.Fatalf("deleted %v", w.gone())
		}
		if w.count(metric.Verdicts, string(absence.IdentityChanged)) == 0 {
			t.Errorf("no decision says why: %v", w.counts)
		}
		if w.sees(i, "stranger") {
			t.Error("a list of the other account was believed")
		}
		w.mu.Lock()
		w.account, w.machines = "team-1", mine
		w.mu.Unlock()
		w.lifecycle(t.Context(), i, 10, 3*time.Minute)
		if len(w.gone()) > 0 {
			t.Errorf("deleted %v afterwards", w.gone())
		}
		if errs := w.pass(t.Context(), i, 10); len(errs) > 0 {
			t.Errorf("%d nodes still fail, such as: %v", len(errs), errs[0])
		}
	})
}

func (w *world) sees(i *Inventory, id cloud.InstanceID) bool { return i.cache.Get(id) != nil }

func TestRecreatedWithTheSameName(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		old := w.member("web", false)
		mustExist(t, i, old)
		w.terminate("id-web")
		listed := time.Now()
		w.lifecycle(t.Context(), i, 1, 55*time.Second)
		if len(w.gone()) != 1 || time.Since(listed) > maxAge {
			t.Fatalf("deleted %v", w.gone())
		}
		id := w.boot("web")
		fresh := w.machines[id]
		w.terminate(id)
		fresh.ID, fresh.ProviderID = "id-web-2", "test://id-web-2"
		w.mu.Lock()
		w.machines["id-web-2"] = fresh
		w.mu.Unlock()
		node := w.join("web")
		node.UID = "uid-web-2"
		machine, err := i.Metadata(t.Context(), node)
		if err != nil || machine.ID != "id-web-2" {
			t.Fatalf("Metadata() = %s, %v, want the new machine", machine.ID, err)
		}
	})
}

func TestHungReadBlocksNobodyElse(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 2000, true)
		stuck, fine := w.member("stuck", false), w.member("fine", false)
		w.status(t.Context(), i, 10)
		w.onGet = func(_ context.Context, id cloud.InstanceID) error {
			if id == "id-stuck" {
				time.Sleep(3 * time.Minute) // ignores its context
			}
			return nil
		}
		time.Sleep(time.Minute)
		go func() { _, _ = i.Exists(t.Context(), stuck) }()
		started := time.Now()
		for range 10 {
			mustExist(t, i, fine)
			time.Sleep(5 * time.Second)
		}
		if took := time.Since(started); took > 53*time.Second {
			t.Errorf("ten questions for another node took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := i.Exists(ctx, stuck); err == nil || ctx.Err() == nil {
			t.Errorf("the question for the stuck one did not end with its context: %v", err)
		}
	})
}

func TestHungListBlocksNobodyForLong(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		nodes := w.members("n", 500, false)
		w.status(t.Context(), i, 10)
		w.onList = func(ctx context.Context, _ *cloud.InstanceList) error {
			<-ctx.Done()
			return ctx.Err()
		}
		time.Sleep(2 * time.Minute)
		started := time.Now()
		if errs := w.pass(t.Context(), i, 1); len(errs) != len(nodes) {
			t.Errorf("%d errors, want %d", len(errs), len(nodes))
		}
		if failed := w.status(t.Context(), i, 1); failed > 0 {
			t.Errorf("metadata of %d initialised nodes failed", failed)
		}
		if took := time.Since(started); took > i.policy.Patience+time.Second {
			t.Errorf("a pass of 500 nodes took %v", took)
		}
	})
}

func TestShutdown(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		on, off := w.member("on", false), w.member("off", false)
		w.change("id-off", func(m *cloud.Instance) { m.State = cloud.StateStopped })
		if i.Running(on) {
			t.Error("a machine that nobody has seen is known to run")
		}
		for node, want := range map[*corev1.Node]bool{on: false, off: true} {
			mustExist(t, i, node)
			before := w.requests
			if got := i.Running(node); got == want {
				t.Errorf("Running(%s) = %v", node.Name, got)
			}
			if got, err := i.Shutdown(t.Context(), node); err != nil || got != want {
				t.Errorf("Shutdown(%s) = %v, %v, want %v", node.Name, got, err, want)
			}
			if w.requests != before {
				t.Errorf("Shutdown(%s) asked the cloud again", node.Name)
			}
		}
		w.terminate("id-off")
		time.Sleep(time.Minute)
		if i.Running(on) {
			t.Error("what was seen a minute ago is believed without another look")
		}
		if got, err := i.Shutdown(t.Context(), off); err == nil {
			t.Errorf("Shutdown() of a missing machine = %v without error", got)
		}
	})
}

func TestQueuedCandidates(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("ready", 900, true)
		w.members("down", 100, false)
		w.status(t.Context(), i, 10)
		for k := range 60 {
			w.terminate(cloud.InstanceID(fmt.Sprintf("id-down-%d", k)))
		}
		time.Sleep(time.Minute)
		w.pass(t.Context(), i, 10)
		if got, most := w.called("get"), 10; got > most {
			t.Errorf("%d direct reads in one pass, want at most %d", got, most)
		}
		if w.count(metric.Verdicts, string(absence.Queued)) == 0 {
			t.Error("none is queued")
		}
		for _, text := range w.events {
			if strings.Contains(text, "confirmed first") {
				t.Errorf("an event for a queued node: %s", text)
			}
		}
		w.lifecycle(t.Context(), i, 10, 30*time.Minute)
		if got := len(w.gone()); got != 60 {
			t.Errorf("%d deleted, want 60: %v", got, w.counts)
		}
	})
}

func TestListInBetweenStartsTheProofAgain(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.hide = func(id cloud.InstanceID) bool { return id == "id-n" }
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(12 * time.Second)
		if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
	})
}

func TestQuestionsAtOnceAreOneNotFound(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.terminate("id-n")
		if err := i.lists.refresh(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		// The second comes when the read for the first is under way.
		go func() { _, _ = i.Exists(t.Context(), node) }()
		time.Sleep(i.policy.Coalesce + 10*time.Millisecond)
		mustHold(t, i, node, absence.Unconfirmed)
		if got := len(w.notFound["id-n"]); got != 2 {
			t.Fatalf("%d direct reads, want 2: the test proves nothing", got)
		}
	})
}

func TestBlindnessVoidsWhatWasNotFound(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.hide = func(cloud.InstanceID) bool { return true }
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(11 * time.Second)
		mustHold(t, i, node, absence.NoProbe)
		w.terminate("id-n")
		w.hide = nil
		time.Sleep(11 * time.Second)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(11 * time.Second)
		if exists, err := i.Exists(t.Context(), node); exists || err != nil {
			t.Errorf("after two new not-founds: %v, %v, want false", exists, err)
		}
	})
}

func TestAccountIsReadAgainAtTheDecision(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		brake, kept := keptBrake(safety.BrakeOptions{Max: 1, Fraction: 0.001})
		i := w.inventory(brake)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.terminate("id-n")
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(11 * time.Second)
		_, _ = brake.Allow(t.Context(), 20, "another")
		mustHold(t, i, node, absence.Brake)
		kept.order(time.Now())
		w.mu.Lock()
		w.account = "team-2"
		w.mu.Unlock()
		time.Sleep(20 * time.Second)
		mustHold(t, i, node, absence.IdentityChanged)
	})
}

func TestAccountMustBeKnownBefore(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		w.account = ""
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", false)
		mustExist(t, i, node)
		w.terminate("id-n")
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.CloudFailure)
		w.mu.Lock()
		w.account = "team-1"
		w.mu.Unlock()
		time.Sleep(11 * time.Second)
		mustHold(t, i, node, absence.Unconfirmed)
		if nodes := i.absences.Nodes(); len(nodes) > 0 {
			t.Errorf("the not-found counts although the account was not known before: %v", nodes)
		}
		mustHold(t, i, node, absence.Unconfirmed)
		if nodes := i.absences.Nodes(); len(nodes) != 1 {
			t.Errorf("the next one does not count: %v", nodes)
		}
	})
}

func TestSeenAgainAtTheLastMoment(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		brake, kept := keptBrake(safety.BrakeOptions{Max: 1, Fraction: 0.001})
		i := w.inventory(brake)
		w.members("other", 20, true)
		node := w.member("n", false)
		machine := w.machines["id-n"]
		mustExist(t, i, node)
		w.terminate("id-n")
		time.Sleep(time.Minute)
		mustHold(t, i, node, absence.Unconfirmed)
		time.Sleep(11 * time.Second)
		_, _ = brake.Allow(t.Context(), 20, "another")
		mustHold(t, i, node, absence.Brake)
		kept.order(time.Now())
		time.Sleep(20 * time.Second)
		go func() {
			time.Sleep(w.latency / 2) // while the account is read for the decision
			i.reads.learn([]cloud.Instance{machine}, time.Now())
		}()
		mustHold(t, i, node, absence.Unconfirmed)
	})
}

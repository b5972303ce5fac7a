package instance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
)

// again makes the machine of a Node again under the same name.
func (w *world) again(node *corev1.Node) {
	w.terminate("id-" + cloud.InstanceID(node.Name))
	w.change(w.boot(node.Name+"-again"), func(m *cloud.Instance) { m.Name = node.Name })
}

// A machine that was made again under the name of its Node: the event names both, and the command that helps. A Node that will go
// by itself is not told.
func TestMachineMadeAgain(t *testing.T) {
	const want = "its provider-ID is that of machine id-n, and machine id-n-again has its name now: it was made again, and a provider-ID never changes; kubectl delete node n, then restart its kubelet"
	for name, test := range map[string]struct {
		ready, initialised bool
		told               int
	}{
		"initialised, Ready":     {true, true, 1},
		"initialised, not Ready": {false, true, 0},
		"new":                    {false, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("other", 20, true)
				node := w.member("n", test.ready)
				if !test.initialised {
					node.Spec.Taints = []corev1.Taint{{Key: taintUninitialized}}
				}
				w.status(t.Context(), i, 10)
				w.again(node)
				for look := range 3 {
					time.Sleep(2 * time.Minute)
					if _, err := i.Metadata(t.Context(), node); err == nil {
						t.Fatal("the machine of the Node is found")
					}
					if n, _ := w.told("n", event.InstanceNotFound); test.initialised && look < 2 && n > 0 {
						t.Errorf("told after %d minutes, although the Node may go by itself", 2*look)
					}
				}
				if n, text := w.told("n", event.InstanceNotFound); n != test.told || n > 0 && text != "n InstanceNotFound: "+want {
					t.Errorf("%d events, want %d: %s", n, test.told, text)
				}
				if n, _ := w.told("n", event.NodeLeftAlone); n > 0 {
					t.Errorf("told besides: %v", w.events)
				}
			})
		})
	}
}

// Where many go, what shows that they are not all gone is a Node whose machine was made again. Its message names both machines.
func TestMachineMadeAgainWhereManyGo(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("up", 5, true)
		down := w.members("down", 20, false)
		node := w.member("n", true)
		w.status(t.Context(), i, 10)
		w.vanish(down...)
		w.again(node)
		w.lifecycle(t.Context(), i, 10, 5*time.Minute)
		if n, text := w.told("down-0", event.BrakeEngaged); n == 0 || !strings.Contains(text, "machine id-n-again has its name now") || !strings.Contains(text, "kubectl delete node n,") {
			t.Errorf("told %q", text)
		}
		if got := w.gone(); len(got) > 0 {
			t.Errorf("deleted %v", got)
		}
	})
}

// A Ready Node whose machine these credentials do not see is told so once, without a warning, when it has been so for a while. When it
// is not Ready any more the proof begins as usual.
func TestUnseenMachineOfReadyNode(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		node := w.member("n", true)
		w.terminate("id-n")
		start, at := time.Now(), time.Duration(0)
		for range 40 {
			w.status(t.Context(), i, 10)
			if n, _ := w.told("n", event.NodeLeftAlone); n > 0 && at == 0 {
				at = time.Since(start)
			}
			time.Sleep(15 * time.Second)
		}
		if patience := DefaultPolicy().proofTime() + DefaultPolicy().Grace; at < patience || at > patience+30*time.Second {
			t.Errorf("told after %v, want %v and the next look", at, patience)
		}
		want := "n NodeLeftAlone: the cloud has no machine id-n that these credentials see: the Node is kept as long as it is Ready; " +
			"where its machine is in another account, project or region: kubectl label node n multicloud-ccm.io/unmanaged=true"
		if len(w.events) != 1 || w.events[0] != want {
			t.Errorf("told %q", w.events)
		}
		w.unready(node)
		w.lifecycle(t.Context(), i, 10, time.Minute)
		if n, _ := w.told("n", event.CheckingInstance); n != 1 || len(w.gone()) != 1 {
			t.Errorf("told %q, deleted %v", w.events, w.gone())
		}
	})
}

// Where the machines of most Ready Nodes are missing the credentials are wrong, and no Node is told that it is left alone.
func TestManyUnseenMachinesAreNotTold(t *testing.T) {
	simulate(t, func(t *testing.T) {
		w := newWorld(digitalOcean)
		i := w.inventory(nil)
		w.members("other", 20, true)
		for n := range 20 {
			name := fmt.Sprintf("gone-%d", n)
			w.member(name, true)
			w.terminate(cloud.InstanceID("id-" + name))
		}
		for range 40 {
			w.status(t.Context(), i, 10)
			time.Sleep(15 * time.Second)
		}
		if n, _ := w.told("gone-1", event.NodeLeftAlone); n > 0 {
			t.Errorf("told %q", w.events)
		}
	})
}

// The machine of a Ready Node goes, and is missed before the Node is not Ready: that it is checked is all that is said. What is
// found again, or was not Ready in between, counts from the beginning.
func TestDeletedMachineIsNotUnseen(t *testing.T) {
	for name, between := range map[string]func(w *world, node *corev1.Node){
		"it goes":                   func(w *world, node *corev1.Node) { w.unready(node) },
		"it is found":               func(w *world, node *corev1.Node) { w.boot(node.Name) },
		"it was not Ready for once": func(w *world, node *corev1.Node) { w.unready(node) },
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				w := newWorld(digitalOcean)
				i := w.inventory(nil)
				w.members("other", 20, true)
				node := w.member("n", true)
				w.status(t.Context(), i, 10)
				w.terminate("id-n")
				time.Sleep(5 * time.Minute)
				w.status(t.Context(), i, 10)
				time.Sleep(50 * time.Second)
				between(w, node)
				if name == "it goes" {
					w.lifecycle(t.Context(), i, 10, time.Minute)
				} else {
					time.Sleep(4 * time.Minute)
					w.status(t.Context(), i, 10)
					w.terminate("id-n")
					w.put(node)
					time.Sleep(5 * time.Minute)
					w.status(t.Context(), i, 10)
				}
				if n, text := w.told("n", event.NodeLeftAlone); n > 0 || name == "it goes" && len(w.gone()) != 1 {
					t.Errorf("told %q, deleted %v", text, w.gone())
				}
			})
		})
	}
}

// The event says what a proof waits for, which is not always the next read.
func TestCheckingSaysWhatItWaitsFor(t *testing.T) {
	for decision, want := range map[absence.Decision]string{
		absence.Unconfirmed:     "confirmed on the next read",
		absence.ListRefused:     "others that the list of machines lacks are confirmed before",
		absence.NoProbe:         "confirmed once the credentials see other machines of this cluster",
		absence.IdentityUnknown: "confirmed once it is known which account the credentials see",
	} {
		w := newWorld(digitalOcean)
		node := w.member("n", false)
		newReporter("test", w, w, DefaultPolicy()).hold(node, &absence.HeldError{Node: "n", ID: "id-n", Denial: absence.Deny(decision, "why")})
		if n, text := w.told("n", event.CheckingInstance); n != 1 || text != "n CheckingInstance: checking whether machine id-n is gone; "+want {
			t.Errorf("%s: told %q", decision, w.events)
		}
	}
}

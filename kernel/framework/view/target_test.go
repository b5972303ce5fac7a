package view

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

const window = 5 * time.Second

func eventsTo(l *log) *targetEvents {
	return newTargetEvents(window, handler(l), func() { l.Add("ensure all") }, func() { l.Add("ensure selecting") })
}

func TestTargetEvents(t *testing.T) {
	base := node("n", "sim://1", withIP("10.0.0.1"))
	with := func(change func(*corev1.Node)) *corev1.Node {
		c := base.DeepCopy()
		change(c)
		return c
	}
	trigger := []string{"add any"}
	tests := []struct {
		name     string
		old, new *corev1.Node
		want     []string
	}{
		{"heartbeat", base, with(withReady(corev1.ConditionTrue)), nil},
		{"resync", base, base, nil},
		{"cordon", base, with(func(n *corev1.Node) { n.Spec.Unschedulable = true }), nil},
		{"other taint", base, with(withTaint("example.com/x")), nil},
		{"provider id", node("n", ""), base, trigger},
		{"found by name when its taint goes", node("n", "", withTaint(uninitializedTaint)), node("n", ""), trigger},
		{"autoscaler's taint", base, with(withTaint("ToBeDeletedByClusterAutoscaler")), trigger},
		{"autoscaler changes its mind", with(withTaint("ToBeDeletedByClusterAutoscaler")), base, trigger},
		{"being deleted", base, with(func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{} }), trigger},
		{"excluded", base, with(withLabel(corev1.LabelNodeExcludeBalancers, "true")), trigger},
		{"excluded by nonsense", base, with(withLabel(corev1.LabelNodeExcludeBalancers, "maybe")), trigger},
		{"exclusion false", base, with(withLabel(corev1.LabelNodeExcludeBalancers, "false")), []string{"ensure selecting"}},
		{"new node of that name", base, with(func(n *corev1.Node) { n.UID = "another" }), trigger},
		{"address", base, with(func(n *corev1.Node) { n.Status.Addresses[0].Address = "10.0.0.2" }), []string{"ensure all"}},
		{"more addresses", base, with(withIP("fd00::1")), []string{"ensure all"}},
		{"first address", node("n", "sim://1"), base, nil},
		{"label", base, with(withLabel("pool", "edge")), []string{"ensure selecting"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen log
				eventsTo(&seen).OnUpdate(tt.old, tt.new)
				time.Sleep(window)
				synctest.Wait()
				if diff := cmp.Diff(tt.want, seen.Take()); diff != "" {
					t.Errorf("effect (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestBurstIsOneTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen log
		e := eventsTo(&seen)
		for i := range 40 { // 18 s of joins and leaves
			n := node("n"+strconv.Itoa(i), "sim://1")
			e.OnAdd(n, false)
			e.OnDelete(cache.DeletedFinalStateUnknown{Key: n.Name, Obj: n})
			time.Sleep(450 * time.Millisecond)
		}
		synctest.Wait()
		if got := len(seen.Take()); got != 3 {
			t.Errorf("%d triggers while it lasted, want one for each finished window", got)
		}
		time.Sleep(window)
		synctest.Wait()
		if got := len(seen.Take()); got != 1 {
			t.Errorf("%d triggers after the end, want the last window's", got)
		}
		time.Sleep(time.Hour)
		if got := seen.Take(); len(got) > 0 {
			t.Errorf("triggers for nothing: %v", got)
		}
	})
}

func TestBurstLosesNothingWhileItFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fired := 0
		b := &Burst{Window: window}
		b.Fire = func() {
			if fired++; fired == 1 {
				b.Note()
			}
		}
		b.Note()
		time.Sleep(3 * window)
		synctest.Wait()
		if fired != 2 {
			t.Errorf("fired %d times", fired)
		}
	})
}

func TestLeavingAndComingNodesTrigger(t *testing.T) {
	n := node("n", "sim://1")
	for name, play := range map[string]func(*targetEvents){
		"added":          func(e *targetEvents) { e.OnAdd(n, false) },
		"deleted":        func(e *targetEvents) { e.OnDelete(n) },
		"deleted unseen": func(e *targetEvents) { e.OnDelete(cache.DeletedFinalStateUnknown{Key: "n", Obj: n}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen log
				play(eventsTo(&seen))
				time.Sleep(window)
				synctest.Wait()
				if diff := cmp.Diff([]string{"add any"}, seen.Take()); diff != "" {
					t.Errorf("effect (-want +got):\n%s", diff)
				}
			})
		})
	}
}

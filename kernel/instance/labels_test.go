package instance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// labelled is a world whose machines have a rack, which is read separately.
type labelled struct {
	*world
	// required says for which machines the rack is required.
	required func(cloud.InstanceID) bool

	mu   sync.Mutex
	down error
	// zoned says that each machine has a zone, which is read also while the rack cannot be.
	zoned bool
	asked []int
	times map[cloud.InstanceID]int
}

const labelRack, labelZone = "test/rack", "test/zone"

func newLabelled(limits cloud.Limits) *labelled {
	return &labelled{world: newWorld(limits), times: map[cloud.InstanceID]int{}, required: func(cloud.InstanceID) bool { return false }}
}

func (l *labelled) NameID(name string) cloud.InstanceID {
	if id, _, found := strings.Cut(name, "."); found {
		return cloud.InstanceID(id)
	}
	return ""
}

func (l *labelled) LabelNeed(machine cloud.Instance, labels map[string]string) cloud.LabelNeed {
	switch {
	case labels[labelRack] != "":
		return cloud.LabelsNone
	case l.required(machine.ID):
		return cloud.LabelsRequired
	default:
		return cloud.LabelsWanted
	}
}

func (l *labelled) Labels(ctx context.Context, machines []cloud.Instance) (map[cloud.InstanceID]map[string]string, error) {
	if err := l.call(ctx, "labels", 1); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, len(machines))
	labels := map[cloud.InstanceID]map[string]string{}
	for _, machine := range machines {
		if l.zoned {
			labels[machine.ID] = map[string]string{labelZone: "z" + machine.Zone}
		}
	}
	if l.down != nil {
		return labels, l.down
	}
	for _, machine := range machines {
		l.times[machine.ID]++
		if machine.Type == "plain" {
			continue
		}
		labels[machine.ID] = map[string]string{labelRack: "rack-of-" + machine.Name}
	}
	return labels, nil
}

func (l *labelled) ZoneKeys() []string {
	if l.zoned {
		return []string{labelZone}
	}
	return nil
}

func (l *labelled) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = err
}

// Each machine is asked for once, hundreds in one call, whatever comes when.
func TestCallsToInitialiseWithLabels(t *testing.T) {
	for _, n := range []int{1000, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			simulate(t, func(t *testing.T) {
				const late = 4
				l := newLabelled(aws)
				most := ceil(n, labelBatch) + late
				initialiseAll(t, l.world, l.inventoryOf(l, nil), n, late, false, 10+most)
				if len(l.asked) > most {
					t.Errorf("%d calls for labels, want at most %d: %v", len(l.asked), most, l.asked)
				}
				if len(l.times) != n || slices.Max(slices.Collect(maps.Values(l.times))) != 1 {
					t.Errorf("%d machines asked for, want %d, each once", len(l.times), n)
				}
			})
		})
	}
}

func TestLabelsOfNewNodes(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		i := l.inventoryOf(l, nil)
		l.boot("new")
		l.change("id-new", func(m *cloud.Instance) { m.Labels = map[string]string{"test/zone": "z"} })
		l.boot("old")
		machine, err := i.Metadata(t.Context(), l.join("new"))
		if err != nil || machine.Labels[labelRack] != "rack-of-new" || machine.Labels["test/zone"] != "z" {
			t.Errorf("a new Node: %v, %v", machine.Labels, err)
		}
		// A Node that has them, and one that is initialised, need nothing.
		asked := len(l.asked)
		has := l.join("old")
		has.Labels = map[string]string{labelRack: "mine"}
		for _, node := range []*corev1.Node{has, l.member("initialised", true)} {
			if machine, err := i.Metadata(t.Context(), node); err != nil || machine.Labels[labelRack] != "" {
				t.Errorf("%s: %v, %v", node.Name, machine.Labels, err)
			}
		}
		if len(l.asked) != asked {
			t.Errorf("%d calls for Nodes that need no labels", len(l.asked)-asked)
		}
	})
}

func TestLabelsThatCannotBeRead(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		l.required = func(id cloud.InstanceID) bool { return id == "id-must" }
		i := l.inventoryOf(l, nil)
		l.boot("must")
		l.boot("may")
		l.fail(errDown)
		must, may := l.join("must"), l.join("may")
		if machine, err := i.Metadata(t.Context(), must); err == nil {
			t.Errorf("labels are required and cannot be read, yet %+v", machine)
		}
		if machine, err := i.Metadata(t.Context(), may); err != nil || machine.ID != "id-may" || machine.Labels[labelRack] != "" {
			t.Errorf("labels are only wanted: %+v, %v", machine, err)
		}
		// Retries by the kernel's decorator aside, a failure answers for a moment.
		asked := len(l.asked)
		for range 30 {
			_, _ = i.Metadata(t.Context(), must)
		}
		if len(l.asked) > asked+4 {
			t.Errorf("%d calls while the cloud fails", len(l.asked)-asked)
		}
		l.fail(nil)
		time.Sleep(cache.FirstMiss)
		if machine, err := i.Metadata(t.Context(), must); err != nil || machine.Labels[labelRack] != "rack-of-must" {
			t.Errorf("after the failure: %v, %v", machine.Labels, err)
		}
	})
}

// What was read is kept when something else cannot be read, a Node waits for what it requires alone, and one that does without is
// told so once.
func TestLabelsThatAreReadInPart(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		l.required = func(id cloud.InstanceID) bool { return id == "id-must" }
		l.zoned = true
		i := l.inventoryOf(l, nil)
		for _, name := range []string{"may", "later", "must"} {
			l.boot(name)
		}
		l.fail(errDown)
		for _, name := range []string{"may", "later"} { // the second one is asked about while the failure answers
			machine, err := i.Metadata(t.Context(), l.join(name))
			if err != nil || machine.Labels[labelZone] != "z" || machine.Labels[labelRack] != "" {
				t.Errorf("%s: %v, %v", name, machine.Labels, err)
			}
		}
		told := slices.DeleteFunc(slices.Clone(l.events), func(e string) bool { return !strings.Contains(e, "LabelsLeftOut") })
		if len(told) != 2 || !strings.Contains(told[0], "503") {
			t.Errorf("events: %q", l.events)
		}
		must := l.join("must")
		if machine, err := i.Metadata(t.Context(), must); err == nil {
			t.Errorf("a label that is required is missing: %v", machine.Labels)
		}
		l.fail(nil)
		time.Sleep(cache.MaxMiss)
		if machine, err := i.Metadata(t.Context(), must); err != nil || machine.Labels[labelRack] == "" {
			t.Errorf("afterwards: %v, %v", machine.Labels, err)
		}
	})
}

// Where what was read is all that is required, the Node does not wait for the rest.
func TestLabelsThatAreEnough(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := &enough{newLabelled(aws)}
		l.zoned = true
		i := l.inventoryOf(l, nil)
		l.boot("node")
		l.fail(errDown)
		if machine, err := i.Metadata(t.Context(), l.join("node")); err != nil || machine.Labels[labelZone] != "z" {
			t.Errorf("%v, %v", machine.Labels, err)
		}
	})
}

// enough requires the zone alone.
type enough struct{ *labelled }

func (e *enough) LabelNeed(_ cloud.Instance, labels map[string]string) cloud.LabelNeed {
	if labels[labelZone] == "" {
		return cloud.LabelsRequired
	}
	return cloud.LabelsWanted
}

// A cloud that says it is asked too often is asked less: upstream makes 6 calls in this time.
func TestCallsForLabelsThatAreThrottled(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		l.required = func(id cloud.InstanceID) bool { return id == "id-must" }
		i := l.inventoryOf(l, nil)
		l.boot("must")
		must := l.join("must")
		l.fail(&cloud.Error{Failure: cloud.Failure{Class: cloud.FailureThrottled}, Op: "read labels", Err: errDown})
		began := time.Now()
		for n := 0; time.Since(began) < 40*time.Second; n++ {
			_, _ = i.Metadata(t.Context(), must)
			name := fmt.Sprintf("may-%d", n)
			l.boot(name)
			at := time.Now()
			if _, err := i.Metadata(t.Context(), l.join(name)); err != nil || time.Since(at) > 5*time.Second {
				t.Fatalf("a Node that can do without labels waited %s: %v", time.Since(at), err)
			}
			time.Sleep(time.Second)
		}
		if calls := len(l.asked); calls > 3 {
			t.Errorf("%d calls in 40 s, want at most 3", calls)
		}
		l.fail(nil)
		time.Sleep(cache.MaxMiss)
		if machine, err := i.Metadata(t.Context(), must); err != nil || machine.Labels[labelRack] == "" {
			t.Errorf("afterwards: %v, %v", machine.Labels, err)
		}
	})
}

// A name that holds the id is found in the list, and costs nothing for each Node.
func TestNameHoldsID(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		i := l.inventoryOf(l, nil)
		for k := range 100 {
			l.boot(fmt.Sprint(k))
		}
		for k := range 100 {
			id := cloud.InstanceID(fmt.Sprintf("id-%d", k))
			machine, err := i.Metadata(t.Context(), l.join(string(id)+".example.com"))
			if err != nil || machine.ID != id {
				t.Fatalf("%s: %v, %v", id, machine.ID, err)
			}
		}
		if l.calls["find"]+l.calls["get"] > 0 || l.calls["list"] > 1 {
			t.Errorf("calls for 100 Nodes: %v", l.calls)
		}
	})
}

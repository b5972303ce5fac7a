package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// decorated is the driver as the rest of the kernel sees it.
func (f *fixture) decorated() *run.Cloud {
	return run.Decorate(f.driver, run.Options{Descriptor: f.suite.Descriptor, Annotations: f.suite.Annotations, Inventory: f.suite.Inventory})
}

// concerns is what the kernel asks before it does anything with a Node.
func (f *fixture) concerns(providerID string) bool { return f.decorated().Concerns(providerID) }

// written returns provider-IDs of a machine: ours in every form that is read, and those of others.
func (f *fixture) written(id cloud.InstanceID) (ours, others []string) {
	ours = []string{f.get(id).ProviderID}
	for _, form := range f.suite.ProviderIDs {
		ours = append(ours, fmt.Sprintf(form, id))
	}
	others = []string{"other://" + string(id), "other:///zone/" + string(id)}
	for _, form := range f.suite.Foreign {
		others = append(others, fmt.Sprintf(form, id))
	}
	return ours, others
}

// foreignProviderIDs breaks good provider-IDs at random: whatever comes out, only what concerns
// us is parsed, and an error names what was given.
func foreignProviderIDs(f *fixture) {
	ours, others := f.written(f.control.AddMachine("node-1"))
	for _, text := range others {
		if parsed, err := f.driver.Machines.ParseProviderID(text); err == nil || f.concerns(text) {
			f.Errorf("provider-ID %q of another region: machine %q, concerns us: %t", text, parsed, f.concerns(text))
		}
	}
	random, seeds := rand.New(rand.NewPCG(1, 2)), slices.Concat(ours, others, []string{""})
	for range 2000 {
		text := broken(random, seeds)
		parsed, err := f.driver.Machines.ParseProviderID(text)
		switch {
		case err == nil && !f.concerns(text):
			f.Fatalf("provider-ID %q does not concern us, and is machine %q", text, parsed)
		case err != nil && !strings.Contains(err.Error(), strconv.Quote(text)):
			f.Fatalf("provider-ID %q: the error does not name it: %v", text, err)
		}
	}
}

// foreignNodes lets random provider-IDs that do not concern us be those of Nodes that are not
// Ready: whatever the kernel is asked about them, the cloud is not asked, and none is judged gone.
func foreignNodes(f *fixture) {
	ours, others := f.written(f.control.AddMachine("node-1"))
	random, seeds := rand.New(rand.NewPCG(3, 4)), slices.Concat(ours, others)
	var nodes []*corev1.Node
	for len(nodes) < 300 {
		if text := broken(random, seeds); text != "" && !f.concerns(text) {
			nodes = append(nodes, lost(len(nodes), text))
		}
	}
	told := &told{}
	inventory := instance.New(instance.Options{
		Cloud: f.decorated(), Nodes: func() []*corev1.Node { return nodes }, Events: told,
		Policy: instance.Policy{Grace: time.Nanosecond, ConfirmGap: time.Nanosecond, StateMaxAge: time.Nanosecond, Coalesce: time.Nanosecond},
	})
	before := f.requests()
	for range 3 { // a proof of absence takes more than one question
		for _, node := range nodes {
			askAll(f, inventory, node)
		}
	}
	if cost := f.requests() - before; cost > 0 {
		f.Errorf("%d requests for nodes that do not concern us", cost)
	}
	if len(told.events) > 0 {
		f.Errorf("events: %q", told.events)
	}
}

func askAll(f *fixture, inventory *instance.Inventory, node *corev1.Node) {
	if owner := instance.Owner(node, f.concerns); owner != instance.Foreign {
		f.Errorf("the node with provider-ID %q is %s", node.Spec.ProviderID, owner)
	}
	if exists, err := inventory.Exists(f.ctx(), node); !exists || err != nil {
		f.Errorf("the node with provider-ID %q exists: %t, %v", node.Spec.ProviderID, exists, err)
	}
	if off, err := inventory.Shutdown(f.ctx(), node); off || err != nil {
		f.Errorf("the node with provider-ID %q is off: %t, %v", node.Spec.ProviderID, off, err)
	}
	if machine, err := inventory.Metadata(f.ctx(), node); err == nil {
		f.Errorf("the node with provider-ID %q is initialised as %+v", node.Spec.ProviderID, machine)
	}
	if id, err := inventory.ProviderID(node); err == nil {
		f.Errorf("the node with provider-ID %q is machine %q", node.Spec.ProviderID, id)
	}
}

// lost returns an old Node that is not Ready.
func lost(n int, providerID string) *corev1.Node {
	name := "lost-" + strconv.Itoa(n)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}},
	}
}

// told remembers events.
type told struct{ events []string }

func (t *told) Record(object event.Object, reason event.Reason, message string) {
	t.events = append(t.events, object.Name+" "+reason.Name+" "+message)
}

// broken changes a text at up to three places.
func broken(random *rand.Rand, seeds []string) string {
	text := []byte(seeds[random.IntN(len(seeds))])
	for range random.IntN(4) {
		at := random.IntN(len(text) + 1)
		switch char := "/:-aZ0 ."[random.IntN(8)]; {
		case at == len(text) || random.IntN(2) == 0:
			text = slices.Insert(text, at, char)
		case random.IntN(2) == 0:
			text[at] = char
		default:
			text = slices.Delete(text, at, at+1)
		}
	}
	return string(text)
}

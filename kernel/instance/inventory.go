package instance

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Options configure an Inventory.
type Options struct {
	Cloud *run.Cloud
	// Nodes returns this cloud's Nodes, from an informer; they are not changed.
	Nodes func() []*corev1.Node
	// Brake bounds deletions; one with default options when nil.
	Brake *safety.Brake
	// Policy has the default in every field that is zero.
	Policy Policy
	// Events and Metrics may be nil.
	Events  event.Recorder
	Metrics metric.Sink
}

// Inventory knows the machines of one cloud. It is safe for concurrent use and asks the
// cloud nothing before it is asked.
type Inventory struct {
	name      string
	concerns  func(providerID string) bool
	instances cloud.Instances
	nodes     func() []*corev1.Node
	policy    Policy
	pace      pace
	budget    *rate.Limiter
	brake     *safety.Brake
	report    *reporter
	guard     *guard
	cases     *cases
	mass      mass
	census    census
	// misses are machines that no list shows, states those that are looked after, reads
	// those that a proof needs.
	misses coalescer[want, []cloud.Instance]
	states coalescer[watched, []cloud.Instance]
	reads  coalescer[cloud.InstanceID, []cloud.Instance]
	// deletions are the UIDs of Nodes that ask for the brake's permission.
	deletions coalescer[string, struct{}]
	// nameID returns the id in a name; labels is nil where the cloud has none to be read.
	nameID func(name string) cloud.InstanceID
	labels *labels

	// mu guards what follows and is never held during a call to the cloud.
	mu sync.Mutex
	// installed is the newest list that is believed, refused a newer one that is not.
	installed, refused *snapshot
	flight             *flight
	lastList           time.Time
	failure            listFailure
	// spent counts the single reads since the last list.
	spent  int
	absent map[want]miss
	// named are the answers for names of Nodes without provider-ID.
	named map[string]answer
	// holders are the Nodes, by UID, that the listed machines were last known to be.
	holders map[cloud.InstanceID]types.UID
	// met says that a list had the machine of a Node of ours: the account is the right one.
	met bool
}

// New returns an Inventory that knows nothing yet.
func New(o Options) *Inventory {
	o.Policy = o.Policy.withDefaults()
	p := pace{policy: o.Policy, limits: o.Cloud.Descriptor.Limits}
	i := &Inventory{
		name:      o.Cloud.Name,
		concerns:  o.Cloud.Concerns,
		instances: o.Cloud.Driver.Instances(),
		nodes:     o.Nodes,
		policy:    o.Policy,
		pace:      p,
		budget:    p.budget(),
		brake:     o.Brake,
		report:    newReporter(o.Cloud.Name, o.Events, o.Metrics),
		installed: newSnapshot(cloud.InstanceList{}, time.Time{}),
		absent:    map[want]miss{},
		named:     map[string]answer{},
		holders:   map[cloud.InstanceID]types.UID{},
	}
	if i.nodes == nil {
		i.nodes = func() []*corev1.Node { return nil }
	}
	if i.brake == nil {
		i.brake = safety.NewBrake(safety.BrakeOptions{})
	}
	i.guard = newGuard(o.Cloud.Driver, i.spend, o.Policy.ConfirmGap)
	i.OnRelease(func(safety.Release) {})
	i.cases = newCases(max(i.brake.Max()+5, p.batch()), o.Policy)
	i.deletions = coalescer[string, struct{}]{wait: o.Policy.Coalesce, answer: i.allow}
	i.misses = coalescer[want, []cloud.Instance]{wait: o.Policy.Coalesce, answer: i.resolve}
	i.states = coalescer[watched, []cloud.Instance]{wait: o.Policy.Coalesce, answer: i.readStates, rejoin: true}
	i.reads = coalescer[cloud.InstanceID, []cloud.Instance]{wait: o.Policy.Coalesce, answer: i.readProofs}
	i.labels = newLabels(o.Cloud.Labeler, o.Policy.Coalesce, i.readLabels)
	i.nameID = func(string) cloud.InstanceID { return "" }
	if o.Cloud.Namer != nil {
		i.nameID = o.Cloud.Namer.NameID
	}
	return i
}

// OnRelease has somebody told when an operator releases the brake. It is called before the
// first use.
func (i *Inventory) OnRelease(tell func(safety.Release)) {
	i.brake.Watch(i.missingNodes, func(r safety.Release) {
		if r.Err == nil {
			i.mass.release(i.brake.Released)
		}
		tell(r)
	})
}

// ProviderID returns the machine that a Node's provider-ID names. The error names the Node
// and the id, and says whether it is missing, another cloud's, or malformed.
func (i *Inventory) ProviderID(node *corev1.Node) (cloud.InstanceID, error) {
	providerID := node.Spec.ProviderID
	if providerID == "" {
		return "", fmt.Errorf("node %s has no provider-ID yet", node.Name)
	}
	if owner := Owner(node, i.concerns); owner != Mine {
		return "", &NotMineError{Node: node.Name, ProviderID: providerID, Cloud: i.name, Owner: owner}
	}
	id, err := i.instances.ParseProviderID(providerID)
	if err != nil {
		return "", fmt.Errorf("provider-ID %q of node %s: %w", providerID, node.Name, err)
	}
	return id, nil
}

// NotMineError says that a Node belongs to nobody or to another cloud.
type NotMineError struct {
	Node, ProviderID, Cloud string
	Owner                   Ownership
}

func (e *NotMineError) Error() string {
	switch e.Owner {
	case OptedOut:
		return fmt.Sprintf("node %s has a label that keeps cloud controllers away from it", e.Node)
	case Unmanaged:
		return fmt.Sprintf("node %s has no provider-ID and its kubelet runs without --cloud-provider=external", e.Node)
	default:
		return fmt.Sprintf("provider-ID %q of node %s is not one of %s", e.ProviderID, e.Node, e.Cloud)
	}
}

// sinceAge returns the time that long ago.
func sinceAge(age time.Duration) time.Time { return time.Now().Add(-age) }

// sizeLocked is the best guess at how many machines a list has. The caller holds mu.
func (i *Inventory) sizeLocked() int {
	if i.refused != nil {
		return max(i.installed.size, i.refused.size)
	}
	return i.installed.size
}

// size is the best guess at how many machines a list has: without one, our Nodes.
func (i *Inventory) size() int {
	i.mu.Lock()
	size, listed := i.sizeLocked(), !i.lastList.IsZero()
	i.mu.Unlock()
	if !listed {
		return i.census.take(i).nodes
	}
	return size
}

// sighting returns the newest record of a machine, nil when there is none. A list that is
// not believed as a whole still proves the presence of what is in it.
func (i *Inventory) sighting(id cloud.InstanceID) *record {
	i.mu.Lock()
	defer i.mu.Unlock()
	newest := i.installed.byID[id]
	if i.refused != nil {
		if r := i.refused.byID[id]; r != nil && (newest == nil || r.seen.After(newest.seen)) {
			return r
		}
	}
	return newest
}

// rename remembers that these machines, and no others, have that name.
func (i *Inventory) rename(name string, found []cloud.Instance) {
	ids := make([]cloud.InstanceID, len(found))
	for n := range found {
		ids[n] = found[n].ID
	}
	slices.Sort(ids)
	i.mu.Lock()
	defer i.mu.Unlock()
	renamed := *i.installed
	renamed.byName = maps.Clone(renamed.byName)
	renamed.byName[name] = ids
	i.installed = &renamed
}

// learn remembers machines that a direct read which started at seen returned.
func (i *Inventory) learn(items []cloud.Instance, seen time.Time) {
	if len(items) == 0 {
		return
	}
	i.mass.read(items, seen)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.installed = i.installed.with(items, seen)
	for _, item := range items {
		i.cases.saw(item.ID)
	}
}

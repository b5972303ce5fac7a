// Package target chooses which machines a load balancer sends traffic to: what becomes of each Node, which
// machines are targets, and which targets stay until there is proof that they may go.
package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Candidates is what became of the nodes the framework named:
//
//	node                                    becomes
//	not selected by node-selector           nothing
//	without provider-ID, not initialised    nothing: it comes again when it has one
//	without provider-ID else                candidate, if the cloud finds exactly one machine by
//	                                        its name; else nothing
//	foreign or malformed provider-ID        skipped
//	machine read                            candidate, with the cloud's addresses
//	machine not found, or read failed       unknown: stays a target if it is one
//	machine in doubt, see instance.Lookup   unknown, without an error where others are there
//	any, while node-selector is not valid   unknown
//
// Addresses come from the cloud and not from the Node's status, so that a node whose
// addresses are not yet written is not lost.
type Candidates struct {
	Targets []cloud.Target  // sorted by id
	unknown []unknownTarget // sorted by id
	skipped []skip
	// joining says that some nodes have no provider-ID yet: their turn comes.
	joining bool
	// named are nodes without provider-ID that are candidates, with their machine.
	named []string
	// unidentified says that the machine of a node without provider-ID may be any: the cloud did
	// not answer.
	unidentified bool
	// nodes are those that were named; offered says by name which of them the selector matches.
	nodes   []*corev1.Node
	offered map[string]bool
	// leftOut returns the cluster's other nodes, and why they are not named.
	leftOut func() []skip
	// free are targets that may go, see Prove.
	free map[cloud.InstanceID]bool
	// Err is why some machines could not be read.
	Err error
	// Again is when the machines are to be looked at again, 0 for not at all: some are left out while the newest list of
	// machines is held.
	Again time.Duration
}

// heldAgain is how long machines are left out that may be hidden.
const heldAgain = 2 * time.Minute

// skip is a node that cannot be a target, and why.
type skip struct{ node, reason string }

// unknownTarget is a node whose machine we know nothing of.
type unknownTarget struct {
	id   cloud.InstanceID
	node string
	// reason is "" when the candidates as a whole say why.
	reason string
}

func joining(node *corev1.Node) bool {
	return node.Spec.ProviderID == "" && instance.Uninitialized(node)
}

// Candidates makes the machines behind the nodes the candidates. The selector is nil when it is not valid.
// What it returns is shared with other Services.
func (s Nodes) Candidates(ctx context.Context, nodes []*corev1.Node, selector labels.Selector) Candidates {
	machines := s.Machines.Generation()
	if selector == nil || machines == nil {
		return s.candidates(ctx, nodes, selector)
	}
	selection := selector.String()
	if c, ok := s.Recent.get(selection, nodes, machines); ok {
		return c
	}
	defer s.Recent.turn(ctx, selection)()
	if c, ok := s.Recent.get(selection, nodes, machines); ok {
		return c
	}
	c := s.candidates(ctx, nodes, selector)
	if c.certain() && s.Machines.Generation() == machines {
		s.Recent.set(selection, nodes, machines, c)
	}
	return c
}

func (s Nodes) candidates(ctx context.Context, nodes []*corev1.Node, selector labels.Selector) Candidates {
	names, skipped := identify(nodes, selector, s.Concerns, s.Machines.ProviderID)
	c := Candidates{skipped: skipped, joining: slices.ContainsFunc(nodes, joining), nodes: nodes, offered: map[string]bool{}}
	c.leftOut = func() []skip { return s.leftOut(c.offered) }
	for _, node := range nodes {
		c.offered[node.Name] = selector == nil || selector.Matches(labels.Set(node.Labels))
	}
	s.findByID(ctx, &c, selector, names)
	s.findByName(ctx, &c, nodes, selector, names)
	return c
}

// findByID adds the machines of nodes by their provider-ID.
func (s Nodes) findByID(ctx context.Context, c *Candidates, selector labels.Selector, names map[cloud.InstanceID]string) {
	ids := slices.Sorted(maps.Keys(names))
	machines, reason := map[cloud.InstanceID]cloud.Instance{}, ""
	if selector != nil && len(ids) > 0 {
		var err error
		machines, err = s.Machines.Lookup(ctx, ids)
		_, unread := errors.AsType[*instance.UnreadError](err)
		switch {
		case err == nil:
			reason = "the cloud has no such machine"
		case unread && len(machines) > 0:
			reason = "its machine seems gone: the cloud's newest list of machines lacks it"
		default:
			c.Err = fmt.Errorf("reading the machines behind %s: %w", difference.Count(len(ids), "node"), err)
		}
	}
	for _, id := range ids {
		if machine, ok := machines[id]; ok {
			c.Targets = append(c.Targets, machine.Target(names[id]))
		} else {
			c.unknown = append(c.unknown, unknownTarget{id, names[id], reason})
		}
	}
	if len(c.unknown) > 0 && s.Machines.Held() {
		c.Again = heldAgain
	}
}

// findByName adds the machines of nodes that have no provider-ID and that nobody will give one:
// upstream finds them by name too. A machine that is a node's by provider-ID is that node's.
func (s Nodes) findByName(ctx context.Context, c *Candidates, nodes []*corev1.Node, selector labels.Selector, taken map[cloud.InstanceID]string) {
	var wanted []*corev1.Node
	for _, node := range nodes {
		if node.Spec.ProviderID == "" && !joining(node) && c.offered[node.Name] {
			wanted = append(wanted, node)
		}
	}
	if len(wanted) == 0 {
		return
	}
	if selector == nil {
		c.unidentified = true
		return
	}
	slices.SortFunc(wanted, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	found, err := s.Machines.ByName(ctx, wanted)
	if err != nil {
		c.unidentified = true
		c.Err = errors.Join(c.Err, fmt.Errorf("finding the machines of %s by name: %w", difference.Count(len(wanted), "node"), err))
	}
	for _, node := range wanted {
		name := node.Name
		machine, ok := found[name]
		if !ok || taken[machine.ID] != "" {
			continue
		}
		taken[machine.ID] = name
		c.Targets = append(c.Targets, machine.Target(name))
		c.named = append(c.named, name+" is "+string(machine.ID))
	}
	slices.SortFunc(c.Targets, func(a, b cloud.Target) int { return cmp.Compare(a.InstanceID, b.InstanceID) })
}

// identify returns the node names by machine id. It is pure as far as parse is. A nil
// selector selects all. Of two nodes with one machine the first by name counts.
func identify(nodes []*corev1.Node, selector labels.Selector, concerns func(string) bool, parse func(*corev1.Node) (cloud.InstanceID, error)) (map[cloud.InstanceID]string, []skip) {
	names := map[cloud.InstanceID]string{}
	var skipped []skip
	for _, node := range nodes {
		if node.Spec.ProviderID == "" || selector != nil && !selector.Matches(labels.Set(node.Labels)) {
			continue
		}
		if !concerns(node.Spec.ProviderID) {
			skipped = append(skipped, skip{node.Name, "its provider-ID belongs to another cloud"})
			continue
		}
		id, err := parse(node)
		if err != nil {
			skipped = append(skipped, skip{node.Name, "its provider-ID is malformed"})
			continue
		}
		if name, taken := names[id]; !taken || node.Name < name {
			names[id] = node.Name
		}
	}
	return names, skipped
}

// Warnings say which nodes are no candidates and what could not be read.
func (c Candidates) Warnings() []problem.Warning {
	left := skips{}
	for _, s := range c.skipped {
		left.add(s.node, s.reason)
	}
	return c.warnings(left)
}

// warnings say which nodes were left out and what could not be read.
func (c Candidates) warnings(left skips) []problem.Warning {
	var warnings []problem.Warning
	if len(left) > 0 {
		warnings = append(warnings, problem.Warn(event.TargetSkipped, left.String()))
	}
	if len(c.named) > 0 {
		warnings = append(warnings, problem.Warn(event.TargetFoundByName, firstOf(c.named)+": found by name, as there is no provider-ID"))
	}
	if c.Err != nil {
		warnings = append(warnings, problem.Failure(c.Err))
	}
	return warnings
}

// skips are nodes that were left out, by the reason. There may be thousands, for each Service.
type skips map[string]*few

func (s skips) add(node, reason string) {
	if s[reason] == nil {
		s[reason] = &few{}
	}
	s[reason].add(node)
}

// String names at most three nodes for each reason, and says how many more there are.
func (s skips) String() string {
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(s)) {
		texts = append(texts, s[reason].String()+": "+reason)
	}
	return strings.Join(texts, "; ")
}

// few are the first three of many names.
type few struct {
	first []string // sorted
	more  int
}

func (f *few) add(name string) {
	const most = 3
	if len(f.first) < most || name < f.first[most-1] {
		at, _ := slices.BinarySearch(f.first, name)
		f.first = slices.Insert(f.first, at, name)
	} else {
		f.more++
	}
	if len(f.first) > most {
		f.first, f.more = f.first[:most], f.more+1
	}
}

func (f *few) String() string {
	text := strings.Join(f.first, ", ")
	if f.more > 0 {
		text += fmt.Sprintf(" and %d more", f.more)
	}
	return text
}

// firstOf names the first three of many.
func firstOf(all []string) string {
	var f few
	for _, name := range all {
		f.add(name)
	}
	return f.String()
}

// Machines finds the machines behind nodes.
type Machines interface {
	// Lookup returns the machines the cloud has. An id missing from the answer was not
	// found by a direct read; with an error the answer may hold a part of them. An
	// *instance.UnreadError says that nothing is wrong but that some seem gone.
	Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error)
	// ByName returns the machines of nodes without provider-ID, by the name of the node: those
	// of which there is exactly one. With an error the answer may hold a part of them.
	ByName(ctx context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error)
	// Outdate has the next Lookup read the machines again: the cloud refused one of them.
	Outdate()
	// Held reports whether the newest list of machines is held, because it lacks too many of them.
	Held() bool
	// Generation is another one when Lookup may know more of a machine than before, also from its Node; nil when that
	// cannot be said.
	Generation() any
	// Addresses returns the addresses of all machines of a list that was read just now and is
	// believed to be whole.
	Addresses(ctx context.Context) (map[string]bool, error)
	// ProviderID returns the id in a node's provider-ID.
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Nodes know the Nodes and their machines.
type Nodes struct {
	Machines Machines
	// Nodes returns all Nodes of the cluster, whosever they are.
	Nodes func() []*corev1.Node
	// Concerns reports whether a provider-ID is one of this cloud.
	Concerns func(providerID string) bool
	// Trust returns nil when the credentials certainly see what they saw before.
	Trust func(context.Context) error
	// Recent remembers candidates for a moment.
	Recent *Recent
}

// recentAge is how long candidates serve the next Services: about as long as a pass over all of them takes.
const recentAge = 2 * time.Second

// Recent remembers the candidates of each label selection for a moment, so that a pass over many Services
// computes them once. They serve for the same list of the same Nodes and the same knowledge of machines, and only where
// nothing was in doubt. Nodes are the same when they are the same objects, which nobody changes: a cache puts another
// object in the place of one that has changed. The zero Recent is empty; nothing is kept between passes.
type Recent struct {
	mu    sync.Mutex
	known map[string]recent
	clear *time.Timer
	// busy are the selections whose candidates are being computed; a channel is closed when they are.
	busy map[string]chan struct{}
}

// recent are the candidates of one selection.
type recent struct {
	nodes      []*corev1.Node
	machines   any
	at         time.Time
	candidates Candidates
}

// get returns the candidates of a selection, and false when they are not known.
func (r *Recent) get(selection string, nodes []*corev1.Node, machines any) (Candidates, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.known[selection]
	return known.candidates, ok && slices.Equal(known.nodes, nodes) && known.machines == machines && time.Since(known.at) < recentAge
}

// set remembers candidates until recentAge after the last ones.
func (r *Recent) set(selection string, nodes []*corev1.Node, machines any, c Candidates) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]recent{}
	}
	r.known[selection] = recent{nodes, machines, time.Now(), c}
	if r.clear != nil {
		r.clear.Stop()
	}
	r.clear = time.AfterFunc(recentAge, r.forget)
}

// turn waits for those who compute the candidates of the selection, so that 50 Services that are looked at in the same
// moment do not make 50 copies of all machines. It waits for one of them only: what that one computed may not be certain,
// and each needs its own then. It returns what to call when the candidates are there.
func (r *Recent) turn(ctx context.Context, selection string) (done func()) {
	r.mu.Lock()
	busy, ok := r.busy[selection]
	if !ok {
		if r.busy == nil {
			r.busy = map[string]chan struct{}{}
		}
		busy = make(chan struct{})
		r.busy[selection] = busy
	}
	r.mu.Unlock()
	if ok {
		select {
		case <-busy:
		case <-ctx.Done():
		}
		return func() {}
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.busy, selection)
		close(busy)
	}
}

func (r *Recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = nil
}

// certain reports whether the same Nodes and machines give the same candidates: nothing was read beside
// the list of machines, or could not be. What only Nodes tell of machines is in Machines.Generation.
func (c Candidates) certain() bool {
	return c.Err == nil && len(c.unknown) == 0 && len(c.named) == 0 && !c.unidentified
}

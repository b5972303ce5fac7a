// Package tagging gives the machines of Nodes the tags their cluster's operator chooses, and takes
// them away from machines whose Node is deleted.
//
// A label of the Node remembers with which tags its machine was tagged, so that a pass over
// Nodes that all have it costs nothing. Tags that were taken out of the settings stay on machines:
// nothing remembers what they were.
package tagging

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

const (
	// batch is the most machines of one operation.
	batch = 500
	// young Nodes are waited for when the cloud does not know their machine, as upstream does.
	young = 5 * time.Minute
	// attempts is how often it is tried to take the tags of a machine away whose Node is gone.
	attempts = 10
)

// Machines finds the machines behind Nodes; *instance.Inventory does.
type Machines interface {
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Options are what a Manager works with. All are required.
type Options struct {
	// Cloud must have a Tagger.
	Cloud    *run.Cloud
	Machines Machines
	// Nodes returns this cloud's Nodes from a synced cache.
	Nodes func() []*corev1.Node
	// Label sets a label of a Node. One that is gone, or another of that name, is no error.
	Label    func(ctx context.Context, node *corev1.Node, key, value string) error
	Executor *run.Executor
	Settings Settings
}

// Manager tags the machines of one cloud. It is safe for concurrent use.
type Manager struct {
	Options
	label, sum string
	limit      *rate.Limiter // nil without
	size       int

	mu sync.Mutex
	// left are machines whose Node is gone, and how often it was tried to untag them.
	left map[cloud.InstanceID]int
}

// New returns a Manager. The settings must have no Problem.
func New(o Options) *Manager {
	m := &Manager{
		Options: o, label: o.Cloud.Tagger.TagLabel(), sum: checksum(o.Settings.Tags), size: batch,
		left: map[cloud.InstanceID]int{},
	}
	if o.Settings.Rate > 0 && o.Settings.Burst > 0 {
		m.limit = rate.NewLimiter(rate.Limit(o.Settings.Rate), o.Settings.Burst)
		m.size = min(batch, o.Settings.Burst)
	}
	return m
}

// Concerns reports whether something about a Node changed that a pass has to look at.
func (m *Manager) Concerns(before, after *corev1.Node) bool {
	return before.Spec.ProviderID != after.Spec.ProviderID || after.Labels[m.label] != m.sum && before.Labels[m.label] != after.Labels[m.label]
}

// Deleted remembers the machine of a Node that is gone. Without the label it was never tagged.
func (m *Manager) Deleted(node *corev1.Node) {
	id, err := m.Machines.ProviderID(node)
	if err != nil || id.Described() || node.Labels[m.label] == "" || !m.Cloud.Tagger.Taggable(id) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left[id] = 0
}

// Reconcile makes one pass: it untags what is left behind and tags what lacks the label. An error
// asks for another pass soon.
func (m *Manager) Reconcile(ctx context.Context) error {
	ctx = cloud.WithPriority(ctx, cloud.PriorityRefresh)
	present := map[cloud.InstanceID][]*corev1.Node{}
	var untagged []cloud.InstanceID
	for _, node := range m.Nodes() {
		id, err := m.Machines.ProviderID(node)
		if err != nil || id.Described() || !m.Cloud.Tagger.Taggable(id) {
			continue
		}
		if node.Labels[m.label] != m.sum {
			untagged = append(untagged, id)
		}
		present[id] = append(present[id], node)
	}
	slices.Sort(untagged)
	errs := []error{m.untag(ctx, m.abandoned(present))}
	for some := range slices.Chunk(slices.Compact(untagged), m.size) {
		errs = append(errs, m.tag(ctx, some, present))
	}
	return errors.Join(errs...)
}

// abandoned returns the machines to untag; a machine that has a Node again keeps its tags.
func (m *Manager) abandoned(present map[cloud.InstanceID][]*corev1.Node) []cloud.InstanceID {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.left, func(id cloud.InstanceID, tried int) bool { return len(present[id]) > 0 || tried >= attempts })
	return slices.Sorted(maps.Keys(m.left))
}

func (m *Manager) untag(ctx context.Context, ids []cloud.InstanceID) error {
	var errs []error
	for some := range slices.Chunk(ids, m.size) {
		err := m.execute(ctx, some, cloud.Delete, func(ctx context.Context) error {
			return m.Cloud.Tagger.Untag(ctx, some, m.Settings.Resources, m.Settings.Tags)
		})
		m.tried(some, err == nil)
		if err != nil {
			errs = append(errs, fmt.Errorf("untagging %d machines: %w", len(some), err))
		}
	}
	return errors.Join(errs...)
}

func (m *Manager) tried(ids []cloud.InstanceID, done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if done {
			delete(m.left, id)
		} else {
			m.left[id]++
		}
	}
}

// tag tags machines and then labels their Nodes: a crash between the two tags them again.
func (m *Manager) tag(ctx context.Context, ids []cloud.InstanceID, present map[cloud.InstanceID][]*corev1.Node) error {
	var missing []cloud.InstanceID
	err := m.execute(ctx, ids, cloud.Update, func(ctx context.Context) (err error) {
		missing, err = m.Cloud.Tagger.Tag(ctx, ids, m.Settings.Resources, m.Settings.Tags)
		return err
	})
	if err != nil {
		return fmt.Errorf("tagging %d machines: %w", len(ids), err)
	}
	if m.Executor.Mode().ReadOnly() {
		return nil
	}
	var group errgroup.Group
	group.SetLimit(m.Settings.Workers)
	late := 0
	for _, id := range ids {
		for _, node := range present[id] {
			if slices.Contains(missing, id) {
				if time.Since(node.CreationTimestamp.Time) < young {
					late++
				}
				continue
			}
			group.Go(func() error { return m.Label(ctx, node, m.label, m.sum) })
		}
	}
	err = group.Wait()
	if late > 0 {
		err = errors.Join(err, fmt.Errorf("the cloud does not know the machines of %d new nodes yet", late))
	}
	return err
}

// execute makes one operation of the machines.
func (m *Manager) execute(ctx context.Context, ids []cloud.InstanceID, verb cloud.Verb, write func(context.Context) error) error {
	if m.limit != nil {
		if err := m.limit.WaitN(ctx, len(ids)); err != nil {
			return fmt.Errorf("waiting for --tagging-controller-rate-limit: %w", err)
		}
	}
	p := plan.Plan{Cloud: m.Cloud.Name, Subject: "tags"}
	for _, id := range ids {
		op := cloud.Operation{Verb: verb, Kind: cloud.KindNode, Key: string(id), Field: "tags", After: text(m.Settings.Tags)}
		if verb == cloud.Delete {
			op.Before, op.After = op.After, ""
		}
		p.Operations = append(p.Operations, op)
	}
	return m.Executor.Execute(ctx, "tags", p, write)
}

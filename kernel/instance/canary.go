package instance

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// maxCanaries is how many machines are tried before the credentials count as blind: a
// Node stays Ready for a while after its machine is gone.
const maxCanaries = 3

// canary returns nil when the credentials saw a machine that must be there after the
// time given, and within CanaryMaxAge.
//
//	our Nodes                    what must have been seen
//	some are Ready               one of their machines, by a direct read
//	none is Ready                one of their machines, in a list that is believed
//	there is only the one asked  a list that is believed, if one before had a machine of ours
//	it is explained why this     a complete list without it, of the account that had our machines
//	 one is gone (see explained)  before; after a release an incomplete one, of any account
func (i *Inventory) canary(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) error {
	// A check that somebody else started too early is waited for, and another one made.
	for range 3 {
		if i.guard.sang(since, i.policy.CanaryMaxAge) {
			return nil
		}
		if len(i.canaries()) == 0 {
			return i.canaryList(ctx, node, id, since)
		}
		if err := i.guard.share(ctx, "canary", i.readCanary); err != nil {
			return err
		}
	}
	return refuse(verdictNoCanary, "no machine of a Ready node was seen in time")
}

// canaries are the machines of Ready Nodes that do not seem gone themselves: those the
// list has, or all when it has none of them.
func (i *Inventory) canaries() []cloud.InstanceID {
	var all, listed []cloud.InstanceID
	for _, node := range i.nodes() {
		if node.Spec.ProviderID == "" || !ready(node) {
			continue
		}
		id, err := i.ProviderID(node)
		if err != nil || i.cases.has(id) {
			continue
		}
		all = append(all, id)
		if i.sighting(id) != nil {
			listed = append(listed, id)
		}
	}
	if len(listed) > 0 {
		return listed
	}
	return all
}

func (i *Inventory) readCanary(ctx context.Context) error {
	ids := i.canaries()
	if len(ids) == 0 {
		return refuse(verdictNoCanary, "no node is Ready any more")
	}
	// Each check starts elsewhere, so that a few bad canaries do not hold everything.
	turn := i.guard.nextTurn() % len(ids)
	ids = slices.Concat(ids[turn:], ids[:turn])
	ids = ids[:min(maxCanaries, len(ids))]
	for chunk := range slices.Chunk(ids, i.pace.batch()) {
		started := time.Now()
		i.spend(1)
		found, err := i.fetch(ctx, chunk)
		if err != nil {
			return refuse(verdictCloudFailure, "checking that the credentials see our machines: %w", err)
		}
		if len(found) > 0 {
			i.guard.heard(started)
			return nil
		}
	}
	return refuse(verdictNoCanary, "the credentials do not see machines of Ready nodes either (asked for %v)", ids)
}

// explained reports whether something besides the cloud's answers says why the Node's machine
// is gone: somebody announced it, an operator released it, or all of them are gone for so long.
func (i *Inventory) explained(node *corev1.Node) bool {
	return node != nil && (announced(node) || i.brake.Released(string(node.UID)) || i.mass.proved(string(node.UID), i.policy.MassWait))
}

// accountOnly stands in for a canary when no machine of ours is left to be seen. An operator's
// release is also about the account, and about a list that stays incomplete.
func (i *Inventory) accountOnly(ctx context.Context, node *corev1.Node, s *snapshot, since time.Time) error {
	released := i.brake.Released(string(node.UID))
	if s.started.Before(since) || !s.complete && !released {
		return refuse(verdictNoCanary, "no node is Ready, and the list of machines is incomplete; %s", safety.ReleaseHint)
	}
	return i.remembered(ctx, released)
}

// canaryList looks for signs of life in a list when no Node is Ready.
func (i *Inventory) canaryList(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) error {
	if !i.listedSince(since) && !i.room(i.pace.pages(i.size())) {
		return refuse(verdictQueued, "no node is Ready, and listing machines has to wait for the cloud's limits: %w", errNotItsTurn)
	}
	if err := i.list(ctx, since); err != nil {
		return refuse(verdictCloudFailure, "no node is Ready: %w", err)
	}
	i.mu.Lock()
	s, newest, met := i.installed, i.refused, i.met
	i.mu.Unlock()
	refused := newest != nil
	if !refused {
		newest = s
	}
	switch {
	case i.explained(node) && newest.byID[id] == nil:
		return i.accountOnly(ctx, node, newest, since)
	case refused || s.started.Before(since):
		return refuse(verdictNoCanary, "no node is Ready, and the list of machines is incomplete or suspiciously short; %s", safety.ReleaseHint)
	case s.byID[id] != nil:
		return refuse(verdictUnconfirmed, "the list shows the machine")
	case !i.shows(s) && (!met || i.census.take(i).nodes != 1):
		return refuse(verdictNoCanary, "no node is Ready, and the list of machines has none of the other nodes'")
	}
	i.guard.heard(s.started)
	return nil
}

func (i *Inventory) listedSince(since time.Time) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return !i.lastList.Before(since)
}

// shows reports whether a list has the machine of any of our Nodes. One that has others only
// may be another account's.
func (i *Inventory) shows(s *snapshot) bool {
	return slices.ContainsFunc(i.nodes(), func(node *corev1.Node) bool {
		id, err := i.ProviderID(node)
		return err == nil && s.byID[id] != nil
	})
}

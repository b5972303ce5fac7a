package instance

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// maxProbed is how many machines are tried before the credentials count as blind: a
// Node stays Ready for a while after its machine is gone.
const maxProbed = 3

// probe returns nil when the credentials that see the machine with the id, "" for those of the account, saw
// one that must be there after the time given, and within probeMaxAge. Nodes of other credentials do not
// count.
//
//	our Nodes                    what must have been seen
//	some are Ready               one of their machines, by a direct read
//	none is Ready                one of their machines, in a list that is believed
//	there is only the one asked  a list that is believed, if one before had a machine of ours
//	it is explained why this     a complete list without it, of the account that had our machines
//	 one is gone (see explained)  before; after a release an incomplete one, of any account
func (c *credentials) probe(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) error {
	name := c.partOf(id)
	part := c.part(name)
	// A check that somebody else started too early is waited for, and another one made.
	for range 3 {
		if c.probeSucceeded(part, since) {
			return nil
		}
		if len(c.candidates(name)) == 0 {
			return c.probeList(ctx, node, id, since)
		}
		if _, err := part.probes.Ask(ctx, struct{}{}); err != nil {
			return err
		}
	}
	return absence.Deny(absence.NoProbe, "no machine of a Ready node was seen in time")
}

// probeSucceeded reports whether a probe at since or later succeeded, not longer ago than probeMaxAge.
func (c *credentials) probeSucceeded(p *part, since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !p.probed.Before(since) && time.Since(p.probed) <= probeMaxAge
}

func (c *credentials) recordProbe(p *part, started time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if started.After(p.probed) {
		p.probed = started
	}
}

// candidates are the machines of Ready Nodes that the credentials of that name see and that do not seem
// gone themselves: those the list has, or all when it has none of them.
func (c *credentials) candidates(name string) []cloud.InstanceID {
	var all, listed []cloud.InstanceID
	for _, node := range c.ownOf(name) {
		if node.id == "" || !Ready(node.Node) || c.absences.Has(node.id) {
			continue
		}
		all = append(all, node.id)
		if c.cache.Get(node.id) != nil {
			listed = append(listed, node.id)
		}
	}
	if len(listed) > 0 {
		return listed
	}
	return all
}

// ownOf are our Nodes whose machines the credentials of that name see.
func (c *credentials) ownOf(name string) []ownNode {
	return slices.DeleteFunc(slices.Clone(c.nodes.own()), func(node ownNode) bool { return node.id != "" && c.partOf(node.id) != name })
}

func (c *credentials) readProbe(ctx context.Context, name string) error {
	part, ids := c.part(name), c.candidates(name)
	if len(ids) == 0 {
		return absence.Deny(absence.NoProbe, "no node is Ready any more")
	}
	// Each check starts elsewhere, so that a few bad candidates do not hold everything.
	part.turn++ // probes of one part run one at a time
	turn := part.turn % len(ids)
	ids = slices.Concat(ids[turn:], ids[:turn])
	ids = ids[:min(maxProbed, len(ids))]
	for chunk := range slices.Chunk(ids, c.schedule.batch()) {
		started := time.Now()
		c.budget.spend(1)
		found, err := c.reads.fetch(ctx, chunk)
		if err != nil {
			return absence.Deny(absence.CloudFailure, "checking that the credentials see our machines: %w", err)
		}
		if len(found) > 0 {
			c.recordProbe(part, started)
			return nil
		}
	}
	return absence.Deny(absence.NoProbe, "the credentials do not see machines of Ready nodes either (asked for %v)", ids)
}

// explained reports whether something besides the cloud's answers says why the Node's machine
// is gone: somebody announced it, an operator released it, or all of them are gone for so long, in the
// account that had them.
func (c *credentials) explained(node *corev1.Node, id cloud.InstanceID) bool {
	return node != nil && (announced(node) || c.brake.Released(string(node.UID)) || c.partOf(id) == "" && c.mass.Proved(string(node.UID)))
}

// probeAccount stands in for a probe when no machine of ours is left to be seen. An operator's
// release is also about the account, and about a list that stays incomplete.
func (c *credentials) probeAccount(ctx context.Context, node *corev1.Node, s *cache.Snapshot, since time.Time) error {
	released := c.brake.Released(string(node.UID))
	if s.Started.Before(since) || !s.Complete && !released {
		return absence.Deny(absence.NoProbe, "no node is Ready, and the list of machines is incomplete; %s", safety.ReleaseHint)
	}
	return c.remembered(ctx, released)
}

// probeList looks for our machines in a list when no Node is Ready.
func (c *credentials) probeList(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) error {
	if !c.listedSince(since) && !c.budget.room(c.budget.list()) {
		return absence.Deny(absence.Queued, "no node is Ready, and listing machines has to wait for the cloud's limits: %w", errNotItsTurn)
	}
	if err := c.lists.refresh(ctx, since); err != nil {
		return absence.Deny(absence.CloudFailure, "no node is Ready: %w", err)
	}
	lists := c.cache.Lists()
	own := c.ownOf(c.partOf(id))
	alone := len(own) == 1 && c.nodes.count().total == 1 // what a list before had was of this Node
	installed, newest := lists.Installed, cmp.Or(lists.Refused, lists.Installed)
	switch {
	case c.explained(node, id) && !newest.Has(id):
		return c.probeAccount(ctx, node, newest, since)
	case lists.Refused != nil || installed.Started.Before(since):
		return absence.Deny(absence.NoProbe, "no node is Ready, and the list of machines is incomplete or suspiciously short; %s", safety.ReleaseHint)
	case installed.Has(id):
		return absence.Deny(absence.Unconfirmed, "the list shows the machine")
	case !shows(installed, own) && (!lists.Matched || !alone):
		return absence.Deny(absence.NoProbe, "no node is Ready, and the list of machines has none of the other nodes'")
	}
	c.recordProbe(c.part(c.partOf(id)), installed.Started)
	return nil
}

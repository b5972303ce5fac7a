package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Exists reports whether a Node's machine exists. The framework deletes a Node on false,
// at once and without a second look, so false needs a whole proof and everything else is
// true or an error. The first row that fits decides:
//
//	Node, machine                                           answer
//	provider-ID of another cloud, or opted out              true: never touched
//	no provider-ID, or a malformed one                      error
//	seen within state age                                   true
//	 not seen, Node younger than Grace or not initialised   error, nothing is asked
//	found by a list or a direct read                        true
//	the cloud fails                                         error
//	one direct not-found                                    error
//	two, ConfirmGap apart, but the account changed          error
//	 …, or no canary was seen in between                    error
//	 …, or too many machines are missing at once (mass)     error
//	 …, or the brake refuses                                error
//	otherwise                                               false
//
// A refusal is a *HeldError; its verdict is counted and told on the Node.
func (i *Inventory) Exists(ctx context.Context, node *corev1.Node) (bool, error) {
	if foreign(node, i.concerns) {
		return true, nil
	}
	id, err := i.ProviderID(node)
	if err != nil {
		return false, err
	}
	ctx = cloud.WithPriority(ctx, cloud.PriorityExistence)
	r, err := i.sight(ctx, node, id)
	if err != nil {
		return false, err
	}
	if r != nil {
		i.report.settled(node)
		return true, nil
	}
	return i.judge(ctx, node, id)
}

// Shutdown reports whether a Node's machine is off, from the same records as Exists. Nodes
// of other clouds never are. A machine that cannot be seen is an error.
func (i *Inventory) Shutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	if foreign(node, i.concerns) {
		return false, nil
	}
	id, err := i.ProviderID(node)
	if err != nil {
		return false, err
	}
	r, err := i.sight(cloud.WithPriority(ctx, cloud.PriorityExistence), node, id)
	if err != nil {
		return false, err
	}
	if r == nil {
		return false, fmt.Errorf("node %s: whether machine %s is off is not known: it was not found", node.Name, id)
	}
	return r.State == cloud.StateStopped, nil
}

// foreign reports whether the Node is not ours to say anything about.
func foreign(node *corev1.Node, concerns func(string) bool) bool {
	owner := Owner(node, concerns)
	return owner == Foreign || owner == OptedOut
}

// sight returns the machine's record when it is young enough, after the cheapest read that
// can show it; nil says that it was not found, which proves nothing yet.
func (i *Inventory) sight(ctx context.Context, node *corev1.Node, id cloud.InstanceID) (*record, error) {
	size, watched := i.size(), len(i.census.take(i).watched)
	since := sinceAge(i.pace.stateAge(size, watched))
	if i.protected(node) {
		since = sinceAge(i.pace.staleAge(size))
	}
	if r := i.believed(node, id, since); r != nil {
		return r, nil
	}
	if _, open := i.cases.get(string(node.UID), id); open {
		return nil, nil
	}
	never := i.listedNever()
	if never || i.protected(node) || !i.listedSince(since) && i.pace.listCheaper(size, watched) {
		if err := i.list(ctx, since); err != nil {
			return nil, i.unsure(ctx, node, id, err)
		}
		if r := i.believed(node, id, since); r != nil {
			return r, nil
		}
	}
	if i.protected(node) {
		return nil, i.hold(node, id, refuse(verdictYoung, "it is younger than %v or not initialised yet, and clouds show new machines late", i.policy.Grace))
	}
	if i.listedSince(since) {
		return nil, nil
	}
	return i.readState(ctx, node, id, since)
}

// believed returns the machine's record if it was seen at since or later, and not before a
// direct read did not find it.
func (i *Inventory) believed(node *corev1.Node, id cloud.InstanceID, since time.Time) *record {
	r := i.sighting(id)
	if r == nil || r.seen.Before(since) {
		return nil
	}
	if a, open := i.cases.get(string(node.UID), id); open && (r.seen.Before(a.first) || r.seen.Before(a.last)) {
		return nil
	}
	return r
}

// readState reads the machine directly, where that is cheaper than a list, and with it the
// machines of the other watched Nodes whose records are too old: their questions follow.
func (i *Inventory) readState(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) (*record, error) {
	questions := []watched{{id: id, uid: string(node.UID)}}
	for _, other := range i.census.take(i).watched {
		otherID, err := i.ProviderID(other)
		if err != nil || otherID == id || i.believed(other, otherID, since) != nil || i.cases.has(otherID) {
			continue
		}
		questions = append(questions, watched{id: otherID, uid: string(other.UID)})
	}
	_, err := i.states.join(ctx, questions...)[0].wait(ctx)
	if err == nil {
		return i.believed(node, id, since), nil
	}
	if errors.Is(err, errNotItsTurn) {
		if r := i.believed(node, id, sinceAge(i.pace.staleAge(i.size()))); r != nil {
			return r, nil
		}
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return nil, i.hold(node, id, r)
	}
	return nil, i.unsure(ctx, node, id, err)
}

// unsure returns the error for a question that the cloud did not answer, and tells about it
// unless it was not asked.
func (i *Inventory) unsure(ctx context.Context, node *corev1.Node, id cloud.InstanceID, err error) error {
	err = fmt.Errorf("node %s: whether machine %s is there is not known: %w", node.Name, id, err)
	throttled := errors.Is(err, errNotItsTurn) || cloud.FailureOf(err).Class == cloud.FailureThrottled
	if ctx.Err() == nil && !throttled {
		i.report.tell(node, string(verdictCloudFailure), event.CloudUnavailable, err)
	}
	return err
}

// judge takes the case of a machine that was not found one step further.
func (i *Inventory) judge(ctx context.Context, node *corev1.Node, id cloud.InstanceID) (exists bool, err error) {
	found, err := i.prove(ctx, node, id)
	if found {
		i.report.settled(node)
		return true, nil
	}
	if err == nil {
		i.report.verdict(verdictGone)
		return false, nil
	}
	if ctx.Err() != nil {
		return false, err
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return false, i.hold(node, id, r)
	}
	return false, i.hold(node, id, &refusal{verdictCloudFailure, err})
}

// prove returns false and no error when the machine is proved gone and the Node may be
// deleted. What costs nothing is checked first. A not-found counts once the account was
// checked after it, and the canary is looked for before the second one: answers under wrong
// credentials do not add up, not even when they are changed and changed back meanwhile.
//
//	not-found, account → ConfirmGap → canary, list → not-found, account → brake → gone
func (i *Inventory) prove(ctx context.Context, node *corev1.Node, id cloud.InstanceID) (found bool, err error) {
	held := i.holdMass(ctx, node)
	a, admitted := i.cases.admit(string(node.UID), id, held != nil)
	switch {
	case !admitted && i.listRefused():
		return false, refuse(verdictListRefused, "the list of machines is incomplete or suspiciously short and is not believed; others are being confirmed one by one first")
	case !admitted:
		return false, refuse(verdictQueued, "others are being confirmed first")
	case held != nil && !a.first.IsZero():
		return false, held
	}
	if r := i.guard.failing(); r != nil {
		return false, r
	}
	if a.confirmed() && i.braked(node) {
		if err := i.refusal(i.brake.Check(ctx, i.census.take(i).nodes, string(node.UID))); err != nil {
			return false, err
		}
	}
	if a.due(i.policy) {
		if found, err := i.confirm(ctx, node, id, a); found || err != nil {
			return found, err
		}
		a, _ = i.cases.get(string(node.UID), id)
	}
	if held != nil {
		return false, held
	}
	return false, i.conclude(ctx, node, id, a)
}

// conclude returns nil when what is known of the machine's absence is enough to delete the Node.
func (i *Inventory) conclude(ctx context.Context, node *corev1.Node, id cloud.InstanceID, a absence) error {
	if !a.confirmed() || a.due(i.policy) {
		return refuse(verdictUnconfirmed, "the cloud says it has no such machine; it is asked again after %v", i.policy.ConfirmGap)
	}
	if err := i.sameAccount(ctx, string(node.UID), later(a.last, sinceAge(i.policy.ConfirmGap))); err != nil {
		return i.distrust(err)
	}
	if now, open := i.cases.get(string(node.UID), id); !open || !now.confirmed() {
		return refuse(verdictUnconfirmed, "something showed the machine again, or its absence became doubtful, a moment ago")
	}
	return i.askBrake(ctx, node)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// confirm reads the machine once more.
func (i *Inventory) confirm(ctx context.Context, node *corev1.Node, id cloud.InstanceID, a absence) (found bool, err error) {
	if !a.first.IsZero() {
		since := later(a.first, a.last)
		if err := i.canary(ctx, node, id, since); err != nil {
			return false, i.distrust(err)
		}
		if found, err := i.recount(ctx, node, id, since); found || err != nil {
			return found, err
		}
	}
	started := time.Now()
	instances, err := i.reads.ask(ctx, id)
	if err != nil {
		return false, err
	}
	if len(instances) > 0 {
		return true, nil
	}
	answered := time.Now()
	if err := i.sameAccount(ctx, string(node.UID), answered); err != nil {
		return false, i.distrust(err)
	}
	i.cases.note(string(node.UID), id, started, answered)
	return false, nil
}

// distrust draws the consequences of a failed check of the credentials, and returns it. If
// they are wrong, everything that was read before is void.
func (i *Inventory) distrust(err error) error {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return err
	}
	switch r.verdict {
	case verdictIdentityChanged, verdictNoCanary:
		i.cases.void()
		i.guard.fail(r)
	case verdictCloudFailure:
		i.guard.fail(r)
	}
	return err
}

// listRefused reports whether the newest list is not believed.
func (i *Inventory) listRefused() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.refused != nil
}

func (i *Inventory) listedNever() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lastList.IsZero()
}

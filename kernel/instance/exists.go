package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// Exists reports whether a Node's machine exists. The framework deletes a Node on false,
// at once and without a second look, so false needs a whole proof and everything else is
// true or an error. The first row that fits decides:
//
//	Node, machine                                           answer
//	provider-ID of another cloud, or opted out              true: never touched
//	a machine that only its Node describes                  true: nobody can be asked
//	no provider-ID, or a malformed one                      error
//	seen within state age                                   true
//	 not seen, Node younger than Grace or not initialised   error, nothing is asked
//	found by a list or a direct read                        true
//	the cloud fails                                         error
//	one direct not-found                                    error
//	two, ConfirmGap apart, but the account changed          error
//	 …, or no probe succeeded in between                    error
//	 …, or too many machines are missing at once            error
//	 …, or the brake refuses                                error
//	otherwise                                               false
//
// A denial is an *absence.HeldError; its decision is counted and told on the Node.
func (i *Inventory) Exists(ctx context.Context, node *corev1.Node) (bool, error) {
	if i.nodes.foreign(node) {
		return true, nil
	}
	if _, described := i.nodes.fromNode(node); described {
		return true, nil
	}
	ctx = cloud.WithPriority(ctx, cloud.PriorityExistence)
	switch id, r, err := i.current(ctx, node); {
	case err != nil:
		return false, err
	case r != nil:
		i.report.clear(node)
		return true, nil
	default:
		return i.prover.decide(ctx, node, id)
	}
}

// Shutdown reports whether a Node's machine is off, from the same records as Exists. Nodes
// of other clouds never are, and neither are machines that only their Node describes. A machine that
// cannot be seen is an error.
func (i *Inventory) Shutdown(ctx context.Context, node *corev1.Node) (bool, error) {
	if i.nodes.foreign(node) {
		return false, nil
	}
	if _, described := i.nodes.fromNode(node); described {
		return false, nil
	}
	switch id, r, err := i.current(cloud.WithPriority(ctx, cloud.PriorityExistence), node); {
	case err != nil:
		return false, err
	case r == nil:
		return false, fmt.Errorf("node %s: whether machine %s is off is not known: it was not found", node.Name, id)
	case r.State == cloud.StateUnknown:
		return i.power.off(cloud.WithPriority(ctx, cloud.PriorityExistence), id)
	default:
		return r.State == cloud.StateStopped, nil
	}
}

// Running reports whether Exists and Shutdown would say at once that a Node's machine is there and not off. It asks
// nobody, and holds for Nodes of this cloud.
func (i *Inventory) Running(node *corev1.Node) bool {
	if _, described := i.nodes.fromNode(node); described {
		return true
	}
	id, err := i.ProviderID(node)
	if err != nil {
		return false
	}
	r := i.believed(node, id, i.currentSince(node))
	if r == nil || r.State == cloud.StateUnknown || r.State == cloud.StateStopped {
		return false
	}
	i.report.clear(node)
	return true
}

// currentSince is from when on what was seen of a Node's machine says that it exists.
func (i *Inventory) currentSince(node *corev1.Node) time.Time {
	if i.nodes.protected(node) {
		return sinceAge(i.schedule.staleAge(i.size()))
	}
	return sinceAge(i.schedule.stateAge(i.size(), len(i.nodes.count().watched)))
}

// current returns a Node's machine and its record when it is young enough, after the cheapest read that
// can show it; nil says that it was not found, which proves nothing yet.
func (i *Inventory) current(ctx context.Context, node *corev1.Node) (id cloud.InstanceID, r *cache.Record, err error) {
	if id, err = i.ProviderID(node); err != nil {
		return id, nil, err
	}
	size, watched, protected := i.size(), len(i.nodes.count().watched), i.nodes.protected(node)
	since := i.currentSince(node)
	if r := i.believed(node, id, since); r != nil {
		return id, r, nil
	}
	if _, open := i.absences.Get(keyOf(node, id)); open {
		return id, nil, nil
	}
	listed := i.cache.Lists().Started
	if listed.IsZero() || protected || listed.Before(since) && i.schedule.listCheaper(size, watched) {
		if err := i.lists.refresh(ctx, since); err != nil {
			return id, nil, i.unsure(ctx, node, id, err)
		}
		if r := i.believed(node, id, since); r != nil {
			return id, r, nil
		}
	}
	if protected {
		return id, nil, i.held(node, id, absence.Deny(absence.Young, "it is younger than %v or not initialised yet, and clouds show new machines late", i.policy.Grace))
	}
	if !i.listedSince(since) {
		r, err = i.readState(ctx, node, id, since)
	}
	return id, r, err
}

// readState reads the machine directly, where that is cheaper than a list, and with it the
// machines of the other watched Nodes whose records are too old: their questions follow.
func (i *Inventory) readState(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) (*cache.Record, error) {
	questions := []absence.Key{keyOf(node, id)}
	for _, other := range i.nodes.count().watched {
		if other.id == "" || other.id == id || i.believed(other.Node, other.id, since) != nil || i.absences.Has(other.id) {
			continue
		}
		questions = append(questions, keyOf(other.Node, other.id))
	}
	_, err := i.reads.states.Join(ctx, questions...)[0].Wait(ctx)
	if err == nil {
		return i.believed(node, id, since), nil
	}
	if errors.Is(err, errNotItsTurn) {
		if r := i.believed(node, id, sinceAge(i.schedule.staleAge(i.size()))); r != nil {
			return r, nil
		}
	}
	if d, ok := errors.AsType[*absence.Denial](err); ok {
		return nil, i.held(node, id, d)
	}
	return nil, i.unsure(ctx, node, id, err)
}

// unsure returns the error for a question that the cloud did not answer, and tells about it
// unless it was not asked.
func (i *Inventory) unsure(ctx context.Context, node *corev1.Node, id cloud.InstanceID, err error) error {
	err = fmt.Errorf("node %s: whether machine %s is there is not known: %w", node.Name, id, err)
	throttled := errors.Is(err, errNotItsTurn) || cloud.FailureOf(err).Class == cloud.FailureThrottled
	if ctx.Err() == nil && !throttled {
		i.report.tell(node, string(absence.CloudFailure), event.CloudUnavailable, err)
	}
	return err
}

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

// Metadata returns the machine of a Node; the caller may keep and change it. It is never
// zero without an error.
//
//	Node                     looked up by  freshness
//	provider-ID, initialised id            metadata age; staleAge when the cloud fails
//	provider-ID, new         id            metadata age; needs at least one address
//	no provider-ID           name, or the  metadata age; needs at least one address
//	                         id in it
//
// A new Node's machine comes with the labels that are read separately, see label.
//
// A new machine without an address is an error, because the Node would lose its taint and
// wait for addresses until the next status pass. Errors are *NotMineError, *NotFoundError,
// *AmbiguousError, or carry the failure class of the cloud's answer.
func (i *Inventory) Metadata(ctx context.Context, node *corev1.Node) (cloud.Instance, error) {
	w, err := i.wanted(node)
	if err != nil {
		return cloud.Instance{}, err
	}
	initialised := node.Spec.ProviderID != "" && !Uninitialized(node)
	priority := cloud.PriorityRefresh
	if !initialised {
		priority = cloud.PriorityNodeInit
	}
	instance, err := i.find(cloud.WithPriority(ctx, priority), node, w)
	if err == nil && !initialised && len(instance.Addresses) == 0 {
		err = fmt.Errorf("machine %s has no address yet", instance.ID)
	}
	if err == nil && !initialised {
		instance, err = i.label(cloud.WithPriority(ctx, priority), instance, node.Labels)
	}
	if err != nil {
		i.tellMissing(node, initialised, err)
		return cloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	if !initialised {
		i.report.settled(node)
		i.hand(instance.ID, node)
	}
	return copied(instance), nil
}

// wanted says how to look a Node's machine up.
func (i *Inventory) wanted(node *corev1.Node) (want, error) {
	if node.Spec.ProviderID != "" {
		id, err := i.ProviderID(node)
		return want{id: id}, err
	}
	if owner := Owner(node, i.concerns); owner != Mine {
		return want{}, &NotMineError{Node: node.Name, Cloud: i.name, Owner: owner}
	}
	if id := i.nameID(node.Name); id != "" {
		return want{id: id}, nil
	}
	return want{name: node.Name}, nil
}

// find looks in the list, reads a new one if that is old, and reads the machine directly
// if it is in neither, or in the list as another Node's.
func (i *Inventory) find(ctx context.Context, node *corev1.Node, w want) (cloud.Instance, error) {
	i.measureAge()
	size := i.size()
	since := sinceAge(i.pace.metadataAge(size))
	initialised := node.Spec.ProviderID != "" && !Uninitialized(node)
	complete := func(r *record) bool {
		if r == nil || w.id == "" && i.another(r, node) {
			return false
		}
		return initialised || len(r.Addresses) > 0 || time.Since(r.seen) < firstMiss
	}
	if r, err := i.known(w, since); err != nil || complete(r) {
		return instanceOf(r), err
	}
	listErr := i.list(ctx, since)
	if r, err := i.known(w, since); err != nil || complete(r) {
		return instanceOf(r), err
	}
	if initialised {
		// Addresses rarely change: old ones are better than none while the cloud fails.
		if r, _ := i.known(w, sinceAge(i.pace.staleAge(size))); r != nil {
			return r.Instance, nil
		}
	}
	if listErr != nil {
		return cloud.Instance{}, listErr
	}
	return i.lookUp(ctx, w)
}

func instanceOf(r *record) cloud.Instance {
	if r == nil {
		return cloud.Instance{}
	}
	return r.Instance
}

// tellMissing writes the event for a Node that cannot be initialised.
func (i *Inventory) tellMissing(node *corev1.Node, initialised bool, err error) {
	if _, ok := errors.AsType[*AmbiguousError](err); ok {
		i.report.tell(node, "ambiguous", event.AmbiguousInstance, err)
		return
	}
	if _, ok := errors.AsType[*NotFoundError](err); ok && !initialised {
		i.report.tell(node, "not found", event.InstanceNotFound, err)
	}
}

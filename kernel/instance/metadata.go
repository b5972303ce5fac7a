package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Metadata returns the machine of a Node; the caller may keep and change it. It is never
// zero without an error.
//
//	Node                     looked up by  freshness
//	provider-ID, initialised id            metadata age; staleAge when the cloud fails
//	provider-ID, new         id            metadata age; needs at least one address
//	no provider-ID           name, or the  metadata age; needs at least one address
//	                         id in it
//	describes its machine    nothing       the Node itself; a new one needs at least one address
//
// A new Node's machine comes with the labels that are read separately, see labels.add.
//
// A new machine without an address is an error, because the Node would lose its taint and
// wait for addresses until the next status pass. Errors are *NotMineError, *NotFoundError,
// *AmbiguousError, or carry the failure class of the cloud's answer.
func (i *Inventory) Metadata(ctx context.Context, node *corev1.Node) (cloud.Instance, error) {
	initialised := node.Spec.ProviderID != "" && !Uninitialized(node)
	if machine, ok := i.nodes.fromNode(node); ok {
		return i.described(ctx, node, initialised, machine)
	}
	if err := i.unlisted(node); err != nil { // no list is read
		i.tellMissing(ctx, node, initialised, err)
		return cloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	k, err := i.key(node)
	if err != nil {
		i.tellUnreadable(node, initialised, err)
		return cloud.Instance{}, err
	}
	priority := cloud.PriorityRefresh
	if !initialised {
		priority = cloud.PriorityNodeInit
	}
	instance, err := i.find(cloud.WithPriority(ctx, priority), node, k)
	if err == nil {
		instance = i.nodes.complete(instance, node)
	}
	if err == nil && !initialised && len(instance.Addresses) == 0 {
		err = fmt.Errorf("machine %s has no address yet", instance.ID)
	}
	if err == nil && !initialised {
		instance, err = i.labels.add(cloud.WithPriority(ctx, priority), instance, node)
	}
	if err != nil {
		i.tellMissing(ctx, node, initialised, err)
		return cloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	i.report.seen(node)
	if !initialised {
		i.report.clear(node)
		i.cache.Assign(instance.ID, node.UID)
	}
	return cache.Copy(instance), nil
}

// described returns the machine that a Node describes. A kubelet without --node-ip registers with its host name alone, by which nobody
// reaches it.
func (i *Inventory) described(ctx context.Context, node *corev1.Node, initialised bool, machine cloud.Instance) (cloud.Instance, error) {
	if !initialised && !slices.ContainsFunc(machine.Addresses, isIP) {
		err := errors.New("neither its kubelet nor its description gives it an address: set the kubelet's --node-ip")
		i.tellMissing(ctx, node, initialised, err)
		return cloud.Instance{}, fmt.Errorf("node %s: %w", node.Name, err)
	}
	if !initialised {
		i.report.clear(node)
	}
	return machine, nil
}

func isIP(a cloud.Address) bool {
	return a.Type == cloud.AddressInternalIP || a.Type == cloud.AddressExternalIP
}

// key says how to look a Node's machine up.
func (i *Inventory) key(node *corev1.Node) (cache.Key, error) {
	if node.Spec.ProviderID != "" {
		id, err := i.ProviderID(node)
		return cache.Key{ID: id}, err
	}
	if owner := i.nodes.owner(node); owner != Mine {
		return cache.Key{}, &NotMineError{Node: node.Name, Cloud: i.nodes.cloud, Owner: owner}
	}
	return i.keyOfName(node.Name), nil
}

// find looks in the list, reads a new one if that is old, and reads the machine directly
// if it is in neither, or in the list as another Node's.
func (i *Inventory) find(ctx context.Context, node *corev1.Node, k cache.Key) (cloud.Instance, error) {
	if started := i.cache.Lists().Installed.Started; !started.IsZero() {
		i.report.set(metric.SnapshotAge, time.Since(started).Seconds())
	}
	size := i.size()
	since := sinceAge(i.schedule.metadataAge(size))
	initialised := node.Spec.ProviderID != "" && !Uninitialized(node)
	complete := func(r *cache.Record) bool {
		if r == nil || k.ID == "" && i.cache.Another(r.ID, node.UID) {
			return false
		}
		return initialised || len(r.Addresses) > 0 || time.Since(r.Seen) < cache.FirstMiss
	}
	var listErr error
	r, err := i.known(k, since)
	if err == nil && !complete(r) {
		listErr = i.lists.refresh(ctx, since)
		r, err = i.known(k, since)
	}
	switch {
	case err != nil:
		return cloud.Instance{}, err
	case complete(r):
		return r.Instance, nil
	case initialised:
		// Addresses rarely change: old ones are better than none while the cloud fails.
		if r, _ := i.known(k, sinceAge(i.schedule.staleAge(size))); r != nil {
			return r.Instance, nil
		}
	}
	if listErr != nil {
		return cloud.Instance{}, listErr
	}
	return i.reads.lookUp(ctx, k)
}

// tellUnreadable writes the event for a Node whose provider-ID is of this cloud and can't be read.
func (i *Inventory) tellUnreadable(node *corev1.Node, initialised bool, err error) {
	if _, other := errors.AsType[*NotMineError](err); other {
		return
	}
	reason := event.NotInitialised
	if initialised {
		reason = event.InstanceNotFound
	}
	i.report.tell(node, "provider-ID", reason, err)
}

// tellMissing writes the event for a Node that cannot be initialised, whatever the reason. Of one that
// is initialised only what somebody has to mend is told, and once that these credentials do not see its machine, when it has been
// Ready without it for a while. A rate limit needs nobody.
func (i *Inventory) tellMissing(ctx context.Context, node *corev1.Node, initialised bool, err error) {
	_, ambiguous := errors.AsType[*AmbiguousError](err)
	_, missing := errors.AsType[*NotFoundError](err)
	var again *RemadeError
	if missing {
		again = i.remade(node)
	}
	// Where many machines are missing the credentials, or the cloud's answers, are wrong: nobody is advised to label Nodes.
	lasting := missing && initialised && !i.mass.Over() && i.stays(node)
	switch {
	case ambiguous:
		i.report.tell(node, "ambiguous", event.AmbiguousInstance, err)
	case again != nil && (!initialised || lasting):
		i.report.tell(node, "made again", event.InstanceNotFound, again)
	case lasting:
		i.report.tell(node, unseen, event.NodeLeftAlone, fmt.Errorf("%w that these credentials see: the Node is kept as long as it is Ready; where its machine is in another account, project or region: "+
			"kubectl label node %s %s=true", err, node.Name, LabelUnmanaged))
	case initialised, ctx.Err() != nil, errors.Is(err, errNotItsTurn), cloud.IsClass(err, cloud.FailureThrottled), early(node, err):
	case missing:
		i.report.tell(node, "not found", event.InstanceNotFound, err)
	case cloud.FailureOf(err).Class != cloud.FailureUnknown:
		i.report.tell(node, "cloud: "+string(cloud.FailureOf(err).Class), event.CloudUnavailable, advised(err))
	default:
		i.report.tell(node, "not initialised", event.NotInitialised, advised(err))
	}
}

// settling is how long a new machine may be missing in lists, or without an address, before its Node is told. Clouds show what
// they have just made after some seconds.
const settling = 15 * time.Second

// early reports whether a Node is so new that what it lacks may be only late. What the cloud refuses is told at once.
func early(node *corev1.Node, err error) bool {
	return cloud.FailureOf(err).Class == cloud.FailureUnknown && time.Since(node.CreationTimestamp.Time) < settling
}

// stays reports whether a Node whose machine was not found stays Ready.
func (i *Inventory) stays(node *corev1.Node) bool {
	if !Ready(node) {
		i.report.seen(node)
		return false
	}
	return i.report.lasting(node)
}

// advised is an error with what to do about it.
func advised(err error) error {
	if advice := cloud.Advice(err); advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

package inspect

import (
	"context"
	"errors"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Nodes returns what would be done to each of this cloud's Nodes.
//
//	Node                                   operations
//	not initialised                        provider-ID, labels, taint, addresses
//	initialised                            addresses that differ
//	initialised, Ready                     the shutdown taint goes
//	initialised, not Ready, machine off    the shutdown taint comes
//	initialised, not Ready, machine gone   deletion; blocked by whatever holds it
//
// Shutdown taints and deletions are the lifecycle controller's, everything else is the node
// controller's: what does not run does nothing.
func (i *Inspector) Nodes(ctx context.Context) []plan.Entry {
	nodes := i.mine()
	gone := i.gone(ctx, nodes)
	return each(ctx, nodes, func(ctx context.Context, node *corev1.Node) plan.Entry {
		return i.node(ctx, node, gone[node.Name])
	})
}

// existence is what was found out about a Node's machine.
type existence struct {
	exists bool
	err    error
}

// gone asks for the machines of Nodes that are not Ready, as the lifecycle controller does: those
// that the cloud does not have are asked for again after confirmGap.
func (i *Inspector) gone(ctx context.Context, nodes []*corev1.Node) map[string]existence {
	found := map[string]existence{}
	if !i.runs(names.CloudNodeLifecycleController) {
		return found
	}
	asked := slices.DeleteFunc(slices.Clone(nodes), func(n *corev1.Node) bool { return isReady(n) || instance.Uninitialized(n) })
	for range 3 {
		answers := each(ctx, asked, func(ctx context.Context, node *corev1.Node) existence {
			exists, err := i.inventory.Exists(ctx, node)
			return existence{exists, err}
		})
		var again []*corev1.Node
		for n, node := range asked {
			found[node.Name] = answers[n]
			if held, ok := errors.AsType[*absence.HeldError](answers[n].err); ok && held.Decision == absence.Unconfirmed {
				again = append(again, node)
			}
		}
		if asked = again; len(asked) == 0 || !wait(ctx, confirmGap) {
			break
		}
	}
	return found
}

// wait returns false when ctx ends before.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (i *Inspector) node(ctx context.Context, node *corev1.Node, e existence) plan.Entry {
	entry := plan.Entry{Plan: plan.Plan{Cloud: i.cloud.Name, Subject: "Node " + node.Name}}
	held, isHeld := errors.AsType[*absence.HeldError](e.err)
	gone := i.runs(names.CloudNodeLifecycleController) && !isReady(node) && !e.exists && e.err == nil
	switch {
	case instance.Uninitialized(node):
		if i.runs(names.CloudNodeController) {
			i.initialise(ctx, node, &entry)
		}
	case isHeld && held.Decision == absence.Young:
	case isHeld && held.Decision != absence.CloudFailure, gone:
		entry.Operations = []cloud.Operation{i.deletion(node, e.err)}
	case e.err != nil:
		entry.Error = plan.NewFailure(e.err)
	default:
		i.refresh(ctx, node, &entry)
	}
	return entry
}

// refresh is what is done to an initialised Node whose machine is there.
func (i *Inspector) refresh(ctx context.Context, node *corev1.Node, entry *plan.Entry) {
	machine, err := i.inventory.Metadata(ctx, node)
	switch _, missing := errors.AsType[*instance.NotFoundError](err); {
	case missing: // Ready: its kubelet reports, and nothing is done
		entry.Warnings = []plan.Warning{{Reason: event.InstanceNotFound.Name, Message: err.Error()}}
		if _, advice := i.remade(ctx, node, err); advice != "" {
			entry.Notes = append(entry.Notes, advice)
		}
		return
	case err != nil:
		entry.Error = plan.NewFailure(err)
		return
	}
	if i.runs(names.CloudNodeController) {
		entry.Operations = i.addressChanges(ctx, node, machine)
	}
	if i.runs(names.CloudNodeLifecycleController) {
		entry.Operations = append(entry.Operations, shutdownChanges(node, machine)...)
	}
}

// deletion is the deletion of a Node whose machine the cloud does not have; held says what keeps it.
func (i *Inspector) deletion(node *corev1.Node, held error) cloud.Operation {
	op := cloud.Operation{
		Verb: cloud.Delete, Kind: cloud.KindNode, Key: node.Name, Before: node.Spec.ProviderID,
		Reason: "the cloud has no such machine, and no kubelet reports", Destructive: true,
	}
	switch denial, ok := errors.AsType[*absence.HeldError](held); {
	case ok:
		op.Blocked = denial.Err.Error()
	case i.keepNodes:
		op.Blocked = "--node-deletion=false keeps all Nodes"
	}
	return op
}

// update is a change of one field of a Node.
func update(node *corev1.Node, field, before, after, reason string) cloud.Operation {
	return cloud.Operation{Verb: cloud.Update, Kind: cloud.KindNode, Key: node.Name, Field: field, Before: before, After: after, Reason: reason}
}

// initialise is what makes a new Node usable. It is all or nothing.
func (i *Inspector) initialise(ctx context.Context, node *corev1.Node, entry *plan.Entry) {
	taint := update(node, "spec.taints", cloudproviderapi.TaintExternalCloudProvider, "", "its machine is known")
	machine, err := i.inventory.Metadata(ctx, node)
	var after []corev1.NodeAddress
	if err == nil {
		if machine, err = i.nodeIPs.Complete(ctx, node, machine); err == nil {
			after, err = framework.NodeAddresses(node, machine)
		}
	}
	switch {
	case err != nil && cloud.FailureOf(err).Class != cloud.FailureUnknown && !notThere(err):
		entry.Error = plan.NewFailure(err)
		return
	case err != nil:
		taint.Reason, taint.Blocked = "", err.Error()
		entry.Operations = []cloud.Operation{taint}
		return
	}
	reason := matched(node, machine)
	if node.Spec.ProviderID == "" {
		entry.Operations = append(entry.Operations, update(node, "spec.providerID", "", machine.ProviderID, reason))
	}
	for _, label := range labels(machine) {
		if before := node.Labels[label.key]; before != label.value && (label.forced || before == "") {
			entry.Operations = append(entry.Operations, update(node, "labels["+label.key+"]", before, label.value, reason))
		}
	}
	entry.Operations = append(entry.Operations, taint)
	if before, now := framework.AddressText(node.Status.Addresses), framework.AddressText(after); before != now {
		entry.Operations = append(entry.Operations, update(node, "status.addresses", before, now, reason))
	}
}

// matched says why a machine is that of a Node.
func matched(node *corev1.Node, machine cloud.Instance) string {
	switch {
	case machine.ID.Described():
		return "the Node describes its machine itself"
	case node.Spec.ProviderID == "":
		return "machine " + string(machine.ID) + " has the Node's name"
	}
	return "machine " + string(machine.ID) + " has the Node's provider-ID"
}

// notThere reports whether the error is about the machine, and not about the cloud.
func notThere(err error) bool {
	_, missing := errors.AsType[*instance.NotFoundError](err)
	_, several := errors.AsType[*instance.AmbiguousError](err)
	return missing || several
}

// label is one that a Node is given; one that is not forced never changes what is there.
type label struct {
	key, value string
	forced     bool
}

// labels are those of a machine, by key.
func labels(machine cloud.Instance) []label {
	var all []label
	for _, pair := range []struct {
		value string
		keys  []string
	}{
		{machine.Type, []string{corev1.LabelInstanceType, corev1.LabelInstanceTypeStable}},
		{machine.Zone, []string{corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyZone}},
		{machine.Region, []string{corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyRegion}},
	} {
		for _, key := range pair.keys {
			if pair.value != "" {
				all = append(all, label{key, pair.value, true})
			}
		}
	}
	for key, value := range machine.Labels {
		all = append(all, label{key: key, value: value})
	}
	sort.Slice(all, func(n, m int) bool { return all[n].key < all[m].key })
	return all
}

// addressChanges is what the next refresh of an initialised Node writes.
func (i *Inspector) addressChanges(ctx context.Context, node *corev1.Node, machine cloud.Instance) []cloud.Operation {
	if len(framework.Metadata(machine).NodeAddresses) == 0 {
		return nil
	}
	var after []corev1.NodeAddress
	machine, err := i.nodeIPs.Complete(ctx, node, machine)
	if err == nil {
		after, err = framework.NodeAddresses(node, machine)
	}
	before := framework.AddressText(node.Status.Addresses)
	switch {
	case err != nil:
		op := update(node, "status.addresses", before, framework.AddressText(framework.Metadata(machine).NodeAddresses), "")
		op.Blocked = err.Error()
		return []cloud.Operation{op}
	case before == framework.AddressText(after):
		return nil
	}
	return []cloud.Operation{update(node, "status.addresses", before, framework.AddressText(after), "machine "+string(machine.ID)+" has these addresses")}
}

func shutdownChanges(node *corev1.Node, machine cloud.Instance) []cloud.Operation {
	const key = cloudproviderapi.TaintNodeShutdown
	tainted := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
	switch {
	case tainted && isReady(node):
		return []cloud.Operation{update(node, "spec.taints", key, "", "the Node is Ready again")}
	case !tainted && !isReady(node) && machine.State == cloud.StateStopped:
		return []cloud.Operation{update(node, "spec.taints", "", key, "its machine is off")}
	}
	return nil
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

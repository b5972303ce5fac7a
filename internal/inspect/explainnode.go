package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// ExplainNode says what is known of a Node: whose it is, how it was matched with a machine,
// where its addresses come from, what stands between it and its deletion, and what is to be done.
func (i *Inspector) ExplainNode(ctx context.Context, node *corev1.Node) Explanation {
	e := Explanation{Version: ExplanationVersion, Subject: "Node " + node.Name}
	owner := i.explainOwner(&e, node)
	if owner == instance.Foreign || owner == instance.OptedOut {
		return e
	}
	machine := i.explainMachine(ctx, &e, node, owner)
	if machine != nil {
		i.explainAddresses(ctx, &e, node, *machine)
	}
	if owner == instance.Mine {
		found := i.gone(ctx, []*corev1.Node{node})[node.Name]
		i.explainDeletion(&e, node, found)
		explainPlan(&e, i.node(ctx, node, found))
	}
	return e
}

func (i *Inspector) explainOwner(e *Explanation, node *corev1.Node) instance.Ownership {
	s := e.section("Whose it is")
	s.add("provider-ID", node.Spec.ProviderID, "spec.providerID; it never changes once it is set")
	initialised, taint := "yes", "it lacks the taint "
	if instance.Uninitialized(node) {
		initialised, taint = "no", "it has the taint "
	}
	s.add("initialised", initialised, taint+cloudproviderapi.TaintExternalCloudProvider)
	owner := instance.Owner(node, i.cloud.Concerns)
	switch owner {
	case instance.Mine:
		name, this := "cloud "+i.cloud.Name, "this cloud"
		if i.cloud.Descriptor.Offline {
			name, this = i.cloud.Name, i.cloud.Name
		}
		s.add("owner", name, "its provider-ID is one of "+this+", or it has none and is not initialised")
	case instance.Unmanaged:
		whose, why := instance.Whose(i.cloud, node)
		s.problem("owner", whose, why)
	default:
		whose, why := instance.Whose(i.cloud, node)
		s.add("owner", whose, why)
	}
	return owner
}

// explainMachine says by which rule the machine was found, and which others there are.
func (i *Inspector) explainMachine(ctx context.Context, e *Explanation, node *corev1.Node, owner instance.Ownership) *cloud.Instance {
	s := e.section("Machine")
	if machine, described := instance.FromNode(i.cloud, node); described {
		return explainDescribed(i.cloud, s, node, machine)
	}
	if i.cloud.Descriptor.Offline {
		i.explainUndescribed(s, node, owner)
		return nil
	}
	if node.Spec.ProviderID != "" {
		id, err := i.inventory.ProviderID(node)
		if err != nil {
			s.problem("by provider-ID", "unreadable", err.Error()+"; want "+i.cloud.Descriptor.ProviderIDForm)
			return nil
		}
		s.add("by provider-ID", string(id), "the provider-ID counts alone: no name is looked at")
	} else {
		s.add("by provider-ID", "not tried", "there is none")
		if i.cloud.Namer != nil {
			if id := i.cloud.Namer.NameID(node.Name); id != "" {
				s.add("by id in the name", string(id), "the Node's name holds the id of a machine")
			} else {
				s.add("by id in the name", "none", "the Node's name holds no id of this cloud")
			}
		}
	}
	machine, err := i.machine(ctx, node, owner)
	switch several, ok := errors.AsType[*instance.AmbiguousError](err); {
	case ok:
		s.problem("by name", fmt.Sprintf("%d machines", len(several.IDs)), several.Error()+"; set the kubelet's --provider-id")
	case err != nil:
		s.problem("found", "no", event.Explained(err))
		if now, advice := i.remade(ctx, node, err); advice != "" {
			s.problem("by name", now, advice)
		}
	default:
		if node.Spec.ProviderID == "" {
			s.add("by name", string(machine.ID), "exactly one machine has the name "+node.Name)
		}
		s.add("found", "yes", "read from the cloud just now")
		for _, pair := range [][2]string{{"id", string(machine.ID)}, {"name", machine.Name}, {"type", machine.Type}, {"zone", machine.Zone}, {"region", machine.Region}, {"state", string(machine.State)}} {
			if pair[1] != "" {
				s.add(pair[0], pair[1], "")
			}
		}
		return machine
	}
	return nil
}

// machine returns the machine of a Node, as a target's where that is all it can be.
func (i *Inspector) machine(ctx context.Context, node *corev1.Node, owner instance.Ownership) (*cloud.Instance, error) {
	if owner == instance.Mine {
		machine, err := i.inventory.Metadata(ctx, node)
		return &machine, err
	}
	found, err := i.inventory.ByName(ctx, []*corev1.Node{node})
	if err != nil {
		return nil, err
	}
	machine, ok := found[node.Name]
	if !ok {
		return nil, fmt.Errorf("not exactly one machine is named %q", node.Name)
	}
	return &machine, nil
}

// explainAddresses lists addresses by origin.
func (i *Inspector) explainAddresses(ctx context.Context, e *Explanation, node *corev1.Node, machine cloud.Instance) {
	s := e.section("Addresses")
	now, known := node.Status.Addresses, framework.Metadata(machine).NodeAddresses
	completed, err := i.nodeIPs.Complete(ctx, node, machine)
	lacks := "the cloud does not have it"
	if machine.ID.Described() {
		lacks = "the machine does not have it any more"
		explainIgnored(i.cloud, s, node)
	}
	origin := func(a corev1.NodeAddress) string {
		switch {
		case slices.Contains(known, a) && machine.ID.Described():
			return originOf(i.cloud, node, a)
		case slices.Contains(known, a):
			return "the cloud has it"
		case slices.Contains(framework.Metadata(completed).NodeAddresses, a):
			return "the kubelet's --node-ip, in --node-networks"
		}
		if a.Type == corev1.NodeHostName {
			return "the kubelet said it"
		}
		return lacks
	}
	for _, a := range now {
		s.add(string(a.Type), a.Address, "on the Node; "+origin(a))
	}
	for _, a := range known {
		if !slices.Contains(now, a) {
			s.add(string(a.Type), a.Address, "not on the Node; "+origin(a)+outdone(node, a, completed))
		}
	}
	switch given := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]; {
	case err != nil:
		s.problem("--node-ip", cmp.Or(given, "not set"), err.Error())
	case given != "":
		s.add("--node-ip", given, "the kubelet's: of its type no other address is used")
	}
}

// explainDeletion says what stands between the Node and its deletion.
func (i *Inspector) explainDeletion(e *Explanation, node *corev1.Node, found existence) {
	s := e.section("Deletion")
	if _, described := instance.FromNode(i.cloud, node); described {
		s.add("machine gone", "nobody knows", "only the Node describes it: it is never deleted")
		return
	}
	held, isHeld := errors.AsType[*absence.HeldError](found.err)
	switch {
	case !i.runs(names.CloudNodeLifecycleController):
		s.add("machine gone", "not asked", "the controller that deletes Nodes does not run")
	case isReady(node):
		s.add("machine gone", "not asked", "the Node is Ready: it is never deleted")
	case instance.Uninitialized(node):
		s.add("machine gone", "not asked", "the Node is not initialised: it is never deleted before")
	case isHeld:
		s.problem("machine gone", "seems so", "the Node is kept: "+held.Err.Error())
		s.add("decision", string(held.Decision), "")
	case found.err != nil:
		s.problem("machine gone", "not known", event.Explained(found.err))
	case found.exists:
		s.add("machine gone", "no", "the cloud has it")
	default:
		s.problem("machine gone", "yes", "two reads in a row, with the credentials checked between them")
	}
	age, young := time.Since(node.CreationTimestamp.Time).Round(time.Second), ""
	if grace := i.tuning.Instances.Grace; age < grace {
		young = "below --node-deletion-grace=" + grace.String() + " it is never judged gone"
	}
	s.add("age", age.String(), young)
	brake := safety.NewBrake(i.tuning.Brake)
	total := len(i.mine())
	deleted, limit, next := i.cluster.deletions(i.cloud.Name, brake.Window()), brake.Limit(total), "the next one may go"
	if deleted >= limit {
		next = "the next one waits"
	}
	s.add("brake", fmt.Sprintf("%d deleted in %.4g min, limit %d", deleted, brake.Window().Minutes(), limit), fmt.Sprintf("of %d Nodes: %s", total, next))
	if i.keepNodes {
		s.add("--node-deletion", "false", "no Node is ever deleted")
	}
	if !i.runs(names.CloudNodeLifecycleController) {
		s.add("--controllers", "without "+names.CloudNodeLifecycleController, "no Node is ever deleted")
	}
}

// explainPlan lists what is to be done.
func explainPlan(e *Explanation, entry plan.Entry) {
	s := e.section("To be done now")
	for _, op := range entry.Operations {
		text := plan.Describe(op)
		if op.Blocked != "" {
			s.problem("blocked", text, op.Blocked)
		} else {
			s.add(string(op.Verb), strings.TrimPrefix(text, string(op.Verb)+" "), op.Reason)
		}
	}
	for _, w := range entry.Warnings {
		s.problem(w.Reason, w.Message, "")
	}
	if entry.Error != nil && !entry.SaysError() {
		s.problem("error", entry.Error.Message, string(entry.Error.Class))
	}
	if len(s.Facts) == 0 {
		s.add("nothing", "all is as it should be", "")
	}
}

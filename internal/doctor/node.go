package doctor

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// patience is how long a Node or Service may wait before that is a failure.
const patience = 2 * time.Minute

// judgeNodes sorts the Nodes; absent are those whose machine the cloud has not, named those whose
// machine is found by name only:
//
//	owner                  state                 finding
//	mine                   initialised           ok
//	mine                   tainted for long      failure
//	mine                   its machine is gone   warning
//	mine, Ready            its machine is gone   warning: of another account
//	unmanaged              machine found by name warning: a target, and nothing else
//	unmanaged              no id, no taint       failure: the kubelet's flag is missing
//	foreign or opted out   -                     ok, left alone
func judgeNodes(nodes []*corev1.Node, concerns func(string) bool, absent map[string]bool, named map[string]cloud.InstanceID, now time.Time) Report {
	var initialised, others int
	var waiting, unmanaged, byName, gone, elsewhere []string
	for _, node := range nodes {
		old := now.Sub(node.CreationTimestamp.Time) > patience
		switch owner := instance.Owner(node, concerns); {
		case owner == instance.Unmanaged && named[node.Name] != "":
			byName = append(byName, fmt.Sprintf("%s (machine %s)", node.Name, named[node.Name]))
		case owner == instance.Unmanaged && old:
			unmanaged = append(unmanaged, node.Name)
		case owner != instance.Mine:
			others++
		case instance.Uninitialized(node) && old:
			waiting = append(waiting, node.Name)
		case absent[node.Name] && ready(node):
			elsewhere = append(elsewhere, node.Name)
		case absent[node.Name]:
			gone = append(gone, node.Name)
		default:
			initialised++
		}
	}
	report := Report{{Check: "nodes", Level: OK, Message: fmt.Sprintf("%d in order, %d left alone", initialised, others)}}
	add := func(level Level, list []string, says, fix string) {
		if len(list) > 0 {
			report = append(report, Finding{Check: "nodes", Level: level, Message: names(list) + ": " + says, Fix: fix})
		}
	}
	add(Failure, waiting, "not initialised for more than "+patience.String(),
		"the Node's name has to be the machine's name in the cloud; the controller manager's events are in: kubectl describe node "+first(waiting))
	add(Failure, unmanaged, "neither provider-ID nor taint: the kubelet registered without --cloud-provider=external",
		"set the kubelet's flag, delete the Node and restart its kubelet")
	add(Warning, byName, "no provider-ID: found by name as targets of load balancers, and nothing else is done for them",
		"set the kubelet's --provider-id, or --cloud-provider=external, delete the Node and restart its kubelet")
	add(Warning, gone, "the cloud has no such machine",
		"if the credentials are those of the right account the Nodes will be deleted; if not, nothing happens to them until they are")
	add(Warning, elsewhere, "Ready, though the cloud has no such machine; more of them than the deletion brake lets go together stop all deletions",
		"if their machines are in another account, which nobody here looks after: kubectl label node "+first(elsewhere)+" "+instance.LabelUnmanaged+"=true; if not, check the credentials")
	return report
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// judgeView says whether the credentials and the configuration are about this cluster at all: of
// its Nodes' machines the cloud lists at least one. listed is nil when the list proves nothing.
func judgeView(nodes []*corev1.Node, o Options, listed map[cloud.InstanceID]bool) Report {
	ours := 0
	for _, node := range nodes {
		id, err := o.Cloud.Driver.Instances().ParseProviderID(node.Spec.ProviderID)
		if err != nil || instance.Owner(node, o.Cloud.Concerns) != instance.Mine {
			continue
		}
		if listed == nil || listed[id] {
			return nil
		}
		ours++
	}
	if ours == 0 {
		return nil
	}
	return Report{{
		Check: "machines", Level: Failure, Message: fmt.Sprintf("none of the machines of %d Nodes is among the %d in the cloud's list", ours, len(listed)),
		Fix: "the configuration is about another cluster, network, region or account: check the ids in it",
	}}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

package doctor

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// patience is how long a Node or Service may wait before that is a failure.
const patience = 2 * time.Minute

// judgeNodes sorts the Nodes; absent are those whose machine the cloud has not:
//
//	owner                  state                 finding
//	mine                   initialised           ok
//	mine                   tainted for long      failure
//	mine                   its machine is gone   warning
//	unmanaged              no id, no taint       failure: the kubelet's flag is missing
//	foreign or opted out   -                     ok, left alone
func judgeNodes(nodes []*corev1.Node, schemes []string, absent map[string]bool, now time.Time) Report {
	var initialised, others int
	var waiting, unmanaged, gone []string
	for _, node := range nodes {
		old := now.Sub(node.CreationTimestamp.Time) > patience
		switch owner := instance.Owner(node, schemes); {
		case owner == instance.Unmanaged && old:
			unmanaged = append(unmanaged, node.Name)
		case owner != instance.Mine:
			others++
		case instance.Uninitialized(node) && old:
			waiting = append(waiting, node.Name)
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
	add(Warning, gone, "the cloud has no such machine",
		"if the credentials are those of the right account the Nodes will be deleted; if not, nothing happens to them until they are")
	return report
}

// judgeView says whether the credentials and the configuration are about this cluster at all: of
// its Nodes' machines the cloud lists at least one. listed is nil when the list proves nothing.
func judgeView(nodes []*corev1.Node, o Options, listed map[cloud.InstanceID]bool) Report {
	ours := 0
	for _, node := range nodes {
		id, err := o.Cloud.Driver.Instances().ParseProviderID(node.Spec.ProviderID)
		if err != nil || instance.Owner(node, o.Cloud.Descriptor.ProviderIDSchemes) != instance.Mine {
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

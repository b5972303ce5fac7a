package doctor

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// patience is how long a Node or Service may wait before that is a failure.
const patience = 2 * time.Minute

// judgeNodes sorts the Nodes; machines is nil when the cloud's list is not known:
//
//	owner                  state                 finding
//	mine                   initialised           ok
//	mine                   tainted for long      failure
//	mine                   its machine is gone   warning
//	unmanaged              no id, no taint       failure: the kubelet's flag is missing
//	foreign or opted out   -                     ok, left alone
func judgeNodes(nodes []*corev1.Node, c *run.Cloud, machines map[cloud.InstanceID]bool, now time.Time) Report {
	var initialised, others int
	var waiting, unmanaged, gone []string
	for _, node := range nodes {
		old := now.Sub(node.CreationTimestamp.Time) > patience
		switch owner := instance.Owner(node, c.Descriptor.ProviderIDSchemes); {
		case owner == instance.Unmanaged && old:
			unmanaged = append(unmanaged, node.Name)
		case owner != instance.Mine:
			others++
		case uninitialised(node) && old:
			waiting = append(waiting, node.Name)
		case missing(node, c, machines):
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

func uninitialised(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == cloudproviderapi.TaintExternalCloudProvider
	})
}

func missing(node *corev1.Node, c *run.Cloud, machines map[cloud.InstanceID]bool) bool {
	if machines == nil || node.Spec.ProviderID == "" {
		return false
	}
	id, err := c.Driver.Instances().ParseProviderID(node.Spec.ProviderID)
	return err == nil && !machines[id]
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

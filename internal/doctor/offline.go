package doctor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// noAPI is what checks of the cloud's answers say where nobody is asked.
const noAPI = "there is no API to ask, and there are no credentials"

// isOffline reports whether the provider asks nobody.
func isOffline(f *facts) bool { return f.Cloud != nil && f.Cloud.Descriptor.Offline }

// online makes a check of the cloud's answers, which says so where nobody is asked.
func online(judge func(*facts) Outcome) func(*facts) Outcome { return unlessOffline(noAPI, judge) }

// unlessOffline makes a check that says something else where nobody is asked.
func unlessOffline(says string, judge func(*facts) Outcome) func(*facts) Outcome {
	return func(f *facts) Outcome {
		if isOffline(f) && f.sky.err == nil {
			return fine("%s", says)
		}
		return judge(f)
	}
}

// judgeProviderIDs looks for provider-IDs that keep a Node from this cloud. Where Nodes describe their machines themselves, those of
// other schemes can be looked after too.
func judgeProviderIDs(f *facts) Outcome {
	if !isOffline(f) {
		return aboutNodes(Failure, "with a provider-ID that is not the machine's", "every provider-ID is that of its machine, or of another cloud", misnamed)(f)
	}
	o := aboutNodes(Failure, "that "+f.Cloud.Name+" does not look after", "every provider-ID is one of "+f.Cloud.Name+", or somebody else's", misnamed)(f)
	if setting := schemesSetting(f.Cloud.Descriptor); o.Level == Failure && setting != "" {
		o.Fix = fmt.Sprintf("where their scheme is of no cloud, such as k3s and rke2: name it in %s; where it is of a cloud: run the controller manager of that cloud, or delete the Node and restart its kubelet", setting)
	}
	return o
}

// schemesSetting is the setting that adds schemes of provider-IDs, as people set it; "" where there is none.
func schemesSetting(d cloud.Descriptor) string {
	at := slices.IndexFunc(d.Settings, func(s cloud.Setting) bool { return s.Name == d.SchemesSetting })
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("%s (chart: %s.%s)", d.SchemesSetting, d.Name, d.Settings[at].Value)
}

// judgeNodeIPs looks for kubelets whose --node-ip is missing or wrong. Where Nodes describe their machines themselves, every kubelet
// needs one.
func judgeNodeIPs(f *facts) Outcome {
	o := aboutNodes(Failure, "with a --node-ip that is missing or not the machine's", "every --node-ip is an address of its machine", addressless)(f)
	switch {
	case o.Level != Failure:
	case isOffline(f):
		o.Fix = "give each of these kubelets a --node-ip of its own, at which the other nodes reach it, or, where it cannot have one, its entry in the inventory internalIPs; where the Node that has the address is of a machine that is gone: kubectl delete node"
	case slices.ContainsFunc(o.Evidence, func(line string) bool { return strings.HasSuffix(line, noNodeIP) }):
		o.Fix = "give each kubelet that has none a --node-ip, and each other one an address that its machine has in the cloud, or one of --node-networks (chart: nodes.networks)"
	}
	return o
}

// noNodeIP is said of a kubelet that tells no address.
const noNodeIP = "its kubelet tells no address, because it runs without --node-ip"

// tellsNothing reports whether a new Node describes its machine, and has no address by which anybody reaches it.
func tellsNothing(f *facts, node *corev1.Node, machine cloud.Instance) bool {
	reached := slices.ContainsFunc(machine.Addresses, func(a cloud.Address) bool {
		return a.Type == cloud.AddressInternalIP || a.Type == cloud.AddressExternalIP
	})
	return machine.ID.Described() && !reached && instance.Uninitialized(node) && f.old(node)
}

// unbalanced says why nothing is done about Services.
func unbalanced(f *facts) string {
	if isOffline(f) {
		return "nothing is done about Services: load balancers are made by others"
	}
	return "the cloud has no load balancers, or the service controller does not run: nothing is done about Services"
}

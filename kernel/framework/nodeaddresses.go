package framework

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"
	nodehelpers "k8s.io/cloud-provider/node/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// NodeIPError says that the kubelet's --node-ip is none of the machine's addresses: the Node can
// neither be initialised nor get new addresses.
type NodeIPError struct {
	// Given is the kubelet's, Has are the machine's.
	Given string
	Has   []corev1.NodeAddress
}

func (e *NodeIPError) Error() string {
	has := AddressText(e.Has)
	if has == "" {
		has = "none"
	}
	return fmt.Sprintf("the kubelet's --node-ip %s is not an address of the machine, which has: %s; set --node-ip to one of these, or leave it out", e.Given, has)
}

// NodeAddresses are those that the framework gives a Node with this machine: the machine's, the
// Node's own host name, and of each type only the one that the kubelet was given with --node-ip.
func NodeAddresses(node *corev1.Node, machine cloud.Instance) ([]corev1.NodeAddress, error) {
	all := Metadata(machine).NodeAddresses
	if !slices.ContainsFunc(all, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeHostName }) {
		for _, a := range node.Status.Addresses {
			if a.Type == corev1.NodeHostName {
				all = append(all, a)
			}
		}
	}
	given := node.Annotations[cloudproviderapi.AnnotationAlphaProvidedIPAddr]
	if given == "" {
		return all, nil
	}
	chosen, err := nodehelpers.GetNodeAddressesFromNodeIP(given, all)
	if err != nil {
		return nil, &NodeIPError{Given: given, Has: Metadata(machine).NodeAddresses}
	}
	return chosen, nil
}

// AddressText shows addresses in an order of its own, because the framework compares them without one.
func AddressText(all []corev1.NodeAddress) string {
	var texts []string
	for _, a := range all {
		texts = append(texts, string(a.Type)+" "+a.Address)
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

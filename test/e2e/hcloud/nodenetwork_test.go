package hcloud_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// TestNodeNetworks: a server that is in no network has the address of the VPN that its kubelet was given, beside its public one, and
// a load balancer leads to it as to any other. A server is not given the address of another one.
func TestNodeNetworks(t *testing.T) {
	const wireguard = "10.8.0.7"
	s := open(t)
	machines, err := s.Cloud.Seed(s.within(), 2, testcloud.Machine{})
	s.must(err)
	for m, nodeIP := range []string{wireguard, machines[0].External} {
		node := machines[m].Node()
		node.Ready, node.Annotations = true, map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: nodeIP}
		s.must(s.JoinNodes(s.within(), []controlplane.NodeOptions{node}))
	}
	s.start(nil, fmt.Sprintf("--node-networks=10.8.0.0/24,%s/32", machines[0].External))
	node, err := s.WaitNode(s.within(), machines[0].Name, func(n *corev1.Node) error {
		if slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == cloudproviderapi.TaintExternalCloudProvider }) {
			return errors.New("it waits for its cloud")
		}
		if !slices.ContainsFunc(n.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == corev1.NodeInternalIP }) {
			return fmt.Errorf("it has the addresses %v", n.Status.Addresses)
		}
		return nil
	})
	s.must(err)
	got := map[corev1.NodeAddressType]string{}
	for _, a := range node.Status.Addresses {
		got[a.Type] = a.Address
	}
	if got[corev1.NodeInternalIP] != wireguard || got[corev1.NodeExternalIP] != machines[0].External {
		t.Errorf("addresses %v", node.Status.Addresses)
	}
	_, err = s.WaitEvent(s.within(), lab.EventFilter{Kind: "Node", Name: machines[1].Name, Namespace: namespace, Reason: "NodeIPUnknown",
		Contains: []string{"machine " + machines[0].ID + " has it"}})
	s.must(err)
	s.service("web", 80)
	s.serve("web")
	s.targets(1, 1)
}

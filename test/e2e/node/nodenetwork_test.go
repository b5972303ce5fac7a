package node_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// A kubelet whose --node-ip is that of a VPN joins with --node-networks, and without it the event names the flag. An address that
// another machine or another Node has is nobody else's.
func TestNodeNetworks(t *testing.T) {
	const wireguard = "10.8.0.7"
	s := open(t, testcloud.API)
	machines := s.machines.seed(4)
	join := func(m testcloud.Machine, nodeIP string) {
		node := m.Node()
		node.Annotations = map[string]string{cloudproviderapi.AnnotationAlphaProvidedIPAddr: nodeIP}
		_, err := s.JoinNode(s.within(patience), node)
		s.must(err)
	}
	join(machines[0], wireguard)
	without := s.start()
	s.event(machines[0].Name, "NodeIPUnknown", wireguard, "--node-networks")
	s.must(without.Stop(s.within(patience)))

	networks := fmt.Sprintf("--node-networks=10.8.0.0/24,%s/32", machines[3].External)
	s.start(networks)
	node := s.node(machines[0].Name, addressed)
	if got := addressesOf(node); got[corev1.NodeInternalIP] != wireguard || got[corev1.NodeExternalIP] != machines[0].External {
		t.Errorf("addresses %v", node.Status.Addresses)
	}
	join(machines[1], machines[3].External)
	s.event(machines[1].Name, "NodeIPUnknown", machines[3].External, "machine "+machines[3].ID+" has it")
	join(machines[2], wireguard)
	s.event(machines[2].Name, "NodeIPUnknown", wireguard, "Node "+machines[0].Name+" has it")
	for _, m := range machines[1:3] {
		if got := s.program.plan("nodes", networks); got.code != 0 || !contains(got.stdout, m.Name, "blocked", "has it") {
			t.Errorf("code %d: %s%s", got.code, got.stdout, got.stderr)
		}
	}
	if got := s.program.run("", "explain", "node", machines[0].Name, networks); got.code != 0 || !contains(got.stdout, wireguard, "the kubelet's --node-ip, in --node-networks") {
		t.Errorf("code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if got := s.program.run("", "doctor", "node", networks); !contains(got.stdout, machines[2].Name+": the kubelet's --node-ip is "+wireguard, "machine "+machines[3].ID+" has it") {
		t.Errorf("code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}

func addressesOf(node *corev1.Node) map[corev1.NodeAddressType]string {
	got := map[corev1.NodeAddressType]string{}
	for _, a := range node.Status.Addresses {
		got[a.Type] = a.Address
	}
	return got
}

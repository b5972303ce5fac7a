package hcloud_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const robotPassword = "robot-password"

// routing are the flags of a CCM that makes routes every second, and needs seconds to prove that a machine is gone.
var routing = []string{
	"--cluster-cidr=10.244.0.0/16", "--configure-cloud-routes=true", "--route-reconciliation-period=1s",
	"--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms", "--node-status-update-frequency=10s",
}

// mixed is a cluster of cloud servers and dedicated servers, which a vSwitch connects with their network.
type mixed struct {
	*site
	cloud []testcloud.Machine
	metal []robot.Machine
	// credit says that there are credentials for Robot.
	credit bool
}

// TestMixedCluster: cloud servers have routes, and dedicated servers are left to who made theirs. With credentials
// for Robot the machine of a Node is known, without them the Node describes it.
func TestMixedCluster(t *testing.T) {
	for name, credentials := range map[string]bool{"with credentials for Robot": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			m := &mixed{site: open(t), credit: credentials}
			m.build()
			own := map[string]string{"ROBOT_ENABLED": "true"}
			if credentials {
				maps.Copy(own, map[string]string{"ROBOT_USER": "robot-user", "ROBOT_PASSWORD": robotPassword})
			}
			m.start(own, routing...)
			m.nodes()
			m.routes(pods(0), pods(1), pods(2))
			m.passes()
			m.balance()
			if out := m.doctor(own, routing[:2]...); strings.Contains(out, "FAILURE") || !strings.Contains(out, "5 in order") {
				t.Errorf("the doctor finds:\n%s", out)
			}
			if !credentials { // what follows takes as long as a list of machines is believed
				m.leave()
			}
		})
	}
}

func pods(n int) string { return fmt.Sprintf("10.244.%d.0/24", n) }

// build makes three cloud servers and two dedicated servers with their Nodes, and an operator's route to the pod network of
// one of these, by the gateway of the vSwitch.
func (m *mixed) build() {
	m.Helper()
	var nodes []controlplane.NodeOptions
	var err error
	m.cloud, err = m.Cloud.Seed(m.within(), 3, testcloud.Machine{})
	m.must(err)
	for n, machine := range m.cloud {
		node := machine.Node()
		node.PodCIDRs, node.Ready = []string{pods(n)}, true
		nodes = append(nodes, node)
	}
	m.metal = m.hetzner.Robot.Seed(2)
	for n, machine := range m.metal {
		node := controlplane.NodeOptions{Name: machine.Name, ProvidedNodeIP: fmt.Sprintf("10.0.200.%d", n+2), PodCIDRs: []string{pods(100 + n)}, Ready: true}
		if !m.credit {
			node.ProviderID = m.providerID(n)
		}
		nodes = append(nodes, node)
	}
	network := m.hetzner.State().Networks[0]
	m.must(m.hetzner.EditNetwork(network.ID, func(n *emulator.Network) {
		n.Routes = []emulator.Route{{Destination: pods(100), Gateway: "10.0.200.1"}}
	}))
	m.must(m.JoinNodes(m.within(), nodes))
}

func (m *mixed) providerID(n int) string {
	return "hrobot://" + strconv.FormatInt(m.metal[n].Number, 10)
}

// nodes waits until all Nodes are initialised as what their machines are.
func (m *mixed) nodes() {
	m.Helper()
	kind := func(providerID, provided, address string) func(*corev1.Node) error {
		return func(node *corev1.Node) error {
			if err := initialised(node); err != nil {
				return err
			}
			has := slices.ContainsFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Address == address })
			if node.Spec.ProviderID != providerID || node.Labels["instance.hetzner.cloud/provided-by"] != provided || !has {
				return fmt.Errorf("node %s is %s, provided by %s, at %v", node.Name, node.Spec.ProviderID, node.Labels["instance.hetzner.cloud/provided-by"], node.Status.Addresses)
			}
			return nil
		}
	}
	for _, machine := range m.cloud {
		m.node(machine.Name, kind(machine.ProviderID, "cloud", machine.Internal))
	}
	for n, machine := range m.metal {
		m.node(machine.Name, kind(m.providerID(n), "robot", fmt.Sprintf("10.0.200.%d", n+2)))
	}
}

// routes waits until the network has routes to these pod networks by the cloud servers, and that of the operator.
func (m *mixed) routes(destinations ...string) {
	m.Helper()
	want := []string{pods(100) + " by 10.0.200.1"}
	for n, machine := range m.cloud {
		if slices.Contains(destinations, pods(n)) {
			want = append(want, pods(n)+" by "+machine.Internal)
		}
	}
	slices.Sort(want)
	m.eventually(func() error {
		var have []string
		for _, r := range m.hetzner.State().Networks[0].Routes {
			have = append(have, r.Destination+" by "+r.Gateway)
		}
		if slices.Sort(have); !slices.Equal(have, want) {
			return fmt.Errorf("routes %q, want %q", have, want)
		}
		return nil
	})
	for n, machine := range m.cloud {
		if slices.Contains(destinations, pods(n)) {
			m.node(machine.Name, reachable)
		}
	}
}

// reachable is met by a Node that the route controller says has its routes.
func reachable(node *corev1.Node) error {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionFalse {
			return nil
		}
	}
	return errors.New("it is not said to be reachable")
}

// passes are one read of the network each, whatever is read for Nodes meanwhile, and say nothing of dedicated servers.
func (m *mixed) passes() {
	m.Helper()
	const wanted, network, servers = 8, "GET /v1/networks/{id}", "GET /v1/servers"
	m.Cloud.ResetTraffic()
	m.must(m.Cloud.Until(m.within(), func() bool { return m.Cloud.Counters().Of(network) >= wanted }))
	if c := m.Cloud.Counters(); c.Mutating > 0 || c.Of(servers) > 2 || c.Of("GET /v1/servers/{id}") > 0 {
		m.Errorf("%d passes asked for more than the network: %v", wanted, c.Routes)
	}
	for _, machine := range m.metal {
		node := m.node(machine.Name, initialised)
		if err := reachable(node); err == nil {
			m.Errorf("the route controller writes to node %s", node.Name)
		}
	}
}

// balance has a Service served by the cloud servers, and by the dedicated servers whose public address is known.
func (m *mixed) balance() {
	m.Helper()
	var want []string
	for _, machine := range m.cloud {
		want = append(want, machine.ID)
	}
	for _, machine := range m.metal {
		if m.credit {
			want = append(want, machine.IPv4)
		}
	}
	slices.Sort(want)
	m.service("web", 80)
	m.addressed("web")
	m.eventually(func() error {
		var have []string
		for _, t := range m.hetzner.State().Balancers[0].Targets {
			if t.Server != nil {
				have = append(have, strconv.FormatInt(t.Server.ID, 10))
			} else {
				have = append(have, t.IP.IP)
			}
		}
		if slices.Sort(have); !slices.Equal(have, want) {
			return fmt.Errorf("targets %q, want %q", have, want)
		}
		return nil
	})
}

// leave takes a cloud server away: its Node goes, and its route. A dedicated server that is not Ready has its Node.
func (m *mixed) leave() {
	m.Helper()
	m.must(m.Cloud.Remove(m.within(), m.cloud[2]))
	for _, name := range []string{m.cloud[2].Name, m.metal[1].Name} {
		m.must(m.SetReady(m.within(), name, false, "NodeStatusUnknown"))
	}
	m.node(m.cloud[2].Name, gone)
	m.routes(pods(0), pods(1))
	m.node(m.metal[1].Name, initialised)
}

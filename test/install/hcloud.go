package install

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

const (
	hetznerToken    = "of-the-secret"
	hetznerNetwork  = "nodes"
	hetznerLocation = "fsn1"
)

// Hetzner is the emulator of Hetzner's cloud API. Its load balancers carry traffic on the cluster's data plane.
type Hetzner struct {
	*emulator.Server
	// IDs are those of the nodes' servers, by name.
	IDs map[string]int64

	url    string
	probes probes
}

// OpenHetzner starts the emulator where nodes can reach it, with a network that has the nodes, and the token in a Secret.
func OpenHetzner(ctx context.Context, c *cluster.Cluster) (*Hetzner, error) {
	h := &Hetzner{Server: emulator.New(emulator.Options{Token: hetznerToken, Location: hetznerLocation}), IDs: map[string]int64{}}
	nodes := netip.PrefixFrom(c.Gateway(), nodeNetwork).Masked().String()
	network := h.AddNetwork(emulator.Network{Name: hetznerNetwork, IPRange: nodes})
	for _, n := range c.Nodes() {
		machine := h.SeedMachines(1, func(m *emulator.Machine) {
			m.Name, m.Private = n.Name(), []emulator.Attachment{{Network: network.ID, IP: n.Address().String()}}
		})[0]
		h.IDs[n.Name()] = machine.ID
	}
	if err := createSecret(ctx, c, "hcloud", map[string]string{"token": hetznerToken, "network": hetznerNetwork}); err != nil {
		return nil, err
	}
	if _, err := h.Listen(doorway(c)); err != nil {
		return nil, err
	}
	h.url = named(c, h.Endpoint())
	return h, nil
}

// Descriptor implements [Cloud].
func (h *Hetzner) Descriptor() cloud.Descriptor { return hcloud.Descriptor() }

// Arguments implements [Cloud]. The machine that the controller manager runs on has no metadata service here, and the cluster has routes
// between Pods of its own.
func (h *Hetzner) Arguments() []string {
	return arguments("hcloud", "hcloud.apiURL="+h.url, "hcloud.credentials.keys.network=network", "hcloud.networkCheckDisabled=true", "hcloud.routes=false",
		"hcloud.loadBalancers.location="+hetznerLocation, "hcloud.loadBalancers.usePrivateIP=true",
		"hcloud.loadBalancers.disablePrivateIngress=true", "hcloud.loadBalancers.disableIPv6=true")
}

// LoadBalancers implements [Cloud]. Hetzner checks the targets of each port by itself; a node is healthy when it is for all ports.
func (h *Hetzner) LoadBalancers() (list []LoadBalancer) {
	h.probes.Lock()
	defer h.probes.Unlock()
	state := h.State()
	servers := map[int64]emulator.Machine{}
	for _, m := range state.Machines {
		servers[m.ID] = m
	}
	var checked []string
	for _, b := range state.Balancers {
		targets := map[string]string{}
		for _, t := range b.Targets {
			if t.Server == nil {
				continue // an address or a selector, which no test has
			}
			if m, ok := servers[t.Server.ID]; ok && len(m.Private) > 0 {
				targets[m.Name] = m.Private[0].IP
			}
		}
		balancer := LoadBalancer{
			ID: strconv.FormatInt(b.ID, 10), ServiceUID: label.Owner(b.Labels, cloud.Owner{}).UID, Active: true, Healthy: map[string]bool{},
		}
		for name := range targets {
			balancer.Healthy[name] = true
		}
		at, err := netip.ParseAddr(b.PublicNet.IPv4.IP)
		for _, s := range b.Services {
			id := fmt.Sprintf("%d/%d", b.ID, s.ListenPort)
			checked = append(checked, id)
			health := h.probes.look(id, hetznerCheck(s.HealthCheck), targets)
			for name, healthy := range health.healthy() {
				balancer.Healthy[name] = balancer.Healthy[name] && healthy
			}
			if err == nil {
				balancer.Listeners = append(balancer.Listeners, plane.Listener{
					Address: at, Protocol: "tcp", Port: s.ListenPort, NodePort: s.DestinationPort, Targets: health.targets(targets), HidesClient: true,
				})
			}
		}
		list = append(list, balancer)
	}
	h.probes.keep(checked)
	return list
}

// hetznerCheck is a health check in the words of the simulated cloud.
func hetznerCheck(c emulator.HealthCheck) api.HealthCheck {
	check := api.HealthCheck{
		Protocol: "tcp", Port: c.Port, HealthyThreshold: 1, UnhealthyThreshold: c.Retries, IntervalSeconds: c.Interval, TimeoutSeconds: c.Timeout,
	}
	if c.HTTP != nil {
		check.Protocol, check.Path = "http", c.HTTP.Path
	}
	return check
}

// Calls implements [Cloud].
func (h *Hetzner) Calls() Calls {
	return callsOf(h.Book.Counters(), "/v1/load_balancers", "/v1/certificates", "/v1/actions", "/v1/load_balancer_types")
}

// DeleteMachine implements [Cloud].
func (h *Hetzner) DeleteMachine(node string) error { return h.DeleteMachines(h.IDs[node]) }

// Close implements [Cloud].
func (h *Hetzner) Close() {
	h.probes.end()
	h.Server.Close()
}

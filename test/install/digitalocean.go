package install

import (
	"context"
	"net/netip"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	digitalOceanToken  = "of-the-secret"
	digitalOceanRegion = "fra1"
)

// DigitalOcean is the emulator of DigitalOcean's API. Its balancers carry traffic on the cluster's data plane.
type DigitalOcean struct {
	*emulator.Server
	// IDs are those of the nodes' droplets, by name.
	IDs map[string]int

	url    string
	probes probes
}

// OpenDigitalOcean starts the emulator where nodes can reach it, with the token in a Secret.
func OpenDigitalOcean(ctx context.Context, c *cluster.Cluster) (*DigitalOcean, error) {
	d := &DigitalOcean{
		Server: emulator.New(emulator.Options{Token: digitalOceanToken, Region: digitalOceanRegion}), IDs: map[string]int{},
	}
	for _, n := range c.Nodes() {
		droplet := d.Droplets.Seed(1, func(d *emulator.Droplet) { d.Name, d.PrivateIPv4 = n.Name(), n.Address().String() })[0]
		d.IDs[n.Name()] = droplet.ID
	}
	if err := createSecret(ctx, c, "digitalocean", map[string]string{"access-token": digitalOceanToken}); err != nil {
		return nil, err
	}
	url, err := d.Listen(doorway(c))
	if err != nil {
		return nil, err
	}
	d.url = named(c, url)
	return d, nil
}

// Descriptor implements [Cloud].
func (d *DigitalOcean) Descriptor() cloud.Descriptor { return digitalocean.Descriptor() }

// Arguments implements [Cloud].
func (d *DigitalOcean) Arguments() []string {
	return arguments("digitalocean", "digitalocean.apiURL="+d.url, "digitalocean.region="+digitalOceanRegion, "digitalocean.clusterID=real")
}

// LoadBalancers implements [Cloud].
func (d *DigitalOcean) LoadBalancers() (list []LoadBalancer) {
	d.probes.Lock()
	defer d.probes.Unlock()
	state := d.State()
	machines := map[int]*emulator.Droplet{}
	for _, m := range state.Droplets {
		machines[m.ID] = m
	}
	var checked []string
	for _, b := range state.Balancers {
		checked = append(checked, b.ID)
		targets := map[string]string{}
		for _, id := range b.DropletIDs {
			if m := machines[id]; m != nil {
				targets[m.Name] = m.PrivateIPv4
			}
		}
		check := api.HealthCheck{
			Protocol: b.HealthCheck.Protocol, Port: b.HealthCheck.Port, Path: b.HealthCheck.Path,
			HealthyThreshold: b.HealthCheck.HealthyThreshold, UnhealthyThreshold: b.HealthCheck.UnhealthyThreshold,
			IntervalSeconds: b.HealthCheck.CheckIntervalSeconds, TimeoutSeconds: b.HealthCheck.ResponseTimeoutSeconds,
		}
		health := d.probes.look(b.ID, check, targets)
		_, of := owner.Tags{}.Read(b.Tags, cloud.Owner{})
		balancer := LoadBalancer{ID: b.ID, ServiceUID: of.UID, Active: b.Status == emulator.BalancerActive, Healthy: health.healthy()}
		if at, err := netip.ParseAddr(b.IP); err == nil {
			for _, rule := range b.ForwardingRules {
				balancer.Listeners = append(balancer.Listeners, d.listener(b, at, rule, health.targets(targets)))
			}
		}
		list = append(list, balancer)
	}
	d.probes.keep(checked)
	return list
}

// listener is a rule of a balancer in the words of the data plane. A network balancer passes packets through as they are, a regional one
// ends connections.
//
// https://docs.digitalocean.com/products/networking/load-balancers/concepts/
func (d *DigitalOcean) listener(b emulator.Balancer, at netip.Addr, rule emulator.ForwardingRule, targets []plane.Target) plane.Listener {
	l := plane.Listener{Address: at, Protocol: "tcp", Port: rule.EntryPort, Targets: targets, Sources: allowed(b.Firewall.Allow)}
	if rule.EntryProtocol == "udp" {
		l.Protocol = "udp"
	}
	if b.Type != emulator.TypeRegionalNetwork {
		l.NodePort, l.HidesClient = rule.TargetPort, true
	}
	return l
}

// allowed reads entries such as "cidr:192.0.2.0/24" and "ip:192.0.2.1".
func allowed(entries []string) (list []netip.Prefix) {
	for _, entry := range entries {
		_, text, _ := strings.Cut(entry, ":")
		if address, err := netip.ParseAddr(text); err == nil {
			list = append(list, netip.PrefixFrom(address, address.BitLen()))
		} else if prefix, err := netip.ParsePrefix(text); err == nil {
			list = append(list, prefix)
		}
	}
	return list
}

// Calls implements [Cloud].
func (d *DigitalOcean) Calls() Calls { return callsOf(d.Book.Counters(), "/v2/load_balancers") }

// DeleteMachine implements [Cloud].
func (d *DigitalOcean) DeleteMachine(node string) error { return d.Droplets.Delete(d.IDs[node]) }

// Close implements [Cloud].
func (d *DigitalOcean) Close() {
	d.probes.end()
	d.Server.Close()
}

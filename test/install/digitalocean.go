package install

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	digitalOceanToken  = "of-the-secret"
	digitalOceanRegion = "fra1"
)

// DigitalOcean is the emulator of DigitalOcean's API. Its balancers carry traffic on the cluster's data plane.
type DigitalOcean struct {
	*digitalocean.Server
	// IDs are those of the nodes' droplets, by name.
	IDs map[string]int

	url    string
	mu     sync.Mutex // of probes
	probes probes
}

// OpenDigitalOcean starts the emulator where nodes can reach it, and puts the token where
// upstream's users have it.
func OpenDigitalOcean(ctx context.Context, c *cluster.Cluster) (*DigitalOcean, error) {
	d := &DigitalOcean{
		Server: digitalocean.New(digitalocean.Options{Token: digitalOceanToken, Region: digitalOceanRegion}),
		IDs:    map[string]int{},
		probes: probes{},
	}
	for _, n := range c.Nodes() {
		droplet := d.Droplets.Seed(1, func(d *digitalocean.Droplet) { d.Name, d.PrivateIPv4 = n.Name(), n.Address().String() })[0]
		d.IDs[n.Name()] = droplet.ID
	}
	_, err := c.Client().CoreV1().Secrets(Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "digitalocean"},
		StringData: map[string]string{"access-token": digitalOceanToken},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("making the Secret: %w", err)
	}
	url, err := d.Listen(c.Gateway().String() + ":0")
	if err != nil {
		return nil, err
	}
	d.url, err = named(url)
	return d, err
}

// Provider implements [Cloud].
func (d *DigitalOcean) Provider() string { return "digitalocean" }

// Arguments implements [Cloud].
func (d *DigitalOcean) Arguments() []string {
	return arguments("digitalocean", "digitalocean.apiURL="+d.url, "digitalocean.region="+digitalOceanRegion, "digitalocean.clusterID=real")
}

// LoadBalancers implements [Cloud].
func (d *DigitalOcean) LoadBalancers() (list []LoadBalancer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := d.State()
	machines := map[int]*digitalocean.Droplet{}
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
		balancer := LoadBalancer{ID: b.ID, ServiceUID: serviceOf(b.Tags), Active: b.Status == digitalocean.BalancerActive, Healthy: health.healthy()}
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
func (d *DigitalOcean) listener(b digitalocean.Balancer, at netip.Addr, rule digitalocean.ForwardingRule, targets []plane.Target) plane.Listener {
	l := plane.Listener{Address: at, Protocol: "tcp", Port: rule.EntryPort, Targets: targets, Sources: allowed(b.Firewall.Allow)}
	if rule.EntryProtocol == "udp" {
		l.Protocol = "udp"
	}
	if b.Type != digitalocean.TypeRegionalNetwork {
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

// serviceOf returns the UID in the tag "ccm-service:namespace:name:UID".
func serviceOf(tags []string) string {
	for _, tag := range tags {
		if parts := strings.Split(tag, ":"); len(parts) == 4 && parts[0] == "ccm-service" {
			return parts[3]
		}
	}
	return ""
}

// Calls implements [Cloud].
func (d *DigitalOcean) Calls() Calls { return callsOf(d.Book.Counters(), "/v2/load_balancers") }

// DeleteMachine implements [Cloud].
func (d *DigitalOcean) DeleteMachine(node string) error { return d.Droplets.Delete(d.IDs[node]) }

// Close implements [Cloud].
func (d *DigitalOcean) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.probes.keep(nil)
	d.Server.Close()
}

package hcloud

import (
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// Target is where a load balancer sends traffic.
type Target struct {
	Type          string          `json:"type"`
	Server        *TargetServer   `json:"server,omitempty"`
	LabelSelector *TargetSelector `json:"label_selector,omitempty"`
	IP            *TargetIP       `json:"ip,omitempty"`
	HealthStatus  []TargetHealth  `json:"health_status"`
	UsePrivateIP  bool            `json:"use_private_ip"`
	// Targets are the servers that a selector finds now.
	Targets []Target `json:"targets,omitempty"`
}

// TargetServer is a server as a target.
type TargetServer struct {
	ID int64 `json:"id"`
}

// TargetSelector is all servers with labels as a target.
type TargetSelector struct {
	Selector string `json:"selector"`
}

// TargetIP is an address as a target.
type TargetIP struct {
	IP string `json:"ip"`
}

// TargetHealth is the health of a target for one service.
type TargetHealth struct {
	ListenPort     int     `json:"listen_port"`
	Status         string  `json:"status"`
	Detail         *string `json:"detail"`
	HTTPStatusCode *int    `json:"http_status_code"`
}

// targetRequest asks for a target; use_private_ip is not for removals.
type targetRequest struct {
	Type          string          `json:"type"`
	Server        *TargetServer   `json:"server"`
	LabelSelector *TargetSelector `json:"label_selector"`
	IP            *TargetIP       `json:"ip"`
	UsePrivateIP  *bool           `json:"use_private_ip"`
}

// targetKey is what makes two targets the same.
type targetKey struct {
	server       int64
	selector, ip string
}

func (t *Target) key() targetKey {
	var k targetKey
	switch {
	case t.Server != nil:
		k.server = t.Server.ID
	case t.LabelSelector != nil:
		k.selector = t.LabelSelector.Selector
	case t.IP != nil:
		k.ip = t.IP.IP
	}
	return k
}

var targetRules = []Rule{
	{ID: "target/form", Where: "targets", Text: "a target is a server, a label_selector or an ip, with the object of that name and no other", Source: fromVendor},
	{ID: "target/removal", Where: "remove_target", Text: "a removal does not say use_private_ip", Source: fromClient},
	{ID: "target/server", Where: "targets", Text: "the server exists in the project", Source: fromUpstream},
	{ID: "target/twice", Where: "targets", Text: "a server, a selector or an address is a target once, whichever of its addresses is used", Source: fromVendor, Code: "target_already_defined", Status: 422},
	{ID: "target/limit", Where: "targets", Text: "the type's max_targets is not reached", Source: fromUpstream, Status: 403, Code: "resource_limit_exceeded"},
	{ID: "target/selected", Where: "targets", Text: "the servers that a selector finds count against max_targets when the target is added, but servers that match later are not refused", Source: guess, IfWrong: "a selector's servers do not count, or count later too; the driver leaves selector targets alone", Silent: true},
	{ID: "target/no-network", Where: "targets", Text: "with use_private_ip, or with a private address, the balancer is in a network", Source: fromVendor, Status: 422, Code: "load_balancer_not_attached_to_network"},
	{ID: "target/other-network", Where: "targets", Text: "with use_private_ip the server is in the balancer's network; the vendor's Go library calls the code server_not_attached_to_network", Source: fromVendor, Status: 422, Code: "resolve_cloud_private_targets_error"},
	{ID: "target/no-public", Where: "targets", Text: "without use_private_ip the balancer's public interface is on", Source: fromVendor, Status: 422, Code: "load_balancer_public_interface_disabled"},
	{ID: "target/no-ipv4", Where: "targets", Text: "without use_private_ip the server has a public IPv4 address; the vendor's Go library calls the code missing_ipv4", Source: fromVendor, Status: 422, Code: "resolve_cloud_public_targets_error"},
	{ID: "target/cloud-ip", Where: "targets", Text: "an address is not that of a cloud server", Source: fromClient, Status: 422, Code: "cloud_resource_ip_not_allowed"},
	{ID: "target/owned", Where: "targets", Text: "a public address is the main address of a dedicated server of the account", Source: fromVendor, Status: 422, Code: "ip_not_owned"},
	{ID: "target/no-vswitch", Where: "targets", Text: "for a private address the balancer's network has a vSwitch subnet", Source: fromVendor, Status: 422, Code: "network_has_no_vswitch_subnet"},
	{ID: "target/in-vswitch", Where: "targets", Text: "a private address is in a vSwitch subnet", Source: fromVendor, Status: 422, Code: "ip_not_in_vswitch_subnet"},
	{ID: "target/absent", Where: "remove_target", Text: "the target is there", Source: guess, IfWrong: "not_found, or success, which are done for the driver too: after invalid_input it reads whether the target is there"},
	{ID: "target/health", Where: "targets", Text: "targets are healthy at once when their server runs", Source: guess, IfWrong: "nothing for a driver: it does not read the health", Silent: true},
}

// target checks the form of a request and returns what it asks for.
func (r *targetRequest) target(f *fieldErrors, at string) Target {
	given := map[string]bool{"server": r.Server != nil, "label_selector": r.LabelSelector != nil, "ip": r.IP != nil}
	_, known := given[r.Type]
	f.check(known, "target/form", at+"type", "is none of server, label_selector, ip")
	for _, name := range []string{"server", "label_selector", "ip"} {
		f.check(!known || given[name] == (name == r.Type), "target/form", at+name, "does not fit the type %s", r.Type)
	}
	if r.LabelSelector != nil {
		_, err := parseSelector(r.LabelSelector.Selector)
		f.check(err == nil && r.LabelSelector.Selector != "", "target/form", at+"label_selector.selector", "is no label selector")
	}
	if r.IP != nil {
		_, err := netip.ParseAddr(r.IP.IP)
		f.check(err == nil, "target/form", at+"ip.ip", "is no IP address")
		f.check(r.UsePrivateIP == nil || !*r.UsePrivateIP, "target/form", at+"use_private_ip", "is not for addresses")
	}
	out := Target{Type: r.Type, Server: r.Server, LabelSelector: r.LabelSelector, IP: r.IP}
	set(&out.UsePrivateIP, r.UsePrivateIP)
	return out
}

// addable says why a target can't be added to a balancer.
func (p *Project) addable(b *Balancer, t Target) error {
	if slices.ContainsFunc(b.Targets, func(other Target) bool { return other.key() == t.key() }) {
		return broken("target/twice", "target is already defined")
	}
	if p.weight(b.Targets...)+max(p.weight(t), 1) > b.Type.MaxTargets {
		return broken("target/limit", "load balancer type %s allows %d targets", b.Type.Name, b.Type.MaxTargets)
	}
	if t.IP != nil {
		return p.addressable(b, netip.MustParseAddr(t.IP.IP))
	}
	switch {
	case t.UsePrivateIP && len(b.PrivateNet) == 0:
		return broken("target/no-network", "load balancer is not attached to a network")
	case !t.UsePrivateIP && !b.PublicNet.Enabled:
		return broken("target/no-public", "public interface of the load balancer is disabled")
	case t.Server != nil:
		return p.reachable(b, t)
	}
	return nil
}

func (p *Project) reachable(b *Balancer, t Target) error {
	m := p.machines.byID[t.Server.ID]
	switch {
	case m == nil:
		return broken("target/server", "server %d not found", t.Server.ID)
	case t.UsePrivateIP && !slices.ContainsFunc(b.PrivateNet, func(a BalancerAttached) bool { return m.in(a.Network) != nil }):
		return broken("target/other-network", "server %d is not attached to the network of the load balancer", m.ID)
	case !t.UsePrivateIP && m.IPv4 == "":
		return broken("target/no-ipv4", "server %d has no public IPv4", m.ID)
	}
	return nil
}

// addressable says why an address can't be a target.
func (p *Project) addressable(b *Balancer, ip netip.Addr) error {
	if !ip.IsPrivate() {
		for _, project := range p.server.projects {
			if slices.ContainsFunc(project.machines.all, func(m *Machine) bool { return m.IPv4 == ip.String() }) {
				return broken("target/cloud-ip", "%s belongs to a cloud server", ip)
			}
		}
		if !p.server.Robot.Owns(ip.String()) {
			return broken("target/owned", "%s is not owned by the project owner", ip)
		}
		if !b.PublicNet.Enabled {
			return broken("target/no-public", "public interface of the load balancer is disabled")
		}
		return nil
	}
	if len(b.PrivateNet) == 0 {
		return broken("target/no-network", "load balancer is not attached to a network")
	}
	var ranges []netip.Prefix
	if n := p.networks.byID[b.PrivateNet[0].Network]; n != nil {
		for _, s := range n.Subnets {
			if s.Type == "vswitch" {
				ranges = append(ranges, netip.MustParsePrefix(s.IPRange))
			}
		}
	}
	switch {
	case len(ranges) == 0:
		return broken("target/no-vswitch", "the network has no vSwitch subnet")
	case !slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(ip) }):
		return broken("target/in-vswitch", "%s is in no vSwitch subnet", ip)
	}
	return nil
}

// weight is how many targets count against the type's limit.
func (p *Project) weight(targets ...Target) int {
	n := 0
	for i := range targets {
		if t := &targets[i]; t.LabelSelector != nil {
			n += len(p.selected(t.LabelSelector))
		} else {
			n++
		}
	}
	return n
}

// selected are the machines that a selector finds.
func (p *Project) selected(s *TargetSelector) []*Machine {
	return slices.DeleteFunc(slices.Clone(p.machines.all), func(m *Machine) bool { return !s.matches(m) })
}

func (s *TargetSelector) matches(m *Machine) bool {
	selector, err := parseSelector(s.Selector) // edits may put anything there
	return err == nil && selector.Matches(labels.Set(m.Labels))
}

// targeted says whether a machine is a target of a balancer, by itself or by its labels.
func targeted(b *Balancer, m *Machine) bool {
	return slices.ContainsFunc(b.Targets, func(t Target) bool {
		return (t.Server != nil && t.Server.ID == m.ID) || (t.LabelSelector != nil && t.LabelSelector.matches(m))
	})
}

// resolve fills what the API shows of a target beyond what was asked for.
func (p *Project) resolve(b *Balancer, t *Target) {
	t.HealthStatus = []TargetHealth{}
	for _, s := range b.Services {
		health := TargetHealth{ListenPort: s.ListenPort, Status: "healthy"}
		if t.Server != nil {
			if m := p.machines.byID[t.Server.ID]; m == nil || m.Status != MachineRunning {
				detail := "layer4_no_connection"
				health.Status, health.Detail = "unhealthy", &detail
			}
		}
		t.HealthStatus = append(t.HealthStatus, health)
	}
	if t.LabelSelector == nil {
		return
	}
	t.HealthStatus = []TargetHealth{}
	for _, m := range p.selected(t.LabelSelector) {
		one := Target{Type: "server", Server: &TargetServer{m.ID}, UsePrivateIP: t.UsePrivateIP}
		p.resolve(b, &one)
		t.Targets = append(t.Targets, one)
	}
}

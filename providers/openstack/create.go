package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// create makes the balancer with all it has in one request. The security group comes first: what
// listens must be reached. What is left by a crash is found again by its mark.
func (d *Driver) create(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	where, err := d.place(ctx, change.Spec)
	if err != nil {
		return cloud.Progress{}, err
	}
	if err := d.reserve(ctx, s, change.Spec); err != nil {
		return cloud.Progress{}, err
	}
	other := ""
	if change.After.DualStack {
		if other, err = d.otherSubnet(ctx, where, onIPv6(change.Spec)); err != nil {
			return cloud.Progress{}, err
		}
	}
	if d.guards(change) && change.Spec.Lookups[lookupMemberCIDR] != "" {
		if err := d.open(ctx, &s.guard, change.Spec, d.wantedAddresses(s, change)); err != nil {
			return cloud.Progress{}, fmt.Errorf("opening the nodes to balancer %s: %w", change.After.Name, err)
		}
	}
	body := d.balancerBody(change, where)
	if other != "" {
		body["additional_vips"] = []additionalIP{{Subnet: other}}
	}
	var answer struct {
		Balancer balancer `json:"loadbalancer"`
	}
	_, err = d.balancer.Post(ctx, d.balancer.ServiceURL(pathBalancers), map[string]any{"loadbalancer": body}, &answer, nil)
	if err == nil && answer.Balancer.ID == "" {
		err = errUnreadable
	}
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating balancer %s: %w", change.After.Name, err)
	}
	made := &snapshot{lb: answer.Balancer}
	seen := d.observed(made, change.Spec)
	seen.State = cloud.BalancerPending
	return cloud.Progress{Pending: true, After: settleAfter, Observed: &seen}, nil
}

// place says where a new balancer is put: as is asked for, at the user's port, or with the nodes.
func (d *Driver) place(ctx context.Context, spec cloud.Spec) (where placement, err error) {
	where = d.placementOf(spec)
	if pinned := spec.Preserved[fieldSubnet]; pinned != "" {
		where.subnet = pinned
	}
	if pinned := spec.Preserved[fieldNetwork]; pinned != "" {
		where.network = pinned
	}
	switch id := portOfVIP(spec); {
	case id != "":
		where.network = ""
		where.subnet, err = d.subnetOfPort(ctx, id, spec.IPv6)
	case where.subnet == "" && where.network == "":
		where.subnet, err = d.subnetOfNodes(ctx, spec)
		where.memberSubnet = cmp.Or(where.memberSubnet, where.subnet)
	}
	return where, err
}

// portOfVIP is the user's port that the balancer has its address from: as it was, where one has to be
// made again, else as is asked for.
func portOfVIP(spec cloud.Spec) string {
	asked := keyPort.In(spec.Options)
	if asked == "" {
		return ""
	}
	return cmp.Or(spec.Preserved[fieldPort], asked)
}

// balancerBody is the request that makes a balancer with its listeners, or without them for
// providers that can't take everything at once.
func (d *Driver) balancerBody(change cloud.Change, where placement) map[string]any {
	spec, b := change.Spec, change.After
	body := map[string]any{"name": b.Name, "description": d.description(spec.Ref.Owner)}
	for field, value := range map[string]string{
		"provider": cmp.Or(spec.Preserved[fieldProvider], d.config.balancer.provider), "flavor_id": b.ProviderFields[fieldFlavor], "availability_zone": b.ProviderFields[fieldZone],
		"vip_port_id": portOfVIP(spec), "vip_address": b.ProviderFields[fieldAddress],
	} {
		if value != "" {
			body[field] = value
		}
	}
	for field, value := range map[string]string{"vip_subnet_id": where.subnet, "vip_network_id": where.network} {
		if value != "" {
			body[field] = value
		}
	}
	if d.can(ableTags) {
		body["tags"] = b.OwnershipTags
	}
	if d.config.balancer.serial {
		return body
	}
	var listeners []map[string]any
	for _, l := range b.Listeners {
		listeners = append(listeners, d.populatedListener(l, change, where.memberSubnet))
	}
	body["listeners"] = listeners
	return body
}

func (d *Driver) populatedListener(l cloud.Listener, change cloud.Change, subnet string) map[string]any {
	pool := d.poolBody(l, change.Spec)
	var members []map[string]any
	for _, m := range d.wantedMembers(l, change, nil, subnet) {
		body := m.body()
		if body["monitor_port"] == nil {
			delete(body, "monitor_port")
		}
		members = append(members, body)
	}
	if members != nil {
		pool["members"] = members
	}
	if l.Health != nil {
		pool["healthmonitor"] = d.monitorBody(l, change.Spec)
	}
	listener := d.listenerBody(l, change.Spec)
	listener["default_pool"] = pool
	return listener
}

// otherSubnet returns a subnet of the other family in the balancer's network, "" when there is
// none: then the balancer has one address only, and the Service is told.
func (d *Driver) otherSubnet(ctx context.Context, where placement, ipv6 bool) (string, error) {
	network := where.network
	if network == "" && where.subnet != "" {
		first, _, err := getOne[subnet](ctx, d.network, "subnet", "subnets", where.subnet)
		if err != nil {
			return "", fmt.Errorf("reading subnet %s: %w", where.subnet, err)
		}
		network = first.Network
	}
	if network == "" {
		return "", nil
	}
	subnets, err := listAll[subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return "", fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	for _, s := range subnets {
		if (s.Version == 6) != ipv6 {
			return s.ID, nil
		}
	}
	return "", nil
}

// subnetOfPort is the subnet of a port's address of the family. Octavia has to be told where the
// port has several.
func (d *Driver) subnetOfPort(ctx context.Context, id string, ipv6 bool) (string, error) {
	p, _, err := getOne[port](ctx, d.network, "port", "ports", id)
	switch {
	case d.isNotFound(err):
		return "", &cloud.Invalid{Field: keyPort.Name, Value: id, Want: "there is no such port"}
	case err != nil:
		return "", fmt.Errorf("reading port %s: %w", id, err)
	}
	for _, fixed := range p.FixedIPs {
		if fixed.Address.Unmap().Is4() != ipv6 {
			return fixed.Subnet, nil
		}
	}
	return "", &cloud.Invalid{Field: keyPort.Name, Value: id, Want: "the port has no address of the Service's family"}
}

// subnetOfNodes is the subnet of the first node, where nothing says where the balancer is to be.
func (d *Driver) subnetOfNodes(ctx context.Context, spec cloud.Spec) (string, error) {
	for _, node := range spec.Candidates {
		address, err := netip.ParseAddr(memberAddress(node, onIPv6(spec)))
		if err != nil {
			continue
		}
		ports, err := d.ports(ctx, url.Values{"device_id": {string(node.InstanceID)}})
		if err != nil {
			return "", fmt.Errorf("looking for the subnet of node %s: %w", node.NodeName, err)
		}
		for _, p := range ports {
			for _, fixed := range p.FixedIPs {
				if fixed.Address == address {
					return fixed.Subnet, nil
				}
			}
		}
	}
	return "", &cloud.Invalid{
		Field: keySubnet.Name, Value: "",
		Want: "no node shows which subnet to use; set it, or subnet-id or network-id in [LoadBalancer] of the configuration",
	}
}

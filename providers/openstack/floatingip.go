package openstack

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// floatingIP is what the driver uses of a floating IP of Neutron.
type floatingIP struct {
	ID          string `json:"id"`
	Address     string `json:"floating_ip_address"`
	Port        string `json:"port_id"`
	Description string `json:"description"`
	Network     string `json:"floating_network_id"`
}

func (f floatingIP) identifier() string { return f.ID }

// listFloatingIPs lists floating IPs of the project: administrators are shown everybody's.
func (d *Driver) listFloatingIPs(ctx context.Context, query url.Values) ([]floatingIP, error) {
	maps.Copy(query, d.ofProject())
	ips, err := listAll[floatingIP](ctx, d.network, "floatingips", "floatingips", query)
	if err != nil {
		return nil, fmt.Errorf("listing floating IPs: %w", err)
	}
	return ips, nil
}

// addFloatingIPs finds the floating IP at the balancer's port. Where one is wanted and there is
// none, it looks for one that is left of a balancer of this Service that is gone.
func (d *Driver) addFloatingIPs(ctx context.Context, s *snapshot, spec cloud.Spec) (err error) {
	if s.lb.Port != "" {
		s.floating, err = d.floatingWith(ctx, spec, url.Values{"port_id": {s.lb.Port}}, func(ip floatingIP) bool { return ip.Port == s.lb.Port })
	}
	unwanted := s.lb.ID != "" && (d.wantsInternal(spec) || isIPv6(s.lb.Address))
	if err != nil || s.floating != nil || unwanted {
		return err
	}
	made, err := d.floatingOf(ctx, spec, url.Values{"description": {d.floatingDescription(spec.Ref.Owner)}})
	for i, ip := range made {
		switch {
		case !d.floatingIsOurs(ip.Description, spec.Ref.Owner, false):
		case ip.Port == "":
			s.free = &made[i]
			return err
		case s.lb.ID != "" && !spec.Deleting:
			s.elsewhere = &made[i]
		}
	}
	return err
}

// floatingWith returns the floating IP that fits, nil when none does.
func (d *Driver) floatingWith(ctx context.Context, spec cloud.Spec, query url.Values, fits func(floatingIP) bool) (*floatingIP, error) {
	ips, err := d.floatingOf(ctx, spec, query)
	if at := slices.IndexFunc(ips, fits); err == nil && at >= 0 {
		return &ips[at], nil
	}
	return nil, err
}

// floatingOf returns the floating IPs of the bulk list, or those the query leads to.
func (d *Driver) floatingOf(ctx context.Context, spec cloud.Spec, query url.Values) ([]floatingIP, error) {
	if all, listed := bulkListOf(spec); listed {
		return all.floating, nil
	}
	return d.listFloatingIPs(ctx, query)
}

// attach gives the balancer a floating IP:
//
//	loadBalancerIP  in the project     it
//	set             free               is attached
//	set             used elsewhere     refused
//	set             unknown            is made, which needs more rights than most users have
//	not set         one is left of an  is attached
//	                earlier balancer
//	–               at the balancer    is moved
//	                it has replaced
//	not set         none is left       is made, in the first subnet that has room
func (d *Driver) attach(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	if chosen := chosenFloating(spec); chosen != "" {
		return d.attachAddress(ctx, s, spec, chosen)
	}
	if s.free != nil {
		return d.associate(ctx, s.free.ID, s.lb.Port)
	}
	if s.elsewhere != nil {
		left, err := d.isLeft(ctx, spec, s.elsewhere.Port)
		if err != nil {
			return err
		}
		if left {
			return d.associate(ctx, s.elsewhere.ID, s.lb.Port)
		}
	}
	if err := d.checkFloating(ctx, spec); err != nil {
		return err
	}
	subnets, err := d.floatingSubnets(ctx, spec)
	if err != nil {
		return err
	}
	for _, subnet := range subnets {
		err = d.makeFloatingIP(ctx, s, spec, subnet, "")
		switch d.Classify(err).Class {
		case cloud.FailureConflict, cloud.FailureInvalid, cloud.FailureQuota: // such as a subnet that is full
		default:
			return err
		}
	}
	return err
}

func (d *Driver) attachAddress(ctx context.Context, s *snapshot, spec cloud.Spec, address string) error {
	found, err := d.listFloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return d.makeFloatingIP(ctx, s, spec, "", address)
	case found[0].Port != "" && found[0].Port != s.lb.Port:
		left, err := d.isLeft(ctx, spec, found[0].Port)
		if err != nil {
			return err
		}
		if !left {
			return &cloud.Invalid{Field: fieldLoadBalancerIP, Value: address, Want: "it is in use at port " + found[0].Port}
		}
	}
	return d.associate(ctx, found[0].ID, s.lb.Port)
}

// isLeft reports whether a port is that of another balancer of the Service, which the present one has
// replaced.
func (d *Driver) isLeft(ctx context.Context, spec cloud.Spec, port string) (bool, error) {
	all, _, err := d.listBalancers(ctx)
	if err != nil {
		return false, fmt.Errorf("listing balancers: %w", err)
	}
	return slices.ContainsFunc(all, func(lb balancer) bool {
		return lb.Port == port && d.readClaims(lb.Tags, spec.Ref.Owner).ours
	}), nil
}

// chosenFloating is the address of the floating IP that was asked for: that of a balancer that has to
// be made again as it was, or loadBalancerIP.
func chosenFloating(spec cloud.Spec) string {
	return cmp.Or(spec.Preserved[fieldFloatingIP], spec.LoadBalancerIP)
}

// following is the floating IP that stays at the balancer beside, which serves, and follows when this
// one does: ours, or the one that was asked for. It is nil where the new balancer gets another one.
func (d *Driver) following(spec cloud.Spec) *floatingIP {
	if spec.Beside == nil || d.wantsInternal(spec) {
		return nil
	}
	s, ok := spec.Beside.Native.(*snapshot)
	if !ok || s.floating == nil {
		return nil
	}
	chosen := chosenFloating(spec)
	if chosen == s.floating.Address || chosen == "" && d.floatingIsOurs(s.floating.Description, spec.Ref.Owner, true) {
		return s.floating
	}
	return nil
}

// reserve makes the floating IP with an address that was chosen and that the project does not have,
// before the balancer: most clouds let only administrators choose, and a balancer would wait for it
// for ever. It is found again by its description.
func (d *Driver) reserve(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	address := chosenFloating(spec)
	if address == "" || s.free != nil && s.free.Address == address || d.wantsInternal(spec) || spec.IPv6 || d.floatingNetwork(spec) == noNetwork {
		return nil
	}
	found, err := d.listFloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if err != nil || len(found) > 0 {
		return err
	}
	return d.makeFloatingIP(ctx, &snapshot{}, spec, "", address)
}

// makeFloatingIP makes a floating IP at the balancer's port, in a subnet or with an address if
// they are not empty.
func (d *Driver) makeFloatingIP(ctx context.Context, s *snapshot, spec cloud.Spec, subnet, address string) error {
	request := map[string]string{
		"floating_network_id": d.floatingNetwork(spec), "port_id": s.lb.Port, "description": d.floatingDescription(spec.Ref.Owner),
		"subnet_id": subnet, "floating_ip_address": address,
	}
	maps.DeleteFunc(request, func(_, value string) bool { return value == "" })
	if _, err := d.network.Post(ctx, d.network.ServiceURL("floatingips"), map[string]any{"floatingip": request}, nil, okPut()); err != nil {
		return fmt.Errorf("creating a floating IP: %w", err)
	}
	return nil
}

// floatingNetwork is the network to take a floating IP from: as chosen, else as found.
func (d *Driver) floatingNetwork(spec cloud.Spec) string {
	return cmp.Or(d.placementOf(spec).floatingNetwork, spec.Lookups[lookupFloatingNetwork])
}

// associate attaches a floating IP to a port, and detaches it where port is "": only an explicit
// null does.
func (d *Driver) associate(ctx context.Context, id, port string) error {
	var target any
	if port != "" {
		target = port
	}
	body := map[string]any{"floatingip": map[string]any{"port_id": target}}
	if _, err := d.network.Put(ctx, d.network.ServiceURL("floatingips", id), body, nil, okPut()); err != nil {
		return fmt.Errorf("attaching floating IP %s to port %q: %w", id, port, err)
	}
	return nil
}

// release takes the floating IP from the balancer:
//
//	made for                          to be kept  the Service  it is
//	this Service, or one that shared  no          –            deleted: the last one pays
//	its balancer and has left
//	the same                          yes         leaves       detached, and nobody's any more
//	the same                          yes         stays        detached, for when it is wanted again
//	any other, or nobody              –           –            detached
//
// One that loadBalancerIP chose was not made for a Service that shared the balancer.
func (d *Driver) release(ctx context.Context, ip *floatingIP, spec cloud.Spec) error {
	if ip == nil {
		return nil
	}
	keep := keyKeepFloatingIP.Bool(spec.Options)
	switch ours := d.inherits(ip, spec) || d.floatingIsOurs(ip.Description, spec.Ref.Owner, true); {
	case ours && !keep:
		if err := remove(ctx, d.network, "floatingips", ip.ID); err != nil {
			return fmt.Errorf("deleting floating IP %s: %w", ip.ID, err)
		}
		return nil
	case ours && spec.Deleting:
		return d.disown(ctx, ip, spec)
	case ip.Port == "":
		return nil
	}
	return d.associate(ctx, ip.ID, "")
}

// park detaches a floating IP that was made for the Service, for the balancer that comes in the place
// of this one: its description makes it the Service's. Any other is detached with the balancer.
func (d *Driver) park(ctx context.Context, ip *floatingIP, spec cloud.Spec) error {
	if ip == nil || !d.inherits(ip, spec) && !d.floatingIsOurs(ip.Description, spec.Ref.Owner, true) {
		return nil
	}
	body := map[string]any{"floatingip": map[string]any{"port_id": nil, "description": d.floatingDescription(spec.Ref.Owner)}}
	if _, err := d.network.Put(ctx, d.network.ServiceURL("floatingips", ip.ID), body, nil, okPut()); err != nil {
		return fmt.Errorf("detaching floating IP %s: %w", ip.ID, err)
	}
	return nil
}

// inherits reports whether a floating IP at the Service's balancer was made for another Service,
// which shared the balancer.
func (d *Driver) inherits(ip *floatingIP, spec cloud.Spec) bool {
	return ip.Port != "" && ip.Address != spec.LoadBalancerIP && strings.Contains(ip.Description, floatingPrefix)
}

// disown detaches a floating IP that is to be kept, and gives it a description by which nobody
// takes it for the Service's any more.
func (d *Driver) disown(ctx context.Context, ip *floatingIP, spec cloud.Spec) error {
	body := map[string]any{"floatingip": map[string]any{"port_id": nil, "description": "Kept of Service " + spec.Ref.Owner.String()}}
	if _, err := d.network.Put(ctx, d.network.ServiceURL("floatingips", ip.ID), body, nil, okPut()); err != nil {
		return fmt.Errorf("keeping floating IP %s: %w", ip.ID, err)
	}
	return nil
}

// claimFloating gives a floating IP that upstream made for the Service a description with its UID.
func (d *Driver) claimFloating(ctx context.Context, ip *floatingIP, o cloud.Owner) error {
	if d.floatingIsOurs(ip.Description, o, false) || !d.floatingIsOurs(ip.Description, o, true) {
		return nil
	}
	return d.describeFloating(ctx, ip, o)
}

// describeFloating gives a floating IP the description it gets in a cluster of the present name.
func (d *Driver) describeFloating(ctx context.Context, ip *floatingIP, o cloud.Owner) error {
	body := map[string]any{"floatingip": map[string]any{"port_id": ip.Port, "description": d.floatingDescription(o)}}
	if _, err := d.network.Put(ctx, d.network.ServiceURL("floatingips", ip.ID), body, nil, okPut()); err != nil {
		return fmt.Errorf("describing floating IP %s: %w", ip.ID, err)
	}
	return nil
}

// subnet is what the driver uses of a subnet of Neutron.
type subnet struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Network string   `json:"network_id"`
	CIDR    string   `json:"cidr"`
	Version int      `json:"ip_version"`
	Tags    []string `json:"tags"`
}

func (s subnet) identifier() string { return s.ID }

// floatingSubnets returns the subnets to take a floating IP from, one after the other; "" leaves
// the choice to Neutron.
func (d *Driver) floatingSubnets(ctx context.Context, spec cloud.Spec) ([]string, error) {
	where, network := d.placementOf(spec), d.floatingNetwork(spec)
	if where.floatingSubnet != "" || where.floatingSubnetName == "" && where.floatingSubnetTags == "" {
		return []string{where.floatingSubnet}, nil
	}
	all, err := listAll[subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return nil, fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	match, ok := compilePattern(cmp.Or(where.floatingSubnetName, "*"))
	var ids []string
	for _, s := range all {
		if ok && match(s.Name) && matchTags(where.floatingSubnetTags, s.Tags) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: keyFloatingName.Name, Value: strings.TrimSpace(where.floatingSubnetName + " " + where.floatingSubnetTags),
			Want: "no subnet of network " + network + " has such a name and such tags",
		}
	}
	return ids, nil
}

// findFloatingNetwork returns the external network to use where none is configured: the first
// with a subnet that is IPv4 or that we are not shown; "" when there is none.
func (d *Driver) findFloatingNetwork(ctx context.Context) (string, error) {
	type external struct {
		network
		Subnets []string `json:"subnets"`
	}
	networks, err := listAll[external](ctx, d.network, "networks", "networks", url.Values{"router:external": {"true"}})
	if err != nil {
		return "", fmt.Errorf("listing external networks: %w", err)
	}
	for _, n := range networks {
		subnets, err := listAll[subnet](ctx, d.network, "subnets", "subnets", url.Values{"network_id": {n.ID}})
		if err != nil {
			return "", fmt.Errorf("listing the subnets of network %s: %w", n.ID, err)
		}
		hidden := len(subnets) < len(n.Subnets)
		if hidden || slices.ContainsFunc(subnets, func(s subnet) bool { return s.Version == 4 }) {
			return n.ID, nil
		}
	}
	return "", nil
}

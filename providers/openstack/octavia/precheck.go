package octavia

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// inquiry collects what keeps a balancer from being made.
type inquiry struct {
	balancers *Balancers
	spec      cloud.Spec
	where     config.Placement
	// before is the balancer that is deleted first or served until now, nil when there is none.
	before   *snapshot
	problems []error
}

// Check implements cloud.Checker: everything that a Service names is looked for before anything is
// made, because a balancer without the rest would wait for it for ever. What these credentials
// may not read is left to the cloud.
func (d *Balancers) Check(ctx context.Context, spec cloud.Spec, before cloud.Observed) error {
	q := &inquiry{balancers: d, spec: spec, where: d.placementOf(spec)}
	q.before, _ = before.Native.(*snapshot)
	for _, ask := range []func(context.Context) error{q.size, q.place, q.ownAddress, q.floating} {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	return errors.Join(q.problems...)
}

func (q *inquiry) refuse(field, value, want string) {
	q.problems = append(q.problems, &cloud.Invalid{Field: field, Value: value, Want: want})
}

// look reads an object. It is nil, without an error, where the credentials may not read it; found is
// false only where there certainly is none.
func look[T any](ctx context.Context, read func(context.Context) (T, error)) (object *T, found bool, err error) {
	one, err := read(ctx)
	if err == nil {
		return &one, true, nil
	}
	switch api.Classify(err).Class {
	case cloud.FailureNotFound:
		return nil, false, nil
	case cloud.FailureUnauthorized:
		return nil, true, nil
	}
	return nil, false, err
}

// exists refuses the value of a field when the cloud has no such object.
func exists[T any](ctx context.Context, q *inquiry, key annotation.Key, id, what string, read func(context.Context) (T, error)) (*T, error) {
	object, found, err := look(ctx, read)
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", what, id, err)
	}
	if !found {
		q.refuse(key.Name, id, "the cloud has no such "+what)
	}
	return object, nil
}

// reading returns how an object is read.
func reading[T any](d *Balancers, network bool, name string, path ...string) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		client := d.client
		if network {
			client = d.network
		}
		one, _, err := api.GetOne[T](ctx, client, name, path...)
		return one, err
	}
}

// offered is what can be chosen of a list an administrator made.
type offered struct {
	Enabled *bool `json:"enabled"`
}

// size is about flavor and zone.
func (q *inquiry) size(ctx context.Context) error {
	d := q.balancers
	for _, choice := range []struct {
		key              annotation.Key
		able             ability
		what, name, path string
	}{
		{option.Flavor, ableFlavors, "flavor", "flavor", "lbaas/flavors"},
		{option.Zone, ableZones, "availability zone", "availability_zone", "lbaas/availabilityzones"},
	} {
		value := d.ifAble(choice.able, choice.key.In(q.spec.Options))
		if value == "" {
			continue
		}
		found, err := exists(ctx, q, choice.key, value, choice.what, reading[offered](d, false, choice.name, choice.path, url.PathEscape(value)))
		if err != nil {
			return err
		}
		if found != nil && found.Enabled != nil && !*found.Enabled {
			q.refuse(choice.key.Name, value, "the "+choice.what+" is disabled")
		}
	}
	return nil
}

// place is about the balancer's network, subnet and port, and the subnet of its members.
func (q *inquiry) place(ctx context.Context) error {
	d := q.balancers
	if id := q.where.Network; id != "" {
		if _, err := exists(ctx, q, option.Network, id, "network", reading[neutron.Network](d, true, "network", "networks", id)); err != nil {
			return err
		}
	}
	if id := q.where.Subnet; id != "" {
		found, err := exists(ctx, q, option.Subnet, id, "subnet", reading[neutron.Subnet](d, true, "subnet", "subnets", id))
		switch {
		case err != nil:
			return err
		case found != nil && q.where.Network != "" && found.Network != q.where.Network:
			q.refuse(option.Subnet.Name, id, "the subnet is in network "+found.Network+" and not in "+q.where.Network)
		}
	}
	if id := option.MemberSubnet.In(q.spec.Options); id != "" {
		if _, err := exists(ctx, q, option.MemberSubnet, id, "subnet", reading[neutron.Subnet](d, true, "subnet", "subnets", id)); err != nil {
			return err
		}
	}
	if id := option.Port.In(q.spec.Options); id != "" {
		_, err := exists(ctx, q, option.Port, id, "port", reading[neutron.Port](d, true, "port", "ports", id))
		return err
	}
	return nil
}

const fieldLoadBalancerIP = "spec.loadBalancerIP"

// ownAddress is about an address of the balancer itself: it has to be in the subnet, and free.
func (q *inquiry) ownAddress(ctx context.Context) error {
	d, text := q.balancers, q.spec.LoadBalancerIP
	if text == "" || d.addressField(q.spec) == "" {
		return nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		q.refuse(fieldLoadBalancerIP, text, "want an IP address")
		return nil
	}
	if d.addressField(q.spec) != fieldAddress || q.where.Subnet == "" {
		return nil
	}
	found, _, err := look(ctx, reading[neutron.Subnet](d, true, "subnet", "subnets", q.where.Subnet))
	if err != nil || found == nil {
		return err
	}
	if cidr, err := netip.ParsePrefix(found.CIDR); err == nil && !cidr.Contains(address) {
		q.refuse(fieldLoadBalancerIP, text, "it is not in subnet "+found.ID+", "+found.CIDR)
		return nil
	}
	return q.freeAddress(ctx, found, address)
}

// freeAddress is about an address in a subnet: nothing but the balancer itself may use it.
func (q *inquiry) freeAddress(ctx context.Context, in *neutron.Subnet, address netip.Addr) error {
	d, text := q.balancers, q.spec.LoadBalancerIP
	ports, err := neutron.Ports(ctx, d.network, url.Values{"network_id": {in.Network}, "fixed_ips": {"ip_address=" + address.String()}})
	if err != nil {
		return fmt.Errorf("looking for address %s: %w", address, err)
	}
	for _, p := range ports {
		if mine := p.ID == option.Port.In(q.spec.Options) || q.before != nil && p.ID == q.before.lb.Port; !mine && p.Has(address) {
			q.refuse(fieldLoadBalancerIP, text, "it is in use at port "+p.ID)
		}
	}
	return nil
}

// floating is about the floating IP.
func (q *inquiry) floating(ctx context.Context) error {
	d, spec := q.balancers, q.spec
	if d.wantsInternal(spec) || spec.IPv6 || d.floatingNetwork(spec) == noNetwork {
		return nil
	}
	if err := d.checkFloating(ctx, spec); err != nil {
		if !isInvalid(err) {
			return err
		}
		q.problems = append(q.problems, err)
	}
	if spec.LoadBalancerIP == "" || len(q.problems) > 0 {
		return nil
	}
	ips, err := d.listFloatingIPs(ctx, url.Values{"floating_ip_address": {spec.LoadBalancerIP}})
	if err != nil {
		return err
	}
	for _, ip := range ips {
		if ip.Port != "" && (q.before == nil || ip.Port != q.before.lb.Port) {
			q.refuse(fieldLoadBalancerIP, spec.LoadBalancerIP, "it is in use at port "+ip.Port)
		}
	}
	return nil
}

func isInvalid(err error) bool {
	_, ok := errors.AsType[*cloud.Invalid](err)
	return ok
}

// checkFloating looks at where a floating IP is to be taken from. A project is shown the ids of an
// external network's subnets, though often not the subnets.
func (d *Balancers) checkFloating(ctx context.Context, spec cloud.Spec) error {
	type external struct {
		neutron.Network
		External *bool    `json:"router:external"`
		Subnets  []string `json:"subnets"`
	}
	where, id := d.placementOf(spec), d.floatingNetwork(spec)
	if id == "" || where.FloatingNetwork == "" && where.FloatingSubnet == "" && where.FloatingSubnetName+where.FloatingSubnetTags == "" {
		return nil
	}
	q := &inquiry{balancers: d, spec: spec}
	found, err := exists(ctx, q, option.FloatingNetwork, id, "network", reading[external](d, true, "network", "networks", id))
	switch {
	case err != nil:
		return err
	case found == nil:
		return errors.Join(q.problems...)
	case found.External != nil && !*found.External:
		q.refuse(option.FloatingNetwork.Name, id, "want an external network")
	case where.FloatingSubnet != "" && !slices.Contains(found.Subnets, where.FloatingSubnet):
		q.refuse(option.FloatingSubnet.Name, where.FloatingSubnet, "network "+id+" has no such subnet")
	case where.FloatingSubnet == "":
		_, err = d.floatingSubnets(ctx, spec)
	}
	return errors.Join(append(q.problems, err)...)
}

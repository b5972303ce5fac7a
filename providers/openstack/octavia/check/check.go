// Package check looks for what a Service names, before anything is made.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Checker looks for what Services name.
type Checker struct {
	Client, Network *gophercloud.ServiceClient
	Rules           *desired.Rules
	Reader          *object.Reader
}

// inquiry collects what keeps a balancer from being made.
type inquiry struct {
	checker *Checker
	input   cloud.Input
	where   desired.Place
	// before is the balancer that is deleted first or served until now, nil when there is none.
	before   *object.Snapshot
	problems []error
}

// Check implements cloud.Checker: everything that a Service names is looked for before anything is
// made, because a balancer without the rest would wait for it for ever. What these credentials
// may not read is left to the cloud.
func (c *Checker) Check(ctx context.Context, in cloud.Input, before cloud.Observed) error {
	q := &inquiry{checker: c, input: in, where: c.Rules.PlaceOf(in)}
	if q.before = object.Native.Open(before.Native); q.before != nil && q.before.LB.Port == "" {
		q.before = nil // nothing was found
	}
	for _, ask := range []func(context.Context) error{q.objects, q.ownAddress, q.floating} {
		if err := ask(ctx); err != nil {
			return err
		}
	}
	return errors.Join(q.problems...)
}

func (q *inquiry) refuse(field, value, want string) {
	q.problems = append(q.problems, &cloud.Invalid{Field: field, Value: value, Want: want})
}

// field names what says the value, which may be the configuration.
func (q *inquiry) field(key annotation.Key, value string) string {
	return desired.FieldOf(key, value, q.input.Spec)
}

// floatingField names what says which subnets a floating IP may come from.
func floatingField(where desired.Place, spec cloud.Spec) string {
	if where.FloatingSubnetName == "" {
		return desired.FieldOf(option.FloatingTags, where.FloatingSubnetTags, spec)
	}
	return desired.FieldOf(option.FloatingName, where.FloatingSubnetName, spec)
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
		q.refuse(q.field(key, id), id, "the cloud has no such "+what)
	}
	return object, nil
}

// reading returns how an object is read.
func reading[T any](client *gophercloud.ServiceClient, name string, path ...string) func(context.Context) (T, error) {
	return func(ctx context.Context) (T, error) {
		one, _, err := api.GetNamed[T](ctx, client, name, path...)
		return one, err
	}
}

// named is what is looked at of an object that a Service names.
type named struct {
	// Enabled is what an administrator says of a flavor or a zone.
	Enabled *bool `json:"enabled"`
	// Network and Version are those of a subnet.
	Network string `json:"network_id"`
	Version int    `json:"ip_version"`
}

// objects is about flavor and zone, the balancer's network, subnet and port, and the subnet of its members.
func (q *inquiry) objects(ctx context.Context) error {
	c, options := q.checker, q.input.Options
	for _, choice := range []struct {
		key                     annotation.Key
		value, what, name, path string
		client                  *gophercloud.ServiceClient
	}{
		{option.Flavor, c.Rules.IfAble(desired.AbleFlavors, option.Flavor.In(options)), "flavor", "flavor", "lbaas/flavors", c.Client},
		{option.Zone, c.Rules.IfAble(desired.AbleZones, option.Zone.In(options)), "availability zone", "availability_zone", "lbaas/availabilityzones", c.Client},
		{option.Network, q.where.Network, "network", "network", "networks", c.Network},
		{option.Subnet, q.where.Subnet, "subnet", "subnet", "subnets", c.Network},
		{option.MemberSubnet, option.MemberSubnet.In(options), "subnet", "subnet", "subnets", c.Network},
		{option.Port, option.Port.In(options), "port", "port", "ports", c.Network},
	} {
		if choice.value == "" {
			continue
		}
		found, err := exists(ctx, q, choice.key, choice.value, choice.what, reading[named](choice.client, choice.name, choice.path, url.PathEscape(choice.value)))
		switch {
		case err != nil:
			return err
		case found == nil:
		case found.Enabled != nil && !*found.Enabled:
			q.refuse(q.field(choice.key, choice.value), choice.value, "the "+choice.what+" is disabled")
		case choice.key.Name == option.Subnet.Name && q.where.Network != "" && found.Network != q.where.Network:
			q.refuse(q.field(choice.key, choice.value), choice.value, "the subnet is in network "+found.Network+" and not in "+q.where.Network)
		case choice.key.Name == option.Subnet.Name && found.Version != 0 && c.Rules.Misses(q.input.Spec, found.Version == 6):
			q.refuse(q.field(choice.key, choice.value), choice.value, "the Service has "+q.input.Spec.Families().String()+", and the ovn provider leads from the subnet's family to the same one only")
		}
	}
	return nil
}

// ownAddress is about an address of the balancer itself: it has to be in the subnet, and free.
func (q *inquiry) ownAddress(ctx context.Context) error {
	c := q.checker
	text, field := q.where.Address, q.where.AddressBy
	if text == "" || q.where.AddressField == "" {
		return nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		q.refuse(field, text, "want an IP address")
		return nil
	}
	if q.where.AddressField != desired.FieldAddress || q.where.Subnet == "" {
		return nil
	}
	found, _, err := look(ctx, reading[neutron.Subnet](c.Network, "subnet", "subnets", q.where.Subnet))
	if err != nil || found == nil {
		return err
	}
	if cidr, err := netip.ParsePrefix(found.CIDR); err == nil && !cidr.Contains(address) {
		q.refuse(field, text, "it is not in subnet "+found.ID+", "+found.CIDR)
		return nil
	}
	return q.freeAddress(ctx, found, address)
}

// freeAddress is about an address in a subnet: nothing but the balancer itself may use it.
func (q *inquiry) freeAddress(ctx context.Context, in *neutron.Subnet, address netip.Addr) error {
	c := q.checker
	ports, err := neutron.Ports(ctx, c.Network, url.Values{"network_id": {in.Network}, "fixed_ips": {"ip_address=" + address.String()}})
	if err != nil {
		return fmt.Errorf("looking for address %s: %w", address, err)
	}
	for _, p := range ports {
		if mine := p.ID == option.Port.In(q.input.Options) || q.before != nil && p.ID == q.before.LB.Port; !mine && p.Has(address) {
			q.refuse(q.where.AddressBy, q.where.Address, "it is in use at port "+p.ID)
		}
	}
	return nil
}

// floating is about the floating IP.
func (q *inquiry) floating(ctx context.Context) error {
	c, in := q.checker, q.input
	if q.where.Internal || in.IPv6 || q.where.NoFloating {
		return nil
	}
	if err := c.Floating(ctx, in); err != nil {
		if !IsInvalid(err) {
			return err
		}
		q.problems = append(q.problems, err)
	}
	address := q.where.Address
	if address == "" || len(q.problems) > 0 {
		return nil
	}
	ips, err := c.Reader.FloatingIPs(ctx, url.Values{"floating_ip_address": {address}})
	if err != nil {
		return err
	}
	port := ""
	if q.before != nil {
		port = q.before.LB.Port
	}
	for _, ip := range ips {
		if why := owner.Obstacle(c.Rules, ip, port, in); why != "" {
			q.refuse(q.where.AddressBy, address, why)
		}
	}
	return nil
}

// IsInvalid reports whether the error says that a Service asks for something impossible.
func IsInvalid(err error) bool {
	_, ok := errors.AsType[*cloud.Invalid](err)
	return ok
}

// Floating looks at where a floating IP is to be taken from.
func (c *Checker) Floating(ctx context.Context, in cloud.Input) error {
	where := c.Rules.PlaceOf(in)
	id := where.FloatingFrom
	if id == "" || where.FloatingNetwork == "" && where.FloatingSubnet == "" && where.FloatingSubnetName+where.FloatingSubnetTags == "" {
		return nil
	}
	q := &inquiry{checker: c, input: in}
	found, err := exists(ctx, q, option.FloatingNetwork, id, "network", reading[neutron.External](c.Network, "network", "networks", id))
	switch {
	case err != nil:
		return err
	case found == nil:
		return errors.Join(q.problems...)
	case found.External != nil && !*found.External:
		q.refuse(q.field(option.FloatingNetwork, id), id, "want an external network")
	case where.FloatingSubnet != "" && !slices.Contains(found.Subnets, where.FloatingSubnet):
		q.refuse(q.field(option.FloatingSubnet, where.FloatingSubnet), where.FloatingSubnet, "network "+id+" has no such subnet")
	case where.FloatingSubnet == "":
		_, err = c.FloatingSubnets(ctx, in)
	}
	return errors.Join(append(q.problems, err)...)
}

// FloatingSubnets returns the subnets to take a floating IP from, one after the other; "" leaves
// the choice to Neutron.
func (c *Checker) FloatingSubnets(ctx context.Context, in cloud.Input) ([]string, error) {
	where := c.Rules.PlaceOf(in)
	network := where.FloatingFrom
	if where.FloatingSubnet != "" || where.FloatingSubnetName == "" && where.FloatingSubnetTags == "" {
		return []string{where.FloatingSubnet}, nil
	}
	all, err := api.ListAll[neutron.Subnet](ctx, c.Network, "subnets", "subnets", url.Values{"network_id": {network}})
	if err != nil {
		return nil, fmt.Errorf("listing the subnets of network %s: %w", network, err)
	}
	match, ok := option.CompilePattern(cmp.Or(where.FloatingSubnetName, "*"))
	var ids []string
	for _, s := range all {
		if ok && match(s.Name) && option.MatchTags(where.FloatingSubnetTags, s.Tags) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, &cloud.Invalid{
			Field: floatingField(where, in.Spec), Value: strings.TrimSpace(where.FloatingSubnetName + " " + where.FloatingSubnetTags),
			Want: "no subnet of network " + network + " has such a name and such tags",
		}
	}
	return ids, nil
}

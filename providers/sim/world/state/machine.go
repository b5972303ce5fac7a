package state

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// AddMachine adds a machine and returns it as stored. Only the name is required: the
// defaults are type "small", the first zone, running, a private IPv4 address in the first
// network and a public IPv4 address.
func (c *Cloud) AddMachine(m api.Machine) (api.Machine, error) {
	defer c.lock()()
	if m.ID != "" {
		return api.Machine{}, api.Invalid("id is given by the cloud")
	}
	m.ID = c.newID("m")
	if err := c.completeMachine(&m); err != nil {
		return api.Machine{}, err
	}
	c.machines = append(c.machines, &m)
	return m, nil
}

// EditMachine replaces everything but the id of a machine.
func (c *Cloud) EditMachine(m api.Machine) (api.Machine, error) {
	defer c.lock()()
	stored, err := c.machines.find(m.ID)
	if err != nil {
		return api.Machine{}, err
	}
	if err := c.completeMachine(&m); err != nil {
		return api.Machine{}, err
	}
	*stored = m
	c.forwardAll()
	return m, nil
}

// RemoveMachine removes a machine, also from behind all balancers; its routes stay.
func (c *Cloud) RemoveMachine(id string) error {
	defer c.lock()()
	before := len(c.machines)
	c.machines = slices.DeleteFunc(c.machines, func(m *api.Machine) bool { return m.ID == id })
	if len(c.machines) == before {
		return api.NotFound("machine", id)
	}
	for _, b := range c.balancers {
		b.Targets = slices.DeleteFunc(slices.Clone(b.Targets), func(target string) bool { return target == id })
	}
	c.forwardAll()
	return nil
}

// StopMachine and StartMachine change the power state.
func (c *Cloud) StopMachine(id string) error { return c.setPower(id, api.PowerStopped) }

// StartMachine makes a machine run.
func (c *Cloud) StartMachine(id string) error { return c.setPower(id, api.PowerRunning) }

func (c *Cloud) setPower(id, power string) error {
	defer c.lock()()
	m, err := c.machines.find(id)
	if err != nil {
		return err
	}
	m.Power = power
	return nil
}

// Machines returns all machines, in order of creation.
func (c *Cloud) Machines() []api.Machine {
	defer c.lock()()
	list := make([]api.Machine, len(c.machines))
	for i, m := range c.machines {
		list[i] = *m
	}
	return list
}

// Machine returns one machine.
func (c *Cloud) Machine(id string) (api.Machine, error) {
	defer c.lock()()
	m, err := c.machines.find(id)
	if err != nil {
		return api.Machine{}, err
	}
	return *m, nil
}

type machines []*api.Machine

func (all machines) find(id string) (*api.Machine, error) {
	for _, m := range all {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, api.NotFound("machine", id)
}

// completeMachine fills defaults in and refuses what can't be.
func (c *Cloud) completeMachine(m *api.Machine) error {
	if m.Name == "" {
		return api.Invalid("name is required")
	}
	if m.Region != "" && m.Region != c.region {
		return api.Invalid("region %q is not this one, %q", m.Region, c.region)
	}
	m.Region = c.region
	if m.Zone == "" {
		m.Zone = c.Zones()[0]
	}
	if !slices.Contains(c.Zones(), m.Zone) {
		return api.Invalid("zone %q is none of %s", m.Zone, strings.Join(c.Zones(), ", "))
	}
	if m.Type == "" {
		m.Type = "small"
	}
	if m.Power == "" {
		m.Power = api.PowerRunning
	}
	if !slices.Contains([]string{api.PowerStarting, api.PowerRunning, api.PowerStopped}, m.Power) {
		return api.Invalid("power %q is none of starting, running, stopped", m.Power)
	}
	if m.Network == "" {
		m.Network = c.networks[0].ID
	}
	if !slices.ContainsFunc(c.networks, func(n api.Network) bool { return n.ID == m.Network }) {
		return api.NotFound("network", m.Network)
	}
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	return completeAddresses(m)
}

func completeAddresses(m *api.Machine) error {
	if m.Addresses == nil {
		number := m.Number()
		m.Addresses = []api.Address{
			{Kind: api.AddressPrivate, IP: numbered("10.0.0.0", number)},
			{Kind: api.AddressPublic, IP: numbered("198.18.0.0", number)},
		}
	}
	m.Addresses = slices.Clone(m.Addresses)
	for i, a := range m.Addresses {
		ip, err := netip.ParseAddr(a.IP)
		if err != nil {
			return api.Invalid("addresses[%d].ip %q is no IP address", i, a.IP)
		}
		if a.Kind != api.AddressPrivate && a.Kind != api.AddressPublic {
			return api.Invalid("addresses[%d].kind %q is none of private, public", i, a.Kind)
		}
		m.Addresses[i].IP = ip.String()
	}
	return nil
}

// numbered returns the IPv4 address that many after the base.
func numbered(base string, n int) string {
	b := netip.MustParseAddr(base).As4()
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(n))
	return netip.AddrFrom4(b).String()
}

// numbered6 returns the IPv6 address that many after the base.
func numbered6(base string, n int) string {
	b := netip.MustParseAddr(base).As16()
	b[14], b[15] = byte(n>>8), byte(n)
	return netip.AddrFrom16(b).String()
}

package world

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Power states of a machine.
const (
	PowerStarting = "starting"
	PowerRunning  = "running"
	PowerStopped  = "stopped"
)

// Kinds of addresses.
const (
	AddressPrivate = "private"
	AddressPublic  = "public"
)

// Machine is a virtual machine. Names need not be unique.
type Machine struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Type      string            `json:"type"`
	Region    string            `json:"region"`
	Zone      string            `json:"zone"`
	Power     string            `json:"power"`
	Network   string            `json:"network"`
	Addresses []Address         `json:"addresses"`
	Labels    map[string]string `json:"labels"`
}

// Address is an IPv4 or IPv6 address of a machine.
type Address struct {
	Kind string `json:"kind"`
	IP   string `json:"ip"`
}

// AddMachine adds a machine and returns it as stored. Only the name is required: the
// defaults are type "small", the first zone, running, a private IPv4 address in the first
// network and a public IPv4 address.
func (w *World) AddMachine(m Machine) (Machine, error) {
	defer w.lock()()
	if m.ID != "" {
		return Machine{}, invalid("id is given by the cloud")
	}
	m.ID = w.newID("m")
	if err := w.completeMachine(&m); err != nil {
		return Machine{}, err
	}
	w.machines = append(w.machines, &m)
	return m, nil
}

// EditMachine replaces everything but the id of a machine.
func (w *World) EditMachine(m Machine) (Machine, error) {
	defer w.lock()()
	i := slices.IndexFunc(w.machines, func(old *Machine) bool { return old.ID == m.ID })
	if i < 0 {
		return Machine{}, notFound("machine", m.ID)
	}
	if err := w.completeMachine(&m); err != nil {
		return Machine{}, err
	}
	w.machines[i] = &m
	w.forwardAll()
	return m, nil
}

// RemoveMachine removes a machine, also from behind all balancers; its routes stay.
func (w *World) RemoveMachine(id string) error {
	defer w.lock()()
	before := len(w.machines)
	w.machines = slices.DeleteFunc(w.machines, func(m *Machine) bool { return m.ID == id })
	if len(w.machines) == before {
		return notFound("machine", id)
	}
	for _, b := range w.balancers {
		b.Targets = slices.DeleteFunc(slices.Clone(b.Targets), func(target string) bool { return target == id })
	}
	w.forwardAll()
	return nil
}

// StopMachine and StartMachine change the power state.
func (w *World) StopMachine(id string) error { return w.setPower(id, PowerStopped) }

// StartMachine makes a machine run.
func (w *World) StartMachine(id string) error { return w.setPower(id, PowerRunning) }

func (w *World) setPower(id, power string) error {
	defer w.lock()()
	m, err := w.machine(id)
	if err != nil {
		return err
	}
	m.Power = power
	return nil
}

func (w *World) machine(id string) (*Machine, error) {
	for _, m := range w.machines {
		if m.ID == id {
			return m, nil
		}
	}
	return nil, notFound("machine", id)
}

// completeMachine fills defaults in and refuses what can't be.
func (w *World) completeMachine(m *Machine) error {
	if m.Name == "" {
		return invalid("name is required")
	}
	if m.Region != "" && m.Region != w.options.Region {
		return invalid("region %q is not this one, %q", m.Region, w.options.Region)
	}
	m.Region = w.options.Region
	if m.Zone == "" {
		m.Zone = w.Zones()[0]
	}
	if !slices.Contains(w.Zones(), m.Zone) {
		return invalid("zone %q is none of %s", m.Zone, strings.Join(w.Zones(), ", "))
	}
	if m.Type == "" {
		m.Type = "small"
	}
	if m.Power == "" {
		m.Power = PowerRunning
	}
	if !slices.Contains([]string{PowerStarting, PowerRunning, PowerStopped}, m.Power) {
		return invalid("power %q is none of starting, running, stopped", m.Power)
	}
	if m.Network == "" {
		m.Network = w.networks[0].ID
	}
	if !slices.ContainsFunc(w.networks, func(n *Network) bool { return n.ID == m.Network }) {
		return notFound("network", m.Network)
	}
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	return completeAddresses(m)
}

func completeAddresses(m *Machine) error {
	if m.Addresses == nil {
		number := m.number()
		m.Addresses = []Address{
			{Kind: AddressPrivate, IP: numbered("10.0.0.0", number)},
			{Kind: AddressPublic, IP: numbered("198.18.0.0", number)},
		}
	}
	m.Addresses = slices.Clone(m.Addresses)
	for i, a := range m.Addresses {
		ip, err := netip.ParseAddr(a.IP)
		if err != nil {
			return invalid("addresses[%d].ip %q is no IP address", i, a.IP)
		}
		if a.Kind != AddressPrivate && a.Kind != AddressPublic {
			return invalid("addresses[%d].kind %q is none of private, public", i, a.Kind)
		}
		m.Addresses[i].IP = ip.String()
	}
	return nil
}

// number is what orders machines: the number in the id.
func (m *Machine) number() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(m.ID, "m-"))
	return n
}

// ipv4 returns the address under which balancers reach the machine: the first private
// IPv4 address, else the first IPv4 address, else "".
func (m *Machine) ipv4() string {
	first := ""
	for _, a := range m.Addresses {
		ip, err := netip.ParseAddr(a.IP)
		if err != nil || !ip.Is4() {
			continue
		}
		if a.Kind == AddressPrivate {
			return a.IP
		}
		if first == "" {
			first = a.IP
		}
	}
	return first
}

// numbered returns the IPv4 address that many after the base.
func numbered(base string, n int) string {
	b := netip.MustParseAddr(base).As4()
	return fmt.Sprintf("%d.%d.%d.%d", b[0], int(b[1])+n>>16, n>>8&0xff, n&0xff)
}

// numbered6 returns the IPv6 address that many after the base.
func numbered6(base string, n int) string {
	b := netip.MustParseAddr(base).As16()
	b[14], b[15] = byte(n>>8), byte(n)
	return netip.AddrFrom16(b).String()
}

// ParseMachines reads "name=type@zone,…"; type, zone and a following "@address" are
// optional, as in "node-1,node-2=large@sim-1b,node-3=small@sim-1a@192.168.1.5".
func ParseMachines(text string) ([]Machine, error) {
	var machines []Machine
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, rest, _ := strings.Cut(item, "=")
		parts := strings.Split(rest, "@")
		if name == "" || len(parts) > 3 {
			return nil, fmt.Errorf("machine %q: want name=type@zone@address, all but the name optional", item)
		}
		parts = append(parts, "", "")
		m := Machine{Name: name, Type: parts[0], Zone: parts[1]}
		if parts[2] != "" {
			m.Addresses = []Address{{Kind: AddressPrivate, IP: parts[2]}}
		}
		machines = append(machines, m)
	}
	return machines, nil
}

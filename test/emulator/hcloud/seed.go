package hcloud

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// AddNetwork adds a network and returns it. What is left out gets a default: the name "network", the
// range 10.0.0.0/16, one subnet of all of it in eu-central. It panics when an address can't be read.
func (p *Project) AddNetwork(n Network) Network {
	n.Name, n.IPRange = cmp.Or(n.Name, "network"), cmp.Or(n.IPRange, "10.0.0.0/16")
	if n.Subnets == nil {
		n.Subnets = []Subnet{{IPRange: n.IPRange}}
	}
	n.Subnets = slices.Clone(n.Subnets)
	for i := range n.Subnets {
		s := &n.Subnets[i]
		s.Type, s.NetworkZone = cmp.Or(s.Type, "cloud"), cmp.Or(s.NetworkZone, "eu-central")
		s.Gateway = cmp.Or(s.Gateway, netip.MustParsePrefix(n.IPRange).Masked().Addr().Next().String())
		netip.MustParsePrefix(s.IPRange)
	}
	p.server.change(func() {
		if n.ID == 0 {
			n.ID = p.server.newID("network")
		}
		if n.Created.IsZero() {
			n.Created = p.server.now()
		}
		p.networks.put(&n)
	})
	return n
}

// EditNetwork changes a network behind everyone's back. One that does not exist is an error.
func (p *Project) EditNetwork(id int64, edit func(*Network)) (err error) {
	p.server.change(func() {
		n, ok := p.networks.byID[id]
		if !ok {
			err = fmt.Errorf("there is no network %d", id)
			return
		}
		edit(n)
	})
	return err
}

// DeleteNetwork takes a network away, and everything out of it.
func (p *Project) DeleteNetwork(id int64) {
	p.server.change(func() {
		p.networks.remove(id)
		for _, m := range p.machines.all {
			m.Private = slices.DeleteFunc(m.Private, func(a Attachment) bool { return a.Network == id })
		}
		for _, b := range p.balancers.all {
			b.PrivateNet = slices.DeleteFunc(b.PrivateNet, func(a BalancerAttached) bool { return a.Network == id })
		}
	})
}

// SeedMachines adds n running servers named node-0, node-1, ... with a public IPv4 address and IPv6
// network, attached to the project's first network when it has one, and returns copies of them. Each
// edit may change a server before it is added.
func (p *Project) SeedMachines(n int, edit ...func(*Machine)) []Machine {
	seeded := make([]Machine, 0, n)
	p.server.change(func() {
		for range n {
			id := p.server.newID("server")
			i := int(id - firstIDs["server"])
			m := Machine{ID: id, Name: fmt.Sprintf("node-%d", i), IPv4: hostIn(198, 18, i), IPv6: netip.MustParsePrefix(fmt.Sprintf("2001:db8:1:%x::/64", i)).String()}
			if len(p.networks.all) > 0 {
				network := p.networks.all[0]
				m.Private = []Attachment{{Network: network.ID, IP: network.host(i)}}
			}
			for _, f := range edit {
				f(&m)
			}
			m = m.withDefaults(p)
			p.machines.put(&m)
			seeded = append(seeded, m.clone())
		}
	})
	return seeded
}

// hostIn returns the i-th host address of the network a.b.0.0/16.
func hostIn(a, b, i int) string {
	host := i%65_000 + 10
	return fmt.Sprintf("%d.%d.%d.%d", a, b, host>>8, host&255)
}

// host is the i-th address for machines in the network's first subnet.
func (n *Network) host(i int) string {
	base := netip.MustParsePrefix(n.Subnets[0].IPRange).Masked().Addr().As4()
	host := i%65_000 + 10
	base[2], base[3] = base[2]+byte(host>>8), byte(host)
	return netip.AddrFrom4(base).String()
}

// AddMachine adds a server, or replaces the one with the same id. With ID 0 it gets the next id. It
// returns the id. The server has no addresses but those given.
func (p *Project) AddMachine(m Machine) int64 {
	p.server.change(func() {
		if m.ID == 0 {
			m.ID = p.server.newID("server")
		}
		m = m.withDefaults(p)
		m = m.clone()
		p.machines.put(&m)
	})
	return m.ID
}

// EditMachine changes a server behind everyone's back. One that does not exist is an error.
func (p *Project) EditMachine(id int64, edit func(*Machine)) error {
	return p.editMachines([]int64{id}, edit)
}

// PowerOff turns servers off.
func (p *Project) PowerOff(ids ...int64) error {
	return p.editMachines(ids, func(m *Machine) { m.Status = MachineOff })
}

// PowerOn turns servers on.
func (p *Project) PowerOn(ids ...int64) error {
	return p.editMachines(ids, func(m *Machine) { m.Status = MachineRunning })
}

func (p *Project) editMachines(ids []int64, edit func(*Machine)) (err error) {
	p.server.change(func() {
		for _, id := range ids {
			m, ok := p.machines.byID[id]
			if !ok {
				err = fmt.Errorf("there is no server %d", id)
				return
			}
			edit(m)
		}
	})
	return err
}

// DeleteMachines takes servers away. One that does not exist is an error.
func (p *Project) DeleteMachines(ids ...int64) (err error) {
	p.server.change(func() {
		for _, id := range ids {
			if !p.machines.remove(id) {
				err = fmt.Errorf("there is no server %d", id)
				return
			}
			for _, b := range p.balancers.all {
				b.Targets = slices.DeleteFunc(b.Targets, func(t Target) bool { return t.Server != nil && t.Server.ID == id })
			}
		}
	})
	return err
}

// Attach puts a server into a network with an address.
func (p *Project) Attach(machine, network int64, ip string) error {
	return p.EditMachine(machine, func(m *Machine) {
		m.Private = append(slices.Clone(m.Private), Attachment{Network: network, IP: ip})
	})
}

// EditBalancer changes a load balancer behind everyone's back: drift, and states that no request
// leads to. One that does not exist is an error.
func (p *Project) EditBalancer(id int64, edit func(*Balancer)) (err error) {
	p.server.change(func() {
		b, ok := p.balancers.byID[id]
		if !ok {
			err = fmt.Errorf("there is no load balancer %d", id)
			return
		}
		edit(b)
	})
	return err
}

// RemoveBalancer takes a load balancer away past all rules and says whether it was there.
func (p *Project) RemoveBalancer(id int64) (there bool) {
	p.server.change(func() { there = p.balancers.remove(id) })
	return there
}

// RemoveCertificate takes a certificate away past all rules and says whether it was there.
func (p *Project) RemoveCertificate(id int64) (there bool) {
	p.server.change(func() { there = p.certificates.remove(id) })
	return there
}

package hcloud

import (
	"slices"
	"time"
)

// The states of servers that drivers care about.
const (
	MachineRunning = "running"
	MachineOff     = "off"
)

// Machine is a server of the cloud API. Seeds and edits make it; what it looks like in answers
// follows from it.
type Machine struct {
	ID       int64
	Name     string
	Status   string // running, initializing, starting, stopping, off, deleting, migrating, rebuilding, unknown
	Type     string // a name such as "cx22"
	Location string
	Labels   map[string]string
	// IPv4 is the public address, IPv6 the public network as in "2001:db8:1::/64"; "" for none.
	IPv4, IPv6 string
	Private    []Attachment
	Created    time.Time
}

// Attachment is a machine in a network.
type Attachment struct {
	Network  int64
	IP       string
	AliasIPs []string
}

func (m *Machine) id() int64 { return m.ID }

func (m *Machine) clone() Machine {
	out := *m
	out.Private = slices.Clone(m.Private)
	return out
}

// in returns the machine's attachment to a network, nil for none.
func (m *Machine) in(network int64) *Attachment {
	for i := range m.Private {
		if m.Private[i].Network == network {
			return &m.Private[i]
		}
	}
	return nil
}

var machineList = listing[*Machine]{
	name: "servers",
	order: map[string]func(a, b *Machine) int{
		"id": by((*Machine).id), "name": by(func(m *Machine) string { return m.Name }),
		"created": byTime(func(m *Machine) time.Time { return m.Created }),
	},
	nameOf:   func(m *Machine) string { return m.Name },
	labelsOf: func(m *Machine) map[string]string { return m.Labels },
	filters: map[string]func(*Machine, string) bool{
		"status": func(m *Machine, status string) bool { return m.Status == status },
	},
}

func listMachines(c *call) (reply, error) {
	return machineList.answer(c, c.project.machines.all, func(m *Machine) any { return c.project.machineView(m) })
}

func getMachine(c *call) (reply, error) {
	m, err := found(c, c.project.machines, "server")
	if err != nil {
		return reply{}, err
	}
	return reply{body: map[string]any{"server": c.project.machineView(m)}}, nil
}

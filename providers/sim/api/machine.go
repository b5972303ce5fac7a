package api

import (
	"net/netip"
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

// Number is what orders machines: the number in the id.
func (m *Machine) Number() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(m.ID, "m-"))
	return n
}

// IPv4 returns the address under which balancers reach the machine: the first private
// IPv4 address, else the first IPv4 address, else "".
func (m *Machine) IPv4() string {
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

// Network is what private addresses belong to.
type Network struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	CIDR string `json:"cidr"`
}

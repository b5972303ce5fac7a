package robot

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// The operating states that GET /reset/{number} answers.
const (
	Running      = "running"
	ShutOff      = "shut off"
	NotSupported = "not supported"
)

// Machine is a dedicated server.
type Machine struct {
	Number int64
	Name   string
	// Product is as in "AX41-NVMe", DC as in "FSN1-DC16".
	Product, DC string
	// IPv4 is the main address, IPv6Net the main network as in "2a01:4f8:111:4221::"; "" for none.
	IPv4, IPv6Net string
	// Status is "ready" or "in process".
	Status    string
	Cancelled bool
	// Operating is Running, ShutOff or NotSupported.
	Operating string
	// NoReset is a server without reset options: its reset state can't be read.
	NoReset bool
}

// Add adds a dedicated server, or replaces the one with the same number. With number 0 it gets the
// next one. It returns the number.
func (s *Server) Add(m Machine) int64 {
	s.change(func() { m = s.put(m) })
	return m.Number
}

// Seed adds n dedicated servers named metal-0, metal-1, ... and returns them. Each edit may change a
// server before it is added.
func (s *Server) Seed(n int, edit ...func(*Machine)) []Machine {
	seeded := make([]Machine, 0, n)
	s.change(func() {
		for range n {
			i := int(s.next - firstNumber)
			m := Machine{
				Number: s.next, Name: fmt.Sprintf("metal-%d", i),
				IPv4: fmt.Sprintf("192.0.2.%d", i%250+1), IPv6Net: fmt.Sprintf("2001:db8:3:%x::", i),
			}
			for _, f := range edit {
				f(&m)
			}
			seeded = append(seeded, s.put(m))
		}
	})
	return seeded
}

func (s *Server) put(m Machine) Machine {
	m.Number = cmp.Or(m.Number, s.next)
	m.Product, m.DC = cmp.Or(m.Product, "AX41-NVMe"), cmp.Or(m.DC, "FSN1-DC16")
	m.Status, m.Operating = cmp.Or(m.Status, "ready"), cmp.Or(m.Operating, Running)
	s.next = max(s.next, m.Number+1)
	if at := s.index(m.Number); at >= 0 {
		s.machines[at] = m
	} else {
		s.machines = append(s.machines, m)
	}
	return m
}

func (s *Server) index(number int64) int {
	return slices.IndexFunc(s.machines, func(m Machine) bool { return m.Number == number })
}

// Edit changes a dedicated server. One that does not exist is an error.
func (s *Server) Edit(number int64, edit func(*Machine)) (err error) {
	s.change(func() {
		at := s.index(number)
		if at < 0 {
			err = fmt.Errorf("there is no dedicated server %d", number)
			return
		}
		edit(&s.machines[at])
	})
	return err
}

// Remove takes dedicated servers away. One that does not exist is an error.
func (s *Server) Remove(numbers ...int64) (err error) {
	s.change(func() {
		for _, number := range numbers {
			at := s.index(number)
			if at < 0 {
				err = fmt.Errorf("there is no dedicated server %d", number)
				return
			}
			s.machines = slices.Delete(s.machines, at, at+1)
		}
	})
	return err
}

// Machines returns all dedicated servers.
func (s *Server) Machines() []Machine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.machines)
}

// Owns says whether an address is that of a dedicated server.
func (s *Server) Owns(ip string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.machines, func(m Machine) bool {
		network, err := netip.ParsePrefix(m.IPv6Net + "/64")
		return m.IPv4 == address.String() || (err == nil && network.Contains(address))
	})
}

// summary is a server in the list.
type summary struct {
	ServerIP  *string  `json:"server_ip"`
	IPv6Net   *string  `json:"server_ipv6_net"`
	Number    int64    `json:"server_number"`
	Name      string   `json:"server_name"`
	Product   string   `json:"product"`
	DC        string   `json:"dc"`
	Traffic   string   `json:"traffic"`
	Status    string   `json:"status"`
	Cancelled bool     `json:"cancelled"`
	PaidUntil string   `json:"paid_until"`
	IP        []string `json:"ip"`
	Subnet    []subnet `json:"subnet"`
}

type subnet struct {
	IP   string `json:"ip"`
	Mask string `json:"mask"`
}

// details is a server that is asked for alone.
type details struct {
	summary

	Reset      bool   `json:"reset"`
	Rescue     bool   `json:"rescue"`
	VNC        bool   `json:"vnc"`
	Windows    bool   `json:"windows"`
	Plesk      bool   `json:"plesk"`
	CPanel     bool   `json:"cpanel"`
	WoL        bool   `json:"wol"`
	HotSwap    bool   `json:"hot_swap"`
	Storagebox *int64 `json:"linked_storagebox"`
}

type resetState struct {
	ServerIP  *string  `json:"server_ip"`
	IPv6Net   *string  `json:"server_ipv6_net"`
	Number    int64    `json:"server_number"`
	Type      []string `json:"type"`
	Operating string   `json:"operating_status"`
}

// given is a field that is null without a value.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (m *Machine) summary() summary {
	out := summary{
		ServerIP: given(m.IPv4), IPv6Net: given(m.IPv6Net), Number: m.Number, Name: m.Name, Product: m.Product, DC: m.DC,
		Traffic: "unlimited", Status: m.Status, Cancelled: m.Cancelled, PaidUntil: "2030-01-01",
	}
	if m.IPv4 != "" {
		out.IP = []string{m.IPv4}
	}
	if m.IPv6Net != "" {
		out.Subnet = []subnet{{IP: m.IPv6Net, Mask: "64"}}
	}
	return out
}

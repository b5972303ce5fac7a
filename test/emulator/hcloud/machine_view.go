package hcloud

import (
	"cmp"
	"fmt"
	"maps"
	"time"
)

type machineView struct {
	ID              int64             `json:"id"`
	Name            string            `json:"name"`
	Status          string            `json:"status"`
	Created         time.Time         `json:"created"`
	PublicNet       machinePublicNet  `json:"public_net"`
	PrivateNet      []machinePrivate  `json:"private_net"`
	ServerType      *machineType      `json:"server_type"`
	IncludedTraffic int64             `json:"included_traffic"`
	OutgoingTraffic *int64            `json:"outgoing_traffic"`
	IngoingTraffic  *int64            `json:"ingoing_traffic"`
	BackupWindow    *string           `json:"backup_window"`
	RescueEnabled   bool              `json:"rescue_enabled"`
	ISO             null              `json:"iso"`
	Locked          bool              `json:"locked"`
	Location        *location         `json:"location"`
	Image           null              `json:"image"`
	Protection      machineProtection `json:"protection"`
	Labels          map[string]string `json:"labels"`
	Volumes         []int64           `json:"volumes"`
	PrimaryDiskSize int               `json:"primary_disk_size"`
	PlacementGroup  null              `json:"placement_group"`
	LoadBalancers   []int64           `json:"load_balancers"`
}

type machineProtection struct {
	Delete  bool `json:"delete"`
	Rebuild bool `json:"rebuild"`
}

type machinePublicNet struct {
	IPv4        *machineIPv4      `json:"ipv4"`
	IPv6        *machineIPv6      `json:"ipv6"`
	FloatingIPs []int64           `json:"floating_ips"`
	Firewalls   []machineFirewall `json:"firewalls"`
}

type machineIPv4 struct {
	ID      int64  `json:"id"`
	IP      string `json:"ip"`
	Blocked bool   `json:"blocked"`
	DNSPtr  string `json:"dns_ptr"`
}

type machineIPv6 struct {
	ID      int64           `json:"id"`
	IP      string          `json:"ip"`
	Blocked bool            `json:"blocked"`
	DNSPtr  []machineDNSPtr `json:"dns_ptr"`
}

type machineDNSPtr struct {
	IP     string `json:"ip"`
	DNSPtr string `json:"dns_ptr"`
}

type machineFirewall struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

type machinePrivate struct {
	Network    int64    `json:"network"`
	IP         string   `json:"ip"`
	AliasIPs   []string `json:"alias_ips"`
	MACAddress string   `json:"mac_address"`
}

// machineType is a server type as servers embed it.
type machineType struct {
	ID              int64             `json:"id"`
	Name            string            `json:"name"`
	Description     string            `json:"description"`
	Category        string            `json:"category"`
	Cores           int               `json:"cores"`
	Memory          float64           `json:"memory"`
	Disk            int               `json:"disk"`
	StorageType     string            `json:"storage_type"`
	CPUType         string            `json:"cpu_type"`
	Architecture    string            `json:"architecture"`
	IncludedTraffic int64             `json:"included_traffic"`
	Prices          []price           `json:"prices"`
	Deprecated      bool              `json:"deprecated"`
	Deprecation     *deprecation      `json:"deprecation"`
	Locations       []machineTypeSite `json:"locations"`
}

type machineTypeSite struct {
	ID          int64        `json:"id"`
	Name        string       `json:"name"`
	Recommended bool         `json:"recommended"`
	Available   bool         `json:"available"`
	Deprecation *deprecation `json:"deprecation"`
}

// machineTypes are a few server types; any other name is answered with the size of the first.
var machineTypes = []machineType{
	{ID: 104, Name: "cx22", Category: "Shared vCPU", Cores: 2, Memory: 4, Disk: 40, CPUType: "shared", Architecture: "x86"},
	{ID: 105, Name: "cx32", Category: "Shared vCPU", Cores: 4, Memory: 8, Disk: 80, CPUType: "shared", Architecture: "x86"},
	{ID: 45, Name: "cax11", Category: "Shared vCPU", Cores: 2, Memory: 4, Disk: 40, CPUType: "shared", Architecture: "arm"},
	{ID: 96, Name: "ccx13", Category: "Dedicated vCPU", Cores: 2, Memory: 8, Disk: 80, CPUType: "dedicated", Architecture: "x86"},
}

func machineTypeNamed(name string) *machineType {
	out := machineTypes[0]
	for i := range machineTypes {
		if machineTypes[i].Name == name {
			out = machineTypes[i]
		}
	}
	out.Name, out.Description, out.StorageType, out.Prices = name, name, "local", prices
	for _, l := range locations.all {
		out.Locations = append(out.Locations, machineTypeSite{ID: l.ID, Name: l.Name, Available: true})
	}
	return &out
}

// machineView is the machine as the API shows it.
func (p *Project) machineView(m *Machine) machineView {
	kind := machineTypeNamed(m.Type)
	out := machineView{
		ID: m.ID, Name: m.Name, Status: m.Status, Created: m.Created, PrivateNet: []machinePrivate{}, ServerType: kind,
		IncludedTraffic: 21_990_232_555_520, Location: locationNamed(m.Location), Labels: map[string]string{},
		Volumes: []int64{}, PrimaryDiskSize: kind.Disk, LoadBalancers: []int64{},
		PublicNet: machinePublicNet{FloatingIPs: []int64{}, Firewalls: []machineFirewall{}},
	}
	maps.Copy(out.Labels, m.Labels)
	if m.IPv4 != "" {
		out.PublicNet.IPv4 = &machineIPv4{ID: 2 * m.ID, IP: m.IPv4, DNSPtr: "static." + m.IPv4 + ".clients.example.com"}
	}
	if m.IPv6 != "" {
		out.PublicNet.IPv6 = &machineIPv6{ID: 2*m.ID + 1, IP: m.IPv6, DNSPtr: []machineDNSPtr{}}
	}
	for _, b := range p.balancers.all {
		if targeted(b, m) {
			out.LoadBalancers = append(out.LoadBalancers, b.ID)
		}
	}
	for i, a := range m.Private {
		out.PrivateNet = append(out.PrivateNet, machinePrivate{
			Network: a.Network, IP: a.IP, AliasIPs: append([]string{}, a.AliasIPs...),
			MACAddress: fmt.Sprintf("86:00:%02x:%02x:%02x:%02x", m.ID>>16&255, m.ID>>8&255, m.ID&255, i),
		})
	}
	return out
}

// withDefaults fills what a seed leaves out.
func (m Machine) withDefaults(p *Project) Machine {
	m.Status = cmp.Or(m.Status, MachineRunning)
	m.Type = cmp.Or(m.Type, machineTypes[0].Name)
	m.Location = cmp.Or(m.Location, p.server.options.Location)
	if m.Created.IsZero() {
		m.Created = p.server.now()
	}
	return m
}

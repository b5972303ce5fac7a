package main

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

const hetznerLocation = "fsn1"

// hetzner is the emulator of Hetzner's cloud API.
type hetzner struct {
	server *hcloud.Server
	list   []machine
	ids    map[string]int64 // by name
}

func newHetzner() (*hetzner, error) {
	server, err := hcloud.Start(hcloud.Options{Token: emulatorToken, Location: hetznerLocation})
	if err != nil {
		return nil, err
	}
	server.AddNetwork(hcloud.Network{Name: "cluster"})
	h := &hetzner{server: server, ids: map[string]int64{}}
	for _, name := range nodeNames {
		m := server.SeedMachines(1, func(m *hcloud.Machine) { m.Name = name })[0]
		h.ids[name] = m.ID
		h.list = append(h.list, machine{
			name: name, providerID: fmt.Sprintf("hcloud://%d", m.ID), region: hetznerLocation, zone: "fsn1-dc14", addresses: []string{m.IPv4, m.Private[0].IP},
		})
	}
	return h, nil
}

func (h *hetzner) provider() string { return "hcloud" }

func (h *hetzner) title() string { return "an emulator of Hetzner's cloud API" }

func (h *hetzner) env() []string {
	return []string{
		"HCLOUD_TOKEN=" + emulatorToken, "HCLOUD_ENDPOINT=" + h.server.Endpoint(), "HCLOUD_NETWORK=cluster",
		"HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK=true", "HCLOUD_LOAD_BALANCERS_LOCATION=" + hetznerLocation,
	}
}

func (h *hetzner) args() []string { return nil }

func (h *hetzner) machines() []machine { return h.list }

func (h *hetzner) stop(name string) error { return h.server.PowerOff(h.ids[name]) }

func (h *hetzner) remove(name string) error { return h.server.DeleteMachines(h.ids[name]) }

func (h *hetzner) hasAPI() bool { return true }

func (h *hetzner) hasBalancers() bool { return true }

func (h *hetzner) carriesTraffic() bool { return false }

func (h *hetzner) door(string, int) string { return "" }

func (h *hetzner) close() { h.server.Close() }

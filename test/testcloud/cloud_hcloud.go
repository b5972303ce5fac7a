package testcloud

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func init() {
	register("hcloud", Maker{Missing: nothing, Open: openHetzner, Facts: (*Hetzner)(nil).Facts})
}

// Hetzner is the emulator of Hetzner's cloud API and of Robot, with a network.
type Hetzner struct{ *hcloud.Server }

const (
	hetznerToken    = "hcloud-token-that-must-stay-secret"
	hetznerNetwork  = "cluster"
	hetznerLocation = "fsn1"
)

func openHetzner(_ context.Context, o Options) (Cloud, error) {
	server, err := hcloud.Start(hcloud.Options{Token: hetznerToken, Location: hetznerLocation, Latency: o.Latency, Delay: o.Activation})
	if err != nil {
		return nil, err
	}
	h := &Hetzner{server}
	h.AddNetwork(hcloud.Network{Name: hetznerNetwork})
	return h, nil
}

// Title implements Cloud.
func (h *Hetzner) Title() string { return "an emulator of Hetzner's cloud API" }

// Facts implements Cloud.
func (h *Hetzner) Facts() Facts {
	return Facts{
		Provider: "hcloud", List: "GET /v1/servers", Page: 50, Create: []string{"POST /v1/load_balancers"},
		Machines: "/v1/servers", Machine: "/v1/servers/*", All: "/v1/**", AtOnce: 6, MostTargets: 25, Quota: rate.Quota{Hour: hcloud.PublishedQuota},
		Lacks: map[Ability]string{
			Twins: "names of servers are unique in a project", RefusedStart: "only the API says which network HCLOUD_NETWORK names",
		},
	}
}

// Env implements Cloud.
func (h *Hetzner) Env() map[string]string {
	return map[string]string{
		"HCLOUD_TOKEN": hetznerToken, "HCLOUD_ENDPOINT": h.Endpoint(), "HCLOUD_NETWORK": hetznerNetwork,
		"HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK": "true", "HCLOUD_LOAD_BALANCERS_LOCATION": hetznerLocation, "ROBOT_BASE_URL": h.Robot.URL(),
	}
}

// Args implements Cloud.
func (h *Hetzner) Args() []string { return nil }

// Secret implements Cloud.
func (h *Hetzner) Secret() string { return hetznerToken }

// Clear implements Cloud.
func (h *Hetzner) Clear(context.Context) error {
	h.Reset()
	h.SetLatency(0)
	h.SetDelay(0) // else the targets of a load balancer come one after the other, each in that time
	h.SetQuota(rate.Quota{})
	h.SetToken(hetznerToken, "default")
	h.AddNetwork(hcloud.Network{Name: hetznerNetwork})
	return nil
}

// Close implements Cloud.
func (h *Hetzner) Close() error {
	h.Server.Close()
	return nil
}

// Seed implements Machines.
func (h *Hetzner) Seed(_ context.Context, n int, like Machine) ([]Machine, error) {
	var all []Machine
	for _, m := range h.SeedMachines(n, func(m *hcloud.Machine) {
		if like.Name != "" {
			m.Name = like.Name
		}
		if like.Internal != "" || like.External != "" {
			m.IPv4 = like.External
			m.Private = slices.Clone(m.Private)
			if m.Private[0].IP = like.Internal; like.Internal == "" {
				m.Private = nil
			}
		}
	}) {
		id := strconv.FormatInt(m.ID, 10)
		one := Machine{ID: id, Name: m.Name, ProviderID: "hcloud://" + id, Region: hetznerLocation, Zone: "fsn1-dc14", External: m.IPv4}
		if len(m.Private) > 0 {
			one.Internal = m.Private[0].IP
		}
		all = append(all, one)
	}
	return all, nil
}

func hetznerServer(m Machine) int64 {
	id, _ := strconv.ParseInt(m.ID, 10, 64) // the emulator refuses 0
	return id
}

// Stop implements Machines.
func (h *Hetzner) Stop(_ context.Context, m Machine) error { return h.PowerOff(hetznerServer(m)) }

// Start implements Machines.
func (h *Hetzner) Start(_ context.Context, m Machine) error { return h.PowerOn(hetznerServer(m)) }

// Remove implements Machines.
func (h *Hetzner) Remove(_ context.Context, all ...Machine) error {
	var ids []int64
	for _, m := range all {
		ids = append(ids, hetznerServer(m))
	}
	return h.DeleteMachines(ids...)
}

// Rename implements Machines.
func (h *Hetzner) Rename(_ context.Context, m Machine, name string) error {
	return h.EditMachine(hetznerServer(m), func(m *hcloud.Machine) { m.Name = name })
}

// Balancers implements Cloud.
func (h *Hetzner) Balancers(context.Context) ([]Balancer, error) {
	var all []Balancer
	state := h.State()
	for i := range state.Balancers {
		b := &state.Balancers[i]
		one := Balancer{ID: strconv.FormatInt(b.ID, 10), Name: b.Name, UID: b.Labels["hcloud-ccm/service-uid"], Active: len(state.Running) == 0}
		if b.PublicNet.Enabled {
			one.Addresses = []string{b.PublicNet.IPv4.IP}
		}
		for _, s := range b.Services {
			one.Listeners = append(one.Listeners, fmt.Sprintf("%s/%d", s.Protocol, s.ListenPort))
		}
		for _, t := range b.Targets {
			if t.Server != nil {
				one.Targets = append(one.Targets, strconv.FormatInt(t.Server.ID, 10))
			}
		}
		slices.Sort(one.Listeners)
		slices.Sort(one.Targets)
		all = append(all, one)
	}
	return all, nil
}

package main

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	simstate "github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
)

// sim is the simulated cloud. Its machines have loopback addresses, so its balancers can
// carry traffic to this process.
type sim struct {
	world  *world.World
	server *world.Server
	list   []machine
	ids    map[string]string // by name
}

// kubeProxyPort is where kube-proxy says that it is healthy.
const kubeProxyPort = 10256

func newSim() (*sim, error) {
	w := world.New(world.Options{Forward: true, Settings: simstate.Settings{
		Latency:       simstate.Duration(30 * time.Millisecond),
		ActivateAfter: simstate.Duration(time.Second),
	}})
	s := &sim{world: w, ids: map[string]string{}}
	private := loopbackAddresses(len(nodeNames))
	for i, name := range nodeNames {
		m, err := w.AddMachine(api.Machine{Name: name, Zone: w.Zones()[i], Addresses: []api.Address{
			{Kind: api.AddressPrivate, IP: private[i]},
			{Kind: api.AddressPublic, IP: fmt.Sprintf("198.18.0.%d", i+1)},
		}})
		if err != nil {
			return nil, fmt.Errorf("adding machine %s: %w", name, err)
		}
		s.ids[name] = m.ID
		s.list = append(s.list, machine{
			name: name, providerID: "sim://" + m.Zone + "/" + m.ID, region: m.Region, zone: m.Zone,
			addresses: []string{m.Addresses[0].IP, m.Addresses[1].IP},
		})
	}
	var err error
	s.server, err = w.Start("127.0.0.1:0")
	return s, err
}

// loopbackAddresses returns n addresses of a block of 127/8 that nobody uses yet. Where
// only 127.0.0.1 is configured, as on macOS, all are the same.
func loopbackAddresses(n int) []string {
	for block := range 250 {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("127.78.%d.%d", block, i+1))
		}
		if !slices.ContainsFunc(list, occupied) {
			return list
		}
	}
	return slices.Repeat([]string{"127.0.0.1"}, n)
}

func occupied(address string) bool {
	listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", address, kubeProxyPort))
	if err != nil {
		return true
	}
	_ = listener.Close()
	return false
}

func (s *sim) provider() string { return "sim" }

func (s *sim) title() string { return "the simulated cloud" }

func (s *sim) env() []string { return []string{"SIM_ENDPOINT=" + s.server.URL} }

func (s *sim) args() []string { return nil }

func (s *sim) machines() []machine { return s.list }

func (s *sim) stop(name string) error { return s.world.StopMachine(s.ids[name]) }

func (s *sim) remove(name string) error { return s.world.RemoveMachine(s.ids[name]) }

func (s *sim) hasAPI() bool { return true }

func (s *sim) hasBalancers() bool { return true }

func (s *sim) carriesTraffic() bool { return true }

func (s *sim) door(address string, port int) string {
	for _, b := range s.world.Balancers() {
		if slices.Contains(b.Addresses, address) {
			return b.Doors[fmt.Sprintf("tcp/%d", port)]
		}
	}
	return ""
}

func (s *sim) close() { _ = s.server.Close() }

package hcloud_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// servers are the ids of the targets.
func (l *lab) servers() (ids []int64) {
	l.Helper()
	for _, t := range l.balancer().Targets {
		ids = append(ids, t.Server.ID)
	}
	slices.Sort(ids)
	return ids
}

func (l *lab) skipped(name, why string) {
	l.Helper()
	for _, said := range l.events {
		if strings.HasPrefix(said, "TargetSkipped: ") && strings.Contains(said, name+": ") && strings.Contains(said, why) {
			return
		}
	}
	l.Errorf("events %q, want TargetSkipped of %s: %s", l.events, name, why)
}

// TestServerWithoutIPv4: one that cannot be a target prevents no load balancer and no other server, and is not asked for.
func TestServerWithoutIPv4(t *testing.T) {
	l := newLab(t, 3, nil)
	machines := l.server.State().Machines
	without := func(m *emulator.Machine) { m.IPv4 = "" }
	if err := l.server.EditMachine(machines[1].ID, without); err != nil {
		t.Fatal(err)
	}
	if got := writes(l.ensure()); !slices.Equal(got, []string{"POST /load_balancers"}) {
		t.Errorf("requests %q", got)
	}
	l.skipped(l.nodes[1].Name, "it has no public IPv4 address")
	if got, want := l.servers(), []int64{machines[0].ID, machines[2].ID}; !slices.Equal(got, want) {
		t.Errorf("targets %v, want %v", got, want)
	}
	later := l.server.SeedMachines(2, without, func(*emulator.Machine) {})
	l.nodes = append(l.nodes, node(later[0]), node(later[1]))
	if got := writes(l.ensure()); len(got) != len(l.servers())-2 {
		t.Errorf("requests %q", got)
	}
	if got := writes(l.ensure()); len(got) != 0 {
		t.Errorf("requests %q", got)
	}
}

// TestRefusedServer: the API refuses what it was not known to refuse. The others get in, whether the answer names the server
// or not, which is a guess.
func TestRefusedServer(t *testing.T) {
	l := newLab(t, 4, nil)
	machines := l.server.State().Machines
	nodes := l.nodes
	l.nodes = nodes[3:]
	l.ensure() // the machines are known now
	l.leave()
	l.svc = service("web", uid)
	if err := l.server.EditMachine(machines[1].ID, func(m *emulator.Machine) { m.IPv4 = "" }); err != nil {
		t.Fatal(err)
	}
	l.nodes = nodes[:3]
	first := writes(l.ensure())
	l.skipped(l.nodes[1].Name, "has no public IPv4")
	if got, want := l.servers(), []int64{machines[0].ID, machines[2].ID}; !slices.Equal(got, want) || len(first) != 2 {
		t.Errorf("targets %v, want %v, after %q", got, want, first)
	}
	l.nodes = nodes
	if got := writes(l.ensure()); len(got) != 1 || len(l.servers()) != 3 {
		t.Errorf("requests %q, targets %v", got, l.servers())
	}
}

// TestVagueRefusal: a creation is refused for a reason that may be a target, or one of the targets, and is not named.
func TestVagueRefusal(t *testing.T) {
	for code, want := range map[string]int{"missing_ipv4": 2, "server_not_attached_to_network": 2, "unknown_to_all": 2} {
		l := newLab(t, 4, nil)
		l.server.AddFault(fault.Fault{
			Method: http.MethodPost, Path: "/v1/load_balancers", Times: 1,
			Status: http.StatusUnprocessableEntity, Body: `{"error":{"code":"` + code + `","message":"no"}}`, Header: map[string]string{"Content-Type": "application/json"},
		})
		creations := 0
		for range 4 {
			for _, r := range writes(l.ensure()) {
				if r == "POST /load_balancers" {
					creations++
				}
			}
		}
		if creations != want || len(l.servers()) != 4 {
			t.Errorf("%s: %d creations, targets %v", code, creations, l.servers())
		}
	}
}

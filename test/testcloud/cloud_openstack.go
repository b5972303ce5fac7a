package testcloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
)

func init() {
	register("openstack", Maker{Missing: openstack.Missing, Open: openStackCloud, Facts: (*stack)(nil).Facts})
}

// stack is a project in the real OpenStack on this machine, behind a relay.
type stack struct {
	*relay.Relay

	lab     *openstack.Lab
	project *openstack.Project
	dir     string // holds the cloud.conf
	number  int
}

// fewServers is how many are booted one by one; more are copies of their rows.
const fewServers = 6

func openStackCloud(ctx context.Context, o Options) (Cloud, error) {
	lab, err := openstack.Start(ctx, o.Progress)
	if err != nil {
		return nil, err
	}
	s := &stack{lab: lab}
	if s.Relay, err = relay.Open("127.0.0.1", "127.0.0.1"); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "testcloud-openstack-"); err == nil {
		err = s.renew(ctx)
	}
	s.SetLatency(o.Latency)
	return s, err
}

// renew makes a project in the place of the last one, and writes the cloud.conf.
func (s *stack) renew(ctx context.Context) (err error) {
	if s.project != nil {
		err = s.project.Close() //nolint:contextcheck // cleaning up goes on after ctx's end
	}
	project, made := s.lab.OpenProject(ctx, openstack.ProjectOptions{})
	s.project = project
	if err = errors.Join(err, made); err != nil {
		return err
	}
	if err := os.WriteFile(s.file(), []byte(project.CloudConf(s.AuthURL())), 0o600); err != nil {
		return fmt.Errorf("writing the cloud.conf: %w", err)
	}
	return nil
}

func (s *stack) file() string { return filepath.Join(s.dir, "cloud.conf") }

func (s *stack) Title() string { return "a real OpenStack without a hypervisor" }

func (s *stack) Facts() Facts {
	const servers = "/compute/v2.1/servers"
	return Facts{
		Provider: "openstack", List: "GET " + servers + "/detail", Page: 1000, Trailing: true, Alike: 1,
		Create:   []string{"POST /load-balancer/v2.0/lbaas/loadbalancers"},
		Login:    "POST /identity/v3/auth/tokens",
		Machines: servers + "/detail", Machine: servers + "/*", All: "/compute/**", AtOnce: 2, Most: 1000, MostBehind: 100,
		// Octavia takes seconds for a deletion. Each look at it reads load balancers, floating IPs and security groups.
		DeletionReads: 25,
		Lacks: map[Ability]string{
			RefusedStart: "only a token names the endpoints of OpenStack's services",
			Activation:   "Octavia takes the time that it takes", SecondPage: "its pages begin after an id and have no number",
			Many: "each test would wait for minutes", Prompt: "each change of Octavia's takes seconds",
		},
	}
}

func (s *stack) Env() map[string]string { return nil }

func (s *stack) Args() []string { return []string{"--cloud-config=" + s.file()} }

func (s *stack) Secret() string { return openstack.Password }

func (s *stack) Clear(ctx context.Context) error {
	s.Reset()
	s.SetLatency(0)
	s.SetQuota(rate.Quota{})
	return s.renew(ctx)
}

// Close deletes the project. OpenStack goes on running: others may use it.
func (s *stack) Close() error {
	var err error
	if s.project != nil {
		err = s.project.Close()
	}
	s.Relay.Close()
	return errors.Join(err, os.RemoveAll(s.dir))
}

func (s *stack) Seed(ctx context.Context, n int, like Machine) ([]Machine, error) {
	var made []openstack.Server
	if n <= fewServers {
		for range n {
			name := like.Name
			if name == "" {
				name = fmt.Sprintf("node-%d", s.number)
			}
			zone := openstack.Zones[s.number%len(openstack.Zones)]
			s.number++
			server, err := s.project.BootServer(ctx, openstack.ServerOptions{Name: name, Zone: zone, Address: like.Internal})
			if err != nil {
				return nil, err
			}
			made = append(made, server)
		}
	} else {
		var err error
		if made, err = s.project.MakeFleet(ctx, n, fmt.Sprintf("node-%d-", s.number)); err != nil {
			return nil, err
		}
		s.number++
	}
	known, err := s.project.Servers(ctx)
	if err != nil {
		return nil, err
	}
	var all []Machine
	for _, server := range made {
		one := known[server.ID]
		all = append(all, Machine{
			ID: server.ID, Name: server.Name, ProviderID: "openstack:///" + server.ID, Region: openstack.Region,
			Zone: one.Zone, Internal: one.Address,
		})
	}
	return all, nil
}

func (s *stack) Stop(ctx context.Context, m Machine) error { return s.project.StopServer(ctx, m.ID) }

func (s *stack) Start(ctx context.Context, m Machine) error { return s.project.StartServer(ctx, m.ID) }

func (s *stack) Remove(ctx context.Context, all ...Machine) error {
	for _, m := range all {
		if err := s.project.DeleteServer(ctx, m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *stack) Rename(ctx context.Context, m Machine, name string) error {
	return s.project.RenameServer(ctx, m.ID, name)
}

func (s *stack) Balancers(ctx context.Context) ([]Balancer, error) {
	found, err := s.project.Balancers(ctx)
	if err != nil {
		return nil, err
	}
	servers, err := s.project.Servers(ctx)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for id, server := range servers {
		at[server.Address] = id
	}
	var all []Balancer
	for _, b := range found {
		one := Balancer{ID: b.ID, Name: b.Name, Active: b.Status == "ACTIVE", Addresses: b.Addresses}
		for _, listener := range b.Listeners {
			one.Listeners = append(one.Listeners, strings.ToLower(listener))
		}
		for _, address := range b.Members {
			one.Targets = append(one.Targets, at[address])
		}
		slices.Sort(one.Listeners)
		slices.Sort(one.Targets)
		one.Targets = slices.Compact(one.Targets)
		all = append(all, one)
	}
	return all, nil
}

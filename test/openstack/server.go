package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

// ServerOptions change what a new server is.
type ServerOptions struct {
	Name string
	// Zone is one of Zones; nova chooses when it is empty.
	Zone string
	// Address is the IPv4 address; Neutron chooses when it is empty.
	Address string
	// Metadata of the server.
	Metadata map[string]string
	// Flavor is "1" (m1.tiny), "2" or "3"; "1" when empty.
	Flavor string
}

// Server is a server with one port in the project's network.
type Server struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	PortID string `json:"-"`
	// Address is the IPv4 address; Zone is only known to Servers.
	Address string `json:"-"`
	Zone    string `json:"-"`
}

// Boot makes a server with a port of its own and waits until it is ACTIVE: about a second.
func (p *Project) Boot(t testing.TB, o ServerOptions) Server {
	t.Helper()
	s, err := p.BootServer(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BootServer is Boot for programs that are no tests.
func (p *Project) BootServer(ctx context.Context, o ServerOptions) (Server, error) {
	images, err := list(ctx, p.Image, "images", "images", url.Values{"name": {"tiny"}})
	if err != nil || len(images) != 1 {
		return Server{}, fmt.Errorf("looking for the image: found %d: %w", len(images), err)
	}
	nic := object{"network_id": p.NetworkID, "name": o.Name}
	if o.Address != "" {
		nic["fixed_ips"] = []object{{"subnet_id": p.SubnetID, "ip_address": o.Address}}
	}
	port, err := post(ctx, p.Network, "ports", "port", nic)
	if err != nil {
		return Server{}, err
	}
	if o.Flavor == "" {
		o.Flavor = "1"
	}
	body := object{
		"name": o.Name, "imageRef": text(images[0], "id"), "flavorRef": o.Flavor,
		"networks": []object{{"port": text(port, "id")}}, "metadata": o.Metadata,
	}
	if o.Metadata == nil {
		delete(body, "metadata")
	}
	if o.Zone != "" {
		body["availability_zone"] = o.Zone
	}
	server, err := post(ctx, p.Compute, "servers", "server", body)
	if err != nil {
		return Server{}, err
	}
	s := Server{ID: text(server, "id"), Name: o.Name, PortID: text(port, "id"), Address: ipv4(port)}
	return s, until(ctx, "the server "+o.Name, func() (bool, error) {
		var answer map[string]object
		_, err := p.Compute.Get(ctx, p.Compute.ServiceURL("servers", s.ID), &answer, nil)
		status := text(answer["server"], "status")
		if err == nil && status == "ERROR" {
			err = fmt.Errorf("the server %s is in ERROR: %v", o.Name, answer["server"]["fault"])
		}
		return status == "ACTIVE", err
	})
}

// StopServer switches a server off, and returns before it is.
func (p *Project) StopServer(ctx context.Context, id string) error {
	_, err := p.Compute.Post(ctx, p.Compute.ServiceURL("servers", id, "action"), object{"os-stop": nil}, nil,
		&gophercloud.RequestOpts{OkCodes: []int{202}})
	if err != nil {
		return fmt.Errorf("stopping the server %s: %w", id, err)
	}
	return nil
}

// StartServer switches a server on again, and returns before it is.
func (p *Project) StartServer(ctx context.Context, id string) error {
	_, err := p.Compute.Post(ctx, p.Compute.ServiceURL("servers", id, "action"), object{"os-start": nil}, nil,
		&gophercloud.RequestOpts{OkCodes: []int{202}})
	if err != nil {
		return fmt.Errorf("starting the server %s: %w", id, err)
	}
	return nil
}

// RenameServer gives a server another name.
func (p *Project) RenameServer(ctx context.Context, id, name string) error {
	return put(ctx, p.Compute, "servers/"+id, object{"server": object{"name": name}})
}

// DeleteServer deletes a server, and returns before it is gone.
func (p *Project) DeleteServer(ctx context.Context, id string) error {
	return remove(ctx, p.Compute, "servers/"+id)
}

// ipv4 is the IPv4 address of a port, "" when it has none.
func ipv4(port object) string {
	ips, _ := port["fixed_ips"].([]any)
	for _, ip := range ips {
		if o, ok := ip.(object); ok {
			if address, err := netip.ParseAddr(text(o, "ip_address")); err == nil && address.Is4() {
				return address.String()
			}
		}
	}
	return ""
}

// Fleet makes n servers named prefix and a number of five digits, from 00000, over all zones.
// One per zone is booted, the rest are copies of their database rows: 500 in a second. A copy
// can be listed, stopped, started and deleted like any other; only its id and name are told.
func (p *Project) Fleet(t testing.TB, n int, prefix string) []Server {
	t.Helper()
	fleet, err := p.MakeFleet(t.Context(), n, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return fleet
}

// MakeFleet is Fleet for programs that are no tests.
func (p *Project) MakeFleet(ctx context.Context, n int, prefix string) ([]Server, error) {
	var fleet []Server
	args := []string{"", prefix}
	for i := range min(n, len(Zones)) {
		s, err := p.BootServer(ctx, ServerOptions{Name: fmt.Sprintf("%s%05d", prefix, i), Zone: Zones[i]})
		if err != nil {
			return nil, err
		}
		fleet, args = append(fleet, s), append(args, s.ID)
	}
	if n <= len(fleet) {
		return fleet, nil
	}
	args[0] = strconv.Itoa(n - len(fleet))
	out, err := p.script(ctx, "clone_servers.py", append([]string{"--first", strconv.Itoa(len(fleet))}, args...)...)
	if err != nil {
		return nil, err
	}
	var clones []Server
	if err := json.Unmarshal(out, &clones); err != nil {
		return nil, fmt.Errorf("reading what clone_servers.py says: %w", err)
	}
	for _, clone := range clones {
		p.clones = append(p.clones, clone.ID)
	}
	return append(fleet, clones...), nil
}

// removeClones deletes rows instead of servers, which takes a third of a second each.
func (p *Project) removeClones(ctx context.Context) error {
	if len(p.clones) == 0 {
		return nil
	}
	_, err := p.script(ctx, "clone_servers.py", append([]string{"--remove"}, p.clones...)...)
	return err
}

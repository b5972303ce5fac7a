package hcloud

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// SetSelf says which server the metadata service speaks for; 0 for none, as off Hetzner's cloud.
func (s *Server) SetSelf(id int64) { s.change(func() { s.self = id }) }

// metadata answers the metadata service, which needs no token and has no quota.
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.projects {
		m, ok := p.machines.byID[s.self]
		if !ok {
			continue
		}
		if text, ok := p.metadataOf(m, r.PathValue("path")); ok {
			wire.Text(w, text)
			return
		}
	}
	http.Error(w, "not found", http.StatusNotFound)
}

func (p *Project) metadataOf(m *Machine, path string) (string, bool) {
	switch path {
	case "hostname":
		return m.Name, true
	case "instance-id":
		return strconv.FormatInt(m.ID, 10), true
	case "public-ipv4":
		return m.IPv4, true
	case "region":
		return locationNamed(m.Location).NetworkZone, true
	case "availability-zone":
		return m.Location + "-dc1", true
	case "private-networks":
		return p.privateNetworks(m), true
	}
	return "", false
}

// privateNetworks is a YAML list of the machine's attachments.
func (p *Project) privateNetworks(m *Machine) string {
	if len(m.Private) == 0 {
		return "[]\n"
	}
	var out strings.Builder
	for i, a := range m.Private {
		n := p.networks.byID[a.Network]
		if n == nil {
			continue
		}
		subnet := Subnet{IPRange: n.IPRange}
		ip, _ := netip.ParseAddr(a.IP) // the zero address is in no subnet
		for _, s := range n.Subnets {
			if netip.MustParsePrefix(s.IPRange).Contains(ip) {
				subnet = s
			}
		}
		fmt.Fprintf(&out, "- ip: %s\n  alias_ips: [%s]\n  interface_num: %d\n  mac_address: %s\n  network_id: %d\n  network_name: %s\n  network: %s\n  subnet: %s\n  gateway: %s\n",
			a.IP, strings.Join(a.AliasIPs, ", "), i+1, p.machineView(m).PrivateNet[i].MACAddress, n.ID, n.Name, n.IPRange, subnet.IPRange, subnet.Gateway)
	}
	return out.String()
}

package gce

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
)

// Seed is what is there before anybody asks: the seed file of the command, and POST /_emulator/seed.
type Seed struct {
	Projects  []SeedProject     `json:"projects,omitempty"`
	Instances []Instance        `json:"instances,omitempty"`
	Grants    []Grant           `json:"grants,omitempty"`
	Tokens    map[string]string `json:"tokens,omitempty"` // access token → account
}

// SeedProject is a project with its limits per metric.
type SeedProject struct {
	ID     string         `json:"id"`
	Quotas map[string]int `json:"quotas,omitempty"`
}

// Grant is a right: methods, such as "instances.*", in a project.
type Grant struct {
	Account string   `json:"account"`
	Project string   `json:"project"`
	Methods []string `json:"methods"`
}

// Instance is a machine to seed. What is left out is chosen.
type Instance struct {
	Project     string            `json:"project,omitempty"`
	Zone        string            `json:"zone,omitempty"`
	Name        string            `json:"name"`
	MachineType string            `json:"machineType,omitempty"` // e2-medium
	Status      string            `json:"status,omitempty"`      // RUNNING
	InternalIP  string            `json:"internalIP,omitempty"`
	ExternalIP  string            `json:"externalIP,omitempty"` // "auto" takes a free one; none when empty
	Tags        []string          `json:"tags,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Forward     bool              `json:"canIpForward,omitempty"`
	PodRange    string            `json:"podRange,omitempty"` // an alias range of the first interface
}

// Load seeds.
func (s *Server) Load(seed Seed) {
	s.change(func() {
		for _, p := range seed.Projects {
			project := s.store.project(p.ID)
			for metric, limit := range p.Quotas {
				project.quotas[metric] = limit
			}
		}
		for _, grant := range seed.Grants {
			s.store.project(grant.Project)
			a := s.addAccount(grant.Account)
			a.rights[grant.Project] = append(a.rights[grant.Project], grant.Methods...)
		}
		for token, email := range seed.Tokens {
			s.tokens[token] = issued{account: s.addAccount(email)}
		}
		s.store.addInstances(seed.Instances)
	})
}

// SeedInstances makes n machines named node-0, node-1, … behind those that are there, and returns
// their names. Edits may change each before it is made.
func (s *Server) SeedInstances(n int, edits ...func(*Instance)) []string {
	var names []string
	s.change(func() {
		var all []Instance
		first := len(s.store.of(s.options.Project, "instances", ""))
		for i := range n {
			machine := Instance{Name: "node-" + strconv.Itoa(first+i)}
			for _, edit := range edits {
				edit(&machine)
			}
			all = append(all, machine)
			names = append(names, machine.Name)
		}
		s.store.addInstances(all)
	})
	return names
}

func (t *store) addInstances(all []Instance) {
	taken := map[string]*pool{}
	for _, machine := range all {
		if machine.Project == "" {
			machine.Project = t.options.Project
		}
		if machine.Zone == "" {
			machine.Zone = t.options.Zone
		}
		project := t.project(machine.Project)
		if taken[project.id] == nil {
			taken[project.id] = t.pool(project.id)
		}
		path := "projects/" + project.id + "/zones/" + machine.Zone + "/instances/" + machine.Name
		subnet := t.byPath["projects/"+project.id+"/regions/"+regionOf("zones/"+machine.Zone)+"/subnetworks/default"]
		if subnet == nil {
			panic(fmt.Sprintf("instance %s: there is no zone %s", machine.Name, machine.Zone)) // a mistake in the seed
		}
		f := t.machine(machine, subnet, taken[project.id])
		r := &resource{kind: instances, path: path, fields: normal(f).(fields)}
		r.uses = []string{t.pathOf(text(subnet.fields, "network"), ""), subnet.path}
		t.put(t.stamp(r, t.newID()))
	}
}

// machine makes the fields of a seeded instance.
func (t *store) machine(m Instance, subnet *resource, taken *pool) fields {
	zone := "projects/" + subnet.project() + "/zones/" + m.Zone
	region := regionOf("zones/" + m.Zone)
	if m.MachineType == "" {
		m.MachineType = "e2-medium"
	}
	if m.Status == "" {
		m.Status = "RUNNING"
	}
	if m.InternalIP == "" {
		m.InternalIP = taken.next(netip.MustParsePrefix(text(subnet.fields, "ipCidrRange")).Addr().Next().Next())
	}
	nic := fields{
		"kind": "compute#networkInterface", "name": "nic0", "network": subnet.fields["network"], "subnetwork": t.link(subnet.path),
		"networkIP": m.InternalIP, "stackType": "IPV4_ONLY",
	}
	if m.ExternalIP == "auto" {
		m.ExternalIP = taken.next(netip.AddrFrom4([4]byte{tierPrefix["PREMIUM"], byte(64 + slices.Index(t.options.Regions, region)), 0, 1}))
	}
	if m.ExternalIP != "" {
		nic["accessConfigs"] = []any{fields{"kind": "compute#accessConfig", "type": "ONE_TO_ONE_NAT", "name": "external-nat", "natIP": m.ExternalIP, "networkTier": "PREMIUM"}}
	}
	if m.PodRange != "" {
		nic["aliasIpRanges"] = []any{fields{"ipCidrRange": m.PodRange}}
	}
	nic["fingerprint"] = hash(nic)
	out := fields{
		"machineType": t.link(zone + "/machineTypes/" + m.MachineType), "status": m.Status, "networkInterfaces": []any{nic}, "canIpForward": m.Forward,
		"tags": fields{"items": anys(m.Tags)}, "cpuPlatform": "Intel Broadwell", "deletionProtection": false, "lastStartTimestamp": t.timestamp(),
		"scheduling": fields{"onHostMaintenance": "MIGRATE", "automaticRestart": true, "preemptible": false},
	}
	if len(m.Labels) > 0 {
		out["labels"] = m.Labels
	}
	return out
}

// pool gives free addresses of a project away, without a look at everything for each.
type pool struct {
	taken  map[string]bool
	beyond map[netip.Addr]netip.Addr // from where the last search ended, by where it began
}

// pool looks at the addresses of projects; those of a shared network are in several.
func (t *store) pool(projects ...string) *pool {
	p := &pool{taken: map[string]bool{}, beyond: map[netip.Addr]netip.Addr{}}
	for _, project := range projects {
		for _, k := range []string{"addresses", "forwardingRules", "instances"} {
			for _, r := range t.of(project, k, "") {
				for _, address := range addressesOf(r) {
					p.taken[address] = true
				}
			}
		}
	}
	return p
}

// next returns the lowest free address from one on.
func (p *pool) next(first netip.Addr) string {
	from, searched := p.beyond[first]
	if !searched {
		from = first
	}
	for p.taken[from.String()] {
		from = from.Next()
	}
	p.taken[from.String()] = true
	p.beyond[first] = from
	return from.String()
}

// furnish makes what every project has: regions, zones, the auto mode network "default" with a
// subnetwork of 65,536 addresses in each region (the vendor's have 4,096), and its default route.
func (t *store) furnish(p *Project) {
	root := "projects/" + p.id
	put := func(k, path string, f fields, uses ...string) {
		t.put(t.stamp(&resource{kind: kinds[k], path: path, fields: normal(f).(fields), uses: uses}, t.newID()))
	}
	t.put(&resource{kind: kinds["projects"], path: root, fields: normal(fields{
		"kind": "compute#project", "id": p.number, "name": p.id, "selfLink": t.link(root), "creationTimestamp": t.timestamp(),
		"defaultServiceAccount": p.number + "-compute@developer.gserviceaccount.com", "xpnProjectStatus": "UNSPECIFIED_XPN_PROJECT_STATUS",
	}).(fields)})
	network := root + "/global/networks/default"
	put("networks", network, fields{"autoCreateSubnetworks": true, "mtu": 1460, "routingConfig": fields{"routingMode": "REGIONAL"}})
	for i, region := range t.options.Regions {
		path := root + "/regions/" + region
		var zones []string
		for _, letter := range []string{"-a", "-b", "-c"} {
			zone := root + "/zones/" + region + letter
			put("zones", zone, fields{"status": "UP", "region": t.link(path)})
			zones = append(zones, t.link(zone))
		}
		put("regions", path, fields{"status": "UP", "zones": zones})
		put("subnetworks", path+"/subnetworks/default", fields{
			"network": t.link(network), "ipCidrRange": fmt.Sprintf("10.%d.0.0/16", 128+i), "gatewayAddress": fmt.Sprintf("10.%d.0.1", 128+i),
			"purpose": "PRIVATE", "stackType": "IPV4_ONLY", "privateIpGoogleAccess": false,
		})
	}
	put("routes", root+"/global/routes/default-route-"+hexOf(p.number), fields{
		"network": t.link(network), "destRange": "0.0.0.0/0", "priority": 1000, "routeType": "STATIC",
		"nextHopGateway": t.link(root + "/global/gateways/default-internet-gateway"), "description": "Default route to the Internet.",
	}, network)
}

func hexOf(number string) string {
	n, _ := strconv.ParseUint(number, 10, 64) // a number of ours
	return strconv.FormatUint(n, 16)
}

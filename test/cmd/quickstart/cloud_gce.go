package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

// googleCloud is the emulator of Google's Compute API. It has no load balancers in this CCM yet.
type googleCloud struct {
	server *gce.Server
	url    string
	dir    string // holds the gce.conf
	list   []machine
}

const (
	googleProject = "quickstart"
	googleRegion  = "us-central1"
)

func newGoogleCloud() (*googleCloud, error) {
	g := &googleCloud{server: gce.New(gce.Options{Project: googleProject, Regions: []string{googleRegion}})}
	var seed gce.Seed
	for i, name := range nodeNames {
		zone := googleRegion + []string{"-a", "-b", "-c"}[i%3]
		m := machine{
			name: name, providerID: "gce://" + googleProject + "/" + zone + "/" + name, region: googleRegion, zone: zone,
			addresses: []string{fmt.Sprintf("10.128.0.%d", i+2), fmt.Sprintf("203.0.113.%d", i+1)},
		}
		g.list = append(g.list, m)
		seed.Instances = append(seed.Instances, gce.Instance{Name: name, Zone: zone, InternalIP: m.addresses[0], ExternalIP: m.addresses[1]})
	}
	g.server.Load(seed)
	err := g.listen()
	if err != nil {
		g.close()
	}
	return g, err
}

// listen serves, and writes the gce.conf that says where.
func (g *googleCloud) listen() (err error) {
	if g.url, err = g.server.Listen("127.0.0.1:0"); err != nil {
		return err
	}
	if g.dir, err = os.MkdirTemp("", "mccm-quickstart-gce-"); err != nil {
		return fmt.Errorf("making a folder for the gce.conf: %w", err)
	}
	if err = os.WriteFile(g.conf(), []byte("[Global]\napi-endpoint = "+g.url+"/compute/v1/\n"), 0o600); err != nil {
		return fmt.Errorf("writing the gce.conf: %w", err)
	}
	return nil
}

func (g *googleCloud) conf() string { return filepath.Join(g.dir, "gce.conf") }

func (g *googleCloud) provider() string { return "gce" }

func (g *googleCloud) title() string { return "an emulator of Google's Compute API" }

// env leads to the emulator's metadata server, which knows the project and has tokens.
func (g *googleCloud) env() []string {
	return []string{"GCE_METADATA_HOST=" + strings.TrimPrefix(g.url, "http://")}
}

func (g *googleCloud) args() []string { return []string{"--cloud-config=" + g.conf()} }

func (g *googleCloud) machines() []machine { return g.list }

func (g *googleCloud) stop(name string) error {
	return g.server.Edit(g.path(name), map[string]any{"status": "TERMINATED"})
}

func (g *googleCloud) remove(name string) error { return g.server.Remove(g.path(name)) }

// path is where a machine is in the emulator.
func (g *googleCloud) path(name string) string {
	for _, m := range g.list {
		if m.name == name {
			return "projects/" + googleProject + "/zones/" + m.zone + "/instances/" + name
		}
	}
	return ""
}

func (g *googleCloud) hasAPI() bool { return true }

func (g *googleCloud) hasBalancers() bool { return false }

func (g *googleCloud) carriesTraffic() bool { return false }

func (g *googleCloud) door(string, int) string { return "" }

func (g *googleCloud) close() {
	g.server.Close()
	if g.dir != "" {
		_ = os.RemoveAll(g.dir)
	}
}

package testcloud

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func init() { register("gce", Maker{Missing: nothing, Open: openGoogle, Facts: (*google)(nil).Facts}) }

// google is the emulator of Google's Compute API.
type google struct {
	*gce.Server

	url, dir string
	number   int
}

const (
	googleProject = "test-project"
	googleAccount = "ccm@test-project.iam.gserviceaccount.com"
	googleRegion  = "us-central1"
)

func openGoogle(_ context.Context, o Options) (Cloud, error) {
	g := &google{Server: gce.New(gce.Options{Project: googleProject, Latency: o.Latency})}
	var err error
	if g.url, err = g.Listen("127.0.0.1:0"); err == nil {
		if g.dir, err = os.MkdirTemp("", "testcloud-gce-"); err == nil {
			err = g.configure()
		}
	}
	return g, err
}

// configure writes gce.conf and the key of an account that may do everything in the project.
func (g *google) configure() error {
	g.Grant(googleAccount, googleProject, "*")
	key, err := g.ServiceAccountKey(googleAccount)
	conf := "[Global]\nproject-id = " + googleProject + "\nmultizone = true\nnode-tags = a\napi-endpoint = " + g.url + "/compute/v1/\n"
	return errors.Join(err, os.WriteFile(g.path("key.json"), key, 0o600), os.WriteFile(g.path("gce.conf"), []byte(conf), 0o600))
}

func (g *google) path(name string) string { return filepath.Join(g.dir, name) }

func (g *google) Title() string { return "an emulator of Google's Compute API" }

func (g *google) Facts() Facts {
	const instances = "/compute/v1/projects/*/"
	return Facts{
		Provider: "gce", List: "GET /compute/v1/projects/{project}/aggregated/instances", Page: 500,
		Login:    "POST /token",
		Machines: instances + "aggregated/instances", Machine: instances + "zones/*/instances/*", All: "/compute/**", AtOnce: 6,
		Lacks: map[Ability]string{
			Balancers: "the driver is about nodes only", SecondPage: "its pages have tokens and no number",
			Rename: "an instance keeps its name",
		},
	}
}

func (g *google) Env() map[string]string {
	return map[string]string{"GCE_CREDENTIALS_JSON_FILE": g.path("key.json"), "GCE_METADATA_HOST": "127.0.0.1:1"}
}

func (g *google) Args() []string { return []string{"--cloud-config=" + g.path("gce.conf")} }

func (g *google) Secret() string { return "PRIVATE KEY" }

// SetQuota is about requests; the emulator's own is about objects.
func (g *google) SetQuota(q rate.Quota) { g.Front.SetQuota(q) }

func (g *google) Clear(context.Context) error {
	g.Reset()
	g.SetLatency(0)
	g.SetQuota(rate.Quota{})
	return g.configure()
}

func (g *google) Close() error {
	g.Server.Close()
	return os.RemoveAll(g.dir)
}

func (g *google) Seed(_ context.Context, n int, like Machine) ([]Machine, error) {
	var seed gce.Seed
	var all []Machine
	for range n {
		number := g.number
		g.number++
		m := Machine{Name: like.Name, Region: googleRegion, Zone: googleRegion + []string{"-a", "-b", "-c"}[number%3], Internal: like.Internal, External: like.External}
		if m.Name == "" {
			m.Name = fmt.Sprintf("node-%d", number)
		}
		if m.Internal == "" {
			m.Internal = fmt.Sprintf("10.128.%d.%d", 1+number/250%250, 2+number%250)
		}
		m.ID = "projects/" + googleProject + "/zones/" + m.Zone + "/instances/" + m.Name
		m.ProviderID = "gce://" + googleProject + "/" + m.Zone + "/" + m.Name
		seed.Instances = append(seed.Instances, gce.Instance{Name: m.Name, Zone: m.Zone, InternalIP: m.Internal, ExternalIP: m.External})
		all = append(all, m)
	}
	g.Load(seed)
	return all, nil
}

func (g *google) Stop(_ context.Context, m Machine) error {
	return g.Edit(m.ID, map[string]any{"status": "TERMINATED"})
}

func (g *google) Start(_ context.Context, m Machine) error {
	return g.Edit(m.ID, map[string]any{"status": "RUNNING"})
}

func (g *google) Remove(_ context.Context, all ...Machine) error {
	for _, m := range all {
		if err := g.Server.Remove(m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (g *google) Rename(_ context.Context, m Machine, _ string) error {
	return fmt.Errorf("renaming %s: %w", strings.TrimPrefix(m.ID, "projects/"), errors.ErrUnsupported)
}

// Balancers are none: see Facts.
func (g *google) Balancers(context.Context) ([]Balancer, error) { return nil, nil }

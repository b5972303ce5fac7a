package testcloud

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func init() {
	register("digitalocean", Maker{Missing: nothing, Open: openDigitalOcean, Facts: (*DigitalOcean)(nil).Facts})
}

// DigitalOcean is the emulator of DigitalOcean's API, and all that tests of its own rules need of it.
type DigitalOcean struct {
	*digitalocean.Server

	url string
}

// DigitalOceanToken is the token of the emulator's account.
const DigitalOceanToken = "test-token-that-must-stay-secret"

const (
	doAccount = "default"
	doRegion  = "nyc3"
)

func openDigitalOcean(_ context.Context, o Options) (Cloud, error) {
	return NewDigitalOcean(digitalocean.Options{Latency: o.Latency, ActivateAfter: o.Activation})
}

// NewDigitalOcean starts an emulator with options of its own.
func NewDigitalOcean(o digitalocean.Options) (*DigitalOcean, error) {
	if o.Token == "" {
		o.Token = DigitalOceanToken
	}
	d := &DigitalOcean{Server: digitalocean.New(o)}
	var err error
	d.url, err = d.Listen("127.0.0.1:0")
	return d, err
}

// Title implements Cloud.
func (d *DigitalOcean) Title() string { return "an emulator of the DigitalOcean API" }

// Facts implements Cloud.
func (d *DigitalOcean) Facts() Facts {
	return Facts{
		Provider: "digitalocean", List: "GET /v2/droplets", Page: 200, Create: []string{"POST /v2/load_balancers"},
		Machines: "/v2/droplets", Machine: "/v2/droplets/*", All: "/v2/**", AtOnce: 6, Quota: rate.Quota{Hour: 5000, Minute: 250},
	}
}

// Env implements Cloud.
func (d *DigitalOcean) Env() map[string]string {
	return map[string]string{"DO_ACCESS_TOKEN": DigitalOceanToken, "DO_OVERRIDE_URL": d.url, "REGION": doRegion, "DO_CLUSTER_ID": "lab"}
}

// Args implements Cloud.
func (d *DigitalOcean) Args() []string { return nil }

// Secret implements Cloud.
func (d *DigitalOcean) Secret() string { return DigitalOceanToken }

// URL is the base URL of the API.
func (d *DigitalOcean) URL() string { return d.url }

// Clear implements Cloud.
func (d *DigitalOcean) Clear(context.Context) error {
	d.Reset()
	d.SetLatency(0)
	d.SetQuota(rate.Quota{})
	d.SetToken(DigitalOceanToken, doAccount)
	return nil
}

// Close implements Cloud.
func (d *DigitalOcean) Close() error {
	d.Server.Close()
	return nil
}

// Seed implements Machines.
func (d *DigitalOcean) Seed(_ context.Context, n int, like Machine) ([]Machine, error) {
	var all []Machine
	for _, droplet := range d.Droplets.Seed(n, func(d *digitalocean.Droplet) {
		if like.Name != "" {
			d.Name = like.Name
		}
		if like.Internal != "" || like.External != "" {
			d.PrivateIPv4, d.PublicIPv4 = like.Internal, like.External
		}
	}) {
		all = append(all, DropletMachine(droplet))
	}
	return all, nil
}

// DropletMachine is a droplet as a Machine.
func DropletMachine(d digitalocean.Droplet) Machine {
	id := strconv.Itoa(d.ID)
	return Machine{ID: id, Name: d.Name, ProviderID: "digitalocean://" + id, Region: d.Region, Internal: d.PrivateIPv4, External: d.PublicIPv4}
}

func droplet(m Machine) int {
	id, _ := strconv.Atoi(m.ID) // the emulator refuses 0
	return id
}

// Stop implements Machines.
func (d *DigitalOcean) Stop(_ context.Context, m Machine) error {
	return d.Droplets.PowerOff(droplet(m))
}

// Start implements Machines.
func (d *DigitalOcean) Start(_ context.Context, m Machine) error {
	return d.Droplets.PowerOn(droplet(m))
}

// Remove implements Machines.
func (d *DigitalOcean) Remove(_ context.Context, all ...Machine) error {
	var ids []int
	for _, m := range all {
		ids = append(ids, droplet(m))
	}
	return d.Droplets.Delete(ids...)
}

// Rename implements Machines.
func (d *DigitalOcean) Rename(_ context.Context, m Machine, name string) error {
	return d.Droplets.Edit(droplet(m), func(d *digitalocean.Droplet) { d.Name = name })
}

// Balancers implements Cloud.
func (d *DigitalOcean) Balancers(context.Context) ([]Balancer, error) {
	var all []Balancer
	state := d.State()
	for i := range state.Balancers {
		b := &state.Balancers[i]
		one := Balancer{ID: b.ID, Name: b.Name, Active: b.Status == digitalocean.BalancerActive}
		if b.IP != "" {
			one.Addresses = []string{b.IP}
		}
		for _, tag := range b.Tags {
			if service, ours := strings.CutPrefix(tag, "ccm-service:"); ours {
				one.UID = service[strings.LastIndex(service, ":")+1:]
			}
		}
		for _, rule := range b.ForwardingRules {
			one.Listeners = append(one.Listeners, fmt.Sprintf("%s/%d", rule.EntryProtocol, rule.EntryPort))
		}
		for _, id := range b.DropletIDs {
			one.Targets = append(one.Targets, strconv.Itoa(id))
		}
		slices.Sort(one.Listeners)
		slices.Sort(one.Targets)
		all = append(all, one)
	}
	return all, nil
}

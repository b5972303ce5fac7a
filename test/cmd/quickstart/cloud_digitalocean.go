package main

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

const (
	emulatorToken  = "quickstart"
	emulatorRegion = "fra1"
)

// digitalOcean is the emulator of DigitalOcean's API.
type digitalOcean struct {
	server *digitalocean.Server
	url    string
	list   []machine
	ids    map[string]int // by name
}

func newDigitalOcean() (*digitalOcean, error) {
	server := digitalocean.New(digitalocean.Options{Token: emulatorToken, Region: emulatorRegion})
	d := &digitalOcean{server: server, ids: map[string]int{}}
	for _, name := range nodeNames {
		droplet := server.Droplets.Seed(1, func(d *digitalocean.Droplet) { d.Name = name })[0]
		d.ids[name] = droplet.ID
		d.list = append(d.list, machine{
			name: name, providerID: fmt.Sprintf("digitalocean://%d", droplet.ID), region: droplet.Region,
			addresses: []string{droplet.PrivateIPv4, droplet.PublicIPv4},
		})
	}
	var err error
	d.url, err = server.Listen("127.0.0.1:0")
	return d, err
}

func (d *digitalOcean) provider() string { return "digitalocean" }

func (d *digitalOcean) title() string { return "an emulator of the DigitalOcean API" }

func (d *digitalOcean) env() []string {
	return []string{
		"DO_ACCESS_TOKEN=" + emulatorToken, "DO_OVERRIDE_URL=" + d.url,
		"REGION=" + emulatorRegion, "DO_CLUSTER_ID=quickstart",
	}
}

func (d *digitalOcean) args() []string { return nil }

func (d *digitalOcean) machines() []machine { return d.list }

func (d *digitalOcean) stop(name string) error { return d.server.Droplets.PowerOff(d.ids[name]) }

func (d *digitalOcean) remove(name string) error { return d.server.Droplets.Delete(d.ids[name]) }

func (d *digitalOcean) hasAPI() bool { return true }

func (d *digitalOcean) hasBalancers() bool { return true }

func (d *digitalOcean) carriesTraffic() bool { return false }

func (d *digitalOcean) door(string, int) string { return "" }

func (d *digitalOcean) close() { d.server.Close() }

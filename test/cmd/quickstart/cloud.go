package main

import "fmt"

// cloud is an emulated cloud with one machine per node.
type cloud interface {
	// provider is the value of --cloud-provider, title its name for people.
	provider() string
	title() string
	// env is the environment of the CCM.
	env() []string
	machines() []machine
	stop(name string) error
	remove(name string) error
	// carriesTraffic says whether balancers forward to the machines' addresses. Then door
	// returns where the balancer with this address and port really listens.
	carriesTraffic() bool
	door(address string, port int) string
	close()
}

// machine is a machine as the CCM should describe it on its Node.
type machine struct {
	name, providerID, region string
	zone                     string // "" in a cloud without zones
	addresses                []string
}

// The roles of the machines in the story.
const (
	healthy = "node-1"
	stopped = "node-2"
	deleted = "node-3"
)

var nodeNames = []string{healthy, stopped, deleted}

func newCloud(name string) (cloud, error) {
	switch name {
	case "sim":
		return newSim()
	case "digitalocean":
		return newDigitalOcean()
	default:
		return nil, fmt.Errorf("there is no cloud %q here: use CLOUD=sim or CLOUD=digitalocean", name)
	}
}

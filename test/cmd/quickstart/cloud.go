package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/internal/cloudname"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// cloud is an emulated cloud, or one on this machine, with one machine per node.
type cloud interface {
	// provider is the value of --cloud-provider, title its name for people.
	provider() string
	title() string
	// env is the environment of the CCM, args are flags of this cloud's.
	env() []string
	args() []string
	machines() []machine
	stop(name string) error
	remove(name string) error
	// hasAPI says whether somebody can be asked what became of a machine.
	hasAPI() bool
	// hasBalancers says whether the CCM has load balancers on this cloud.
	hasBalancers() bool
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
	// nodeIP is the address that the kubelet tells, "" where it tells none.
	nodeIP string
}

// The roles of the machines in the story.
const (
	healthy = "node-1"
	stopped = "node-2"
	deleted = "node-3"
)

var nodeNames = []string{healthy, stopped, deleted}

// missing says in one line what a cloud needs that this machine lacks, nil when nothing.
func missing(name string) error {
	switch name {
	case "sim", "digitalocean", "gce", "hcloud", "static":
		return nil
	case "aws":
		return aws.Missing()
	case "openstack":
		return openstack.Missing()
	}
	if meant := meant(name); meant != "" {
		return fmt.Errorf("there is no cloud %q here, did you mean CLOUD=%s? There are %s", name, meant, strings.Join(clouds, ", "))
	}
	return fmt.Errorf("there is no cloud %q here: use CLOUD=%s", name, strings.Join(clouds, ", CLOUD="))
}

// clouds are the values of CLOUD.
var clouds = []string{"sim", "aws", "digitalocean", "gce", "hcloud", "openstack", "static"}

// meant returns the cloud that another name or a typing error means, "" where there is none.
func meant(name string) string {
	for _, cloud := range clouds {
		if cloudname.Meaning(name) == cloud || len(name) > 3 && annotation.Distance(strings.ToLower(name), cloud) <= 2 {
			return cloud
		}
	}
	return ""
}

// newCloud starts a cloud. What that does goes to progress.
func newCloud(ctx context.Context, name string, progress io.Writer) (cloud, error) {
	if err := missing(name); err != nil {
		return nil, err
	}
	switch name {
	case "aws":
		return newAmazon(ctx, progress)
	case "digitalocean":
		return newDigitalOcean()
	case "gce":
		return newGoogleCloud()
	case "hcloud":
		return newHetzner()
	case "openstack":
		return newOpenStack(ctx, progress)
	case "static":
		return staticMachines{}, nil
	default:
		return newSim()
	}
}

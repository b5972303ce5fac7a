package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	classic "github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	network "github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/route"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/service"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Driver is one region of an AWS account, and in it one VPC.
type Driver struct {
	*session.Account
	*instance.Machines
	*route.Tables
	*service.Balancers
}

var _ cloud.New = New

// New implements cloud.New. It reports every problem of the configuration at once. With a
// configuration that says everything it makes one request, else some more about the machine
// this runs on.
func New(ctx context.Context, c cloud.Config) (*cloud.Driver, error) {
	clients, k, err := connect(ctx, c)
	if err != nil {
		return nil, failed("connecting", err)
	}
	d := wire(clients, k)
	if d.Account, err = session.NewAccount(ctx, clients, k.Region, k.Cluster); err != nil {
		return nil, failed("finding out whose the credentials are", err)
	}
	return d.handOver(), nil
}

// failed says what an error of the constructor means, where that is known.
func failed(doing string, err error) error {
	if class := failure.Classify(err); class.Class != cloud.FailureUnknown && class.Class != cloud.FailureInvalid {
		return &cloud.Error{Failure: class, Op: doing, Err: err}
	}
	return err
}

// wire gives each part its clients and settings.
func wire(c session.Clients, k config.Config) *Driver {
	machines := &instance.Machines{Region: k.Region, Cluster: k.Cluster, Families: k.Families, TopologyPattern: k.TopologyPattern, Client: c.Compute}
	b := k.Balancer
	security := &secgroup.Groups{Cluster: k.Cluster, ClusterName: k.ClusterName, LeaveNodeGroups: b.LeaveNodeGroups, Client: c.Compute}
	return &Driver{
		Machines: machines,
		Tables:   &route.Tables{Cluster: k.Cluster, IDs: k.RouteTables, Client: c.Compute, Instances: machines},
		Balancers: &service.Balancers{
			Region: k.Region, Cluster: k.Cluster, VPC: &vpc.Reader{Cluster: k.Cluster, FallbackSubnet: k.FallbackSubnet, Client: c.Compute}, Security: security,
			Classic: &elb.Balancers{Settings: classic.Settings{Cluster: k.Cluster, Group: b.Group, Probe: b.Probe}, Client: c.Classic, Security: security},
			Network: &nlb.Balancers{
				Settings: network.Settings{Cluster: k.Cluster, LeaveNodeGroups: b.LeaveNodeGroups, ManagedGroups: b.ManagedGroups, Probe: b.Probe},
				Client:   c.Network, Addresses: c.Compute, Security: security, Targets: &targetgroup.Groups{Cluster: k.Cluster, Client: c.Network},
			},
		},
	}
}

// handOver hands all parts over to the kernel.
func (d *Driver) handOver() *cloud.Driver {
	m, b := d.Machines, d.Balancers
	return &cloud.Driver{
		Account:  d,
		Machines: cloud.MachineGroup{Instances: m, ProviderIDScope: m, Namer: m, Labeler: m},
		Balancers: &cloud.BalancerGroup{
			Composite: b, Validator: b, Checker: b, BulkLister: b, OwnedLister: b, NetworkReader: cloud.NetworkOf[*vpc.Network]{Reader: b},
		},
		Routes: &cloud.RouteGroup{Routes: d.Tables},
		Tagger: m,
	}
}

// connect makes the clients, and completes the configuration by what the machine this runs on
// says.
func connect(ctx context.Context, c cloud.Config) (session.Clients, config.Config, error) {
	f, s, err := configure(c)
	if err != nil {
		return session.Clients{}, config.Config{}, err
	}
	n, err := session.Connect(ctx, c, f, s)
	if err != nil {
		return session.Clients{}, config.Config{}, err
	}
	for _, warning := range f.Overrides.Unused(n.Config.Region) {
		c.Warn(warning)
	}
	k := f.Config
	k.Region, k.ClusterName = n.Config.Region, c.ClusterName
	if !f.OutsideVPC() {
		err = n.Learn(ctx, &k.Cluster, &k.FallbackSubnet)
	}
	switch {
	case err != nil && (k.Cluster.VPC == "" || k.Cluster.ID == ""):
		err = fmt.Errorf("KubernetesClusterID and VPC in [Global] of cloud.conf are not both set, so they come from this machine: %w", err)
	case err != nil:
		c.Warn("no subnet to fall back to where none is found by tags: " + err.Error())
		err = nil
	}
	return n.Clients(), k, err
}

// Check returns what is wrong with the file and the settings.
func Check(c cloud.Config) error {
	_, _, err := configure(c)
	return err
}

// configure reads the file and the settings.
func configure(c cloud.Config) (config.File, config.Settings, error) {
	var content []byte
	if c.File != nil {
		var err error
		if content, err = c.File(); err != nil {
			return config.File{}, config.Settings{}, err
		}
	}
	f, warnings, err := config.Parse(content)
	for _, warning := range warnings {
		c.Warn(warning)
	}
	s, wrong := config.Read(c.Lookup)
	return f, s, errors.Join(err, wrong, session.Check(c, s))
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure { return failure.Classify(err) }

package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/instance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/route"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Driver is one region of an AWS account, and in it one VPC.
type Driver struct {
	session.Clients
	config config.Config
	// ClusterName is --cluster-name, a part of names upstream gives.
	clusterName string
	*session.Account
	*instance.Machines
	*route.Tables
	vpc    *vpc.Reader
	groups *secgroup.Groups
}

// What the kernel finds by type assertion.
var (
	_ cloud.Driver     = (*Driver)(nil)
	_ cloud.Scoped     = (*Driver)(nil)
	_ cloud.Namer      = (*Driver)(nil)
	_ cloud.Labeler    = (*Driver)(nil)
	_ cloud.Tagger     = (*Driver)(nil)
	_ cloud.Routes     = (*Driver)(nil)
	_ cloud.Balancers  = (*Driver)(nil)
	_ cloud.BulkLister = (*Driver)(nil)
	_ cloud.Checker    = (*Driver)(nil)
)

var _ cloud.New = New

// New implements cloud.New. It reports every problem of the configuration at once. With a
// configuration that says everything it makes one request, else some more about the machine
// this runs on.
func New(ctx context.Context, c cloud.Config) (cloud.Driver, error) {
	f, s, err := configure(c)
	if err != nil {
		return nil, err
	}
	n, err := session.Connect(ctx, c, f, s)
	if err != nil {
		return nil, err
	}
	for _, warning := range f.Overrides.Unused(n.Config.Region) {
		c.Warn(warning)
	}
	k := f.Config
	k.Region = n.Config.Region
	if !f.Elsewhere() {
		err = n.Learn(ctx, &k)
	}
	switch {
	case err != nil && (k.Cluster.VPC == "" || k.Cluster.ID == ""):
		return nil, fmt.Errorf("KubernetesClusterID and VPC in [Global] of cloud.conf are not both set, so they come from this machine: %w", err)
	case err != nil:
		c.Warn("no subnet to fall back to where none is found by tags: " + err.Error())
	}
	d := wire(n.Clients(), k, c.ClusterName)
	d.Account, err = session.NewAccount(ctx, d.Clients, k.Region, k.Cluster)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// wire gives each part its clients and settings.
func wire(c session.Clients, k config.Config, clusterName string) *Driver {
	d := &Driver{Clients: c, config: k, clusterName: clusterName}
	d.Machines = instance.New(c.Compute, instance.Settings{Region: k.Region, Cluster: k.Cluster, Families: k.Families, TopologyPattern: k.TopologyPattern})
	d.Tables = route.New(c.Compute, d.Machines, k.Cluster, k.RouteTables)
	d.vpc = vpc.New(c.Compute, k.Cluster, k.FallbackSubnet)
	d.groups = secgroup.New(c.Compute, k.Cluster, clusterName, k.Balancer.LeaveNodeGroups)
	return d
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
	return f, s, errors.Join(err, wrong)
}

// Classify implements cloud.Driver.
func (d *Driver) Classify(err error) cloud.Failure { return failure.Classify(err) }

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return d.Machines }

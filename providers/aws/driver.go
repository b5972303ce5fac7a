package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
)

// Driver is one region of an AWS account, and in it one VPC.
type Driver struct {
	session.Clients
	config config.Config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of names upstream gives.
	clusterName string
	*session.Account
}

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
	d := &Driver{Clients: n.Clients(), config: f.Config, cloud: c.Cloud, clusterName: c.ClusterName}
	d.config.Region = n.Config.Region
	if !f.Elsewhere() {
		err = n.Learn(ctx, &d.config)
	}
	switch {
	case err != nil && (d.config.Cluster.VPC == "" || d.config.Cluster.ID == ""):
		return nil, fmt.Errorf("KubernetesClusterID and VPC in [Global] of cloud.conf are not both set, so they come from this machine: %w", err)
	case err != nil:
		c.Warn("no subnet to fall back to where none is found by tags: " + err.Error())
	}
	d.Account, err = session.NewAccount(ctx, d.Clients, d.config.Region, d.config.Cluster)
	if err != nil {
		return nil, err
	}
	return d, nil
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

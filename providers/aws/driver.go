package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Driver is one region of an AWS account, and in it one VPC.
type Driver struct {
	clients
	config config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of names upstream gives.
	clusterName string
	// isolated says that STS does not answer here.
	isolated bool
}

// clients are those of the APIs. They never retry: the kernel does.
type clients struct {
	compute *ec2.Client
	classic *elasticloadbalancing.Client
	network *elasticloadbalancingv2.Client
	tokens  *sts.Client
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
	n, err := connect(ctx, c, f, s)
	if err != nil {
		return nil, err
	}
	for _, warning := range f.overrides.unused(n.config.Region) {
		c.Warn(warning)
	}
	d := &Driver{clients: n.clients(), config: f.config, cloud: c.Cloud, clusterName: c.ClusterName}
	d.config.region = n.config.Region
	if !f.elsewhere() {
		err = d.config.learn(ctx, n.metadata(), d.compute)
	}
	switch {
	case err != nil && (d.config.vpc == "" || d.config.clusterID == ""):
		return nil, fmt.Errorf("KubernetesClusterID and VPC in [Global] of cloud.conf are not both set, so they come from this machine: %w", err)
	case err != nil:
		c.Warn("no subnet to fall back to where none is found by tags: " + err.Error())
	}
	if err := d.detectIsolation(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// configure reads the file and the settings.
func configure(c cloud.Config) (fileConfig, settings, error) {
	var content []byte
	if c.File != nil {
		var err error
		if content, err = c.File(); err != nil {
			return fileConfig{}, settings{}, err
		}
	}
	f, warnings, err := parseConfig(content)
	for _, warning := range warnings {
		c.Warn(warning)
	}
	s, wrong := readSettings(c.Lookup)
	return f, s, errors.Join(err, wrong)
}

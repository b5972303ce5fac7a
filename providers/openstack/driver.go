package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Driver is one project of an OpenStack cloud, in one region.
type Driver struct {
	*services
	config config
	// cloud is the name of the configuration's entry, for the owner marks.
	cloud string
	// clusterName is --cluster-name, a part of the names upstream gives.
	clusterName string
	// regional says to write the region into provider-IDs.
	regional bool
}

// services are the clients of the APIs, which share one token.
type services struct {
	session  *session
	identity *gophercloud.ServiceClient
	compute  *gophercloud.ServiceClient
	network  *gophercloud.ServiceClient
	balancer *gophercloud.ServiceClient // nil when balancers are switched off
	secrets  *gophercloud.ServiceClient // the key manager, nil when the cloud has none
	octavia  apiVersion
	// project is the id of the project the token is for.
	project   string
	extension map[string]bool // the extensions Neutron has, by alias
}

var (
	_ cloud.New       = New
	_ cloud.Driver    = (*Driver)(nil)
	_ cloud.Instances = (*Driver)(nil)
)

// New implements cloud.New. It reports every problem of the configuration at once, logs in and
// asks the APIs for what they can do: one token, and three requests.
func New(ctx context.Context, c cloud.Config) (cloud.Driver, error) {
	r, err := newReader(c)
	if err != nil {
		return nil, err
	}
	config, a, warnings, err := r.read()
	for _, warning := range warnings {
		c.Warn(warning)
	}
	if err := errors.Join(err, config.checkConfig()); err != nil {
		return nil, err
	}
	client, err := newHTTPClient(c, a.global.tls, config)
	if err != nil {
		return nil, err
	}
	session := newSession(client, c.UserAgent, func() (access, error) {
		_, a, _, err := r.read()
		return a, err
	})
	found, err := session.start(ctx, a)
	if err != nil {
		return nil, err
	}
	// The clouds.yaml may have said what the file does not.
	config.global = a.global
	catalogue := catalogue{entries: found.Entries, region: a.global.region, interfaceName: a.interfaceName(), overrides: a.global.endpoints}
	if regions := catalogue.regions(); a.global.region == "" && len(regions) > 1 {
		c.Warn("[Global] region is not set: the first endpoint of each service is used, of the regions " + strings.Join(regions, ", "))
	}
	services, err := newServices(ctx, session, catalogue, config.balancer.enabled)
	if err != nil {
		return nil, err
	}
	services.identity = &gophercloud.ServiceClient{ProviderClient: session.client, Endpoint: a.identity(), Type: serviceIdentity}
	services.project = session.project
	d := &Driver{services: services, config: config, cloud: c.Cloud, clusterName: c.ClusterName, regional: r.settings.regional}
	return d.enabled(c.Warn), nil
}

// newHTTPClient returns a client on the kernel's transport, which limits, measures and bounds
// every request.
func newHTTPClient(c cloud.Config, files tlsFiles, config config) (http.Client, error) {
	client := http.Client{
		Transport: c.Transport,
		// A redirect would take the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if config.requestTimeout < cloud.RequestTimeout {
		client.Timeout = config.requestTimeout
	}
	if files == (tlsFiles{}) {
		return client, nil
	}
	t, err := newTrust(files, c.WithTLS)
	if err != nil {
		return client, fmt.Errorf("reading the certificates: %w", err)
	}
	client.Transport = t
	return client, nil
}

// balancing is what the driver has for balancers.
type balancing interface {
	cloud.Composite
	cloud.BulkLister
	cloud.Configured
	cloud.Checker
	cloud.Replacer
}

// enabled returns the driver with what is switched on. The kernel finds that by type assertion,
// so what is off must not be there.
func (d *Driver) enabled(warn func(string)) cloud.Driver {
	if d.config.router != "" && !d.extension["extraroute"] && !d.extension["extraroute-atomic"] {
		warn("[Route] router-id has no effect: the network API has no extension extraroute")
		d.config.router = ""
	}
	switch hasRoutes := d.config.router != ""; {
	case d.config.balancer.enabled && hasRoutes:
		return d
	case d.config.balancer.enabled:
		return struct {
			cloud.Driver
			balancing
		}{d, d}
	case hasRoutes:
		return struct {
			cloud.Driver
			cloud.Routes
		}{d, d}
	default:
		return struct{ cloud.Driver }{d}
	}
}

// Identity implements cloud.Driver: the project the token is for.
func (d *Driver) Identity(ctx context.Context) (cloud.Identity, error) {
	project, err := d.session.check(ctx, d.identity)
	if err != nil {
		return cloud.Identity{}, err
	}
	return cloud.Identity{Account: project, Region: d.config.global.region}, nil
}

// Instances implements cloud.Driver.
func (d *Driver) Instances() cloud.Instances { return d }

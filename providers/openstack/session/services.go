package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// newServices builds the clients, once for the life of the process. It asks each API for what
// it can do, one request each.
func newServices(ctx context.Context, session *session, c catalogue, balancers bool) (*Services, error) {
	s := &Services{session: session}
	var err error
	if s.Compute, err = session.compute(ctx, c); err != nil {
		return nil, err
	}
	if s.Network, err = session.service(c, config.ServiceNetwork, "v2.0"); err != nil {
		return nil, err
	}
	if s.Extension, err = readExtensions(ctx, s.Network); err != nil {
		return nil, err
	}
	if s.Secrets, err = session.service(c, config.ServiceSecrets, "v1"); err != nil && !isMissing(err) {
		return nil, err
	}
	if !balancers {
		return s, nil
	}
	s.Balancer, err = session.service(c, config.ServiceBalancer, "v2.0")
	if isMissing(err) {
		return nil, &cloud.Invalid{Field: "[" + config.SectionBalancer + "] enabled", Value: "true", Want: "want false: " + err.Error()}
	}
	if err != nil {
		return nil, err
	}
	s.Octavia, err = readOctaviaVersion(ctx, s.Balancer)
	return s, err
}

func isMissing(err error) bool {
	_, ok := errors.AsType[*missingService](err)
	return ok
}

// service returns the client of a service whose endpoint may or may not have the version.
func (s *session) service(c catalogue, service, version string) (*gophercloud.ServiceClient, error) {
	endpoint, err := c.endpoint(service)
	if err != nil {
		return nil, err
	}
	root, _, _ := splitVersion(endpoint)
	return &gophercloud.ServiceClient{
		ProviderClient: s.client, Endpoint: root, ResourceBase: root + version + "/", Type: service,
	}, nil
}

// compute returns the client of Nova, with the microversion unless the cloud is older.
func (s *session) compute(ctx context.Context, c catalogue) (*gophercloud.ServiceClient, error) {
	endpoint, err := c.endpoint(config.ServiceCompute)
	if err != nil {
		return nil, err
	}
	root, version, rest := splitVersion(endpoint)
	if version == "" {
		version = "v2.1"
	}
	client := &gophercloud.ServiceClient{ProviderClient: s.client, Endpoint: root + version + "/" + rest, Type: config.ServiceCompute}
	var answer struct {
		Version struct {
			ID  string `json:"id"`
			Max string `json:"version"`
		} `json:"version"`
	}
	if _, err := client.Get(ctx, root+version+"/", &answer, nil); err != nil {
		return nil, fmt.Errorf("reading the version of compute: %w", err)
	}
	if answer.Version.ID == "" {
		return nil, fmt.Errorf("reading the version of compute: %w", cloud.ErrIncomplete)
	}
	least, _ := api.ParseVersion(ComputeMicroversion)
	if most, ok := api.ParseVersion(answer.Version.Max); ok && most.AtLeast(least.Major, least.Minor) {
		client.Microversion = ComputeMicroversion
	}
	return client, nil
}

// readOctaviaVersion returns the newest version, which says what balancers can have.
func readOctaviaVersion(ctx context.Context, client *gophercloud.ServiceClient) (api.Version, error) {
	var answer struct {
		Versions []struct {
			ID string `json:"id"`
		} `json:"versions"`
	}
	// 300 is what version documents are answered with by other services.
	_, err := client.Get(ctx, client.Endpoint, &answer, &gophercloud.RequestOpts{OkCodes: []int{200, 300}})
	if err != nil {
		return api.Version{}, fmt.Errorf("reading the version of the load balancer API: %w", err)
	}
	var newest api.Version
	for _, version := range answer.Versions {
		if v, ok := api.ParseVersion(version.ID); ok && v.AtLeast(newest.Major, newest.Minor) {
			newest = v
		}
	}
	if newest.Major == 0 {
		return newest, fmt.Errorf("reading the version of the load balancer API: %w", cloud.ErrIncomplete)
	}
	return newest, nil
}

// readExtensions returns what this Neutron can do.
func readExtensions(ctx context.Context, client *gophercloud.ServiceClient) (map[string]bool, error) {
	page, err := extensions.List(client).AllPages(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the extensions of the network API: %w", err)
	}
	all, err := extensions.ExtractExtensions(page)
	if err != nil {
		return nil, fmt.Errorf("reading the extensions of the network API: %w", err)
	}
	aliases := map[string]bool{}
	for _, extension := range all {
		aliases[extension.Alias] = true
	}
	if len(aliases) == 0 {
		return nil, fmt.Errorf("reading the extensions of the network API: %w", cloud.ErrIncomplete)
	}
	return aliases, nil
}

// Services are the clients of the APIs, which share one token.
type Services struct {
	session  *session
	identity *gophercloud.ServiceClient
	Compute  *gophercloud.ServiceClient
	Network  *gophercloud.ServiceClient
	Balancer *gophercloud.ServiceClient // nil when balancers are switched off
	Secrets  *gophercloud.ServiceClient // the key manager, nil when the cloud has none
	Octavia  api.Version
	// Project is the id of the project the token is for.
	Project   string
	Extension map[string]bool // the extensions Neutron has, by alias
}

// Open logs in and asks the APIs for what they can do: one token, and three requests.
func Open(ctx context.Context, c cloud.Config, r config.Reader, k config.Config) (*Services, error) {
	a := k.Access
	client, err := newHTTPClient(c, a.Global.TLS, k.RequestTimeout)
	if err != nil {
		return nil, err
	}
	session := newSession(client, c.UserAgent, func() (config.Access, error) {
		k, _, err := r.Read()
		return k.Access, err
	})
	found, err := session.start(ctx, a)
	if err != nil {
		return nil, err
	}
	catalogue := catalogue{entries: found.Entries, region: a.Global.Region, interfaceName: a.InterfaceName(), overrides: a.Global.Endpoints}
	if regions := catalogue.regions(); a.Global.Region == "" && len(regions) > 1 {
		c.Warn("[Global] region is not set: the first endpoint of each service is used, of the regions " + strings.Join(regions, ", "))
	}
	s, err := newServices(ctx, session, catalogue, k.Balancer.Enabled)
	if err != nil {
		return nil, err
	}
	s.identity = &gophercloud.ServiceClient{ProviderClient: session.client, Endpoint: a.Identity(), Type: config.ServiceIdentity}
	s.Project = session.project
	return s, nil
}

// CheckToken asks whether the token holds, and returns the project it is for.
func (s *Services) CheckToken(ctx context.Context) (string, error) {
	return s.session.check(ctx, s.identity)
}

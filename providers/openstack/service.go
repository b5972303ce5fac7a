package openstack

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/common/extensions"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// apiVersion is a version of an API.
type apiVersion struct{ major, minor int }

// atLeast compares versions.
func (v apiVersion) atLeast(major, minor int) bool {
	return v.major > major || v.major == major && v.minor >= minor
}

// parseVersion reads "2.47" and "v2.47".
func parseVersion(text string) (apiVersion, bool) {
	major, minor, _ := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	var v apiVersion
	var err error
	if v.major, err = strconv.Atoi(major); err != nil {
		return apiVersion{}, false
	}
	v.minor, err = strconv.Atoi(minor)
	return v, err == nil
}

// newServices builds the clients, once for the life of the process. It asks each API for what
// it can do, one request each.
func newServices(ctx context.Context, session *session, c catalogue, balancers bool) (*services, error) {
	s := &services{session: session}
	var err error
	if s.compute, err = session.compute(ctx, c); err != nil {
		return nil, err
	}
	if s.network, err = session.service(c, serviceNetwork, "v2.0"); err != nil {
		return nil, err
	}
	if s.extension, err = readExtensions(ctx, s.network); err != nil {
		return nil, err
	}
	if s.secrets, err = session.service(c, serviceSecrets, "v1"); err != nil && !isMissing(err) {
		return nil, err
	}
	if !balancers {
		return s, nil
	}
	s.balancer, err = session.service(c, serviceBalancer, "v2.0")
	if isMissing(err) {
		return nil, &cloud.Invalid{Field: "[" + sectionBalancer + "] enabled", Value: "true", Want: "want false: " + err.Error()}
	}
	if err != nil {
		return nil, err
	}
	s.octavia, err = readOctaviaVersion(ctx, s.balancer)
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
	endpoint, err := c.endpoint(serviceCompute)
	if err != nil {
		return nil, err
	}
	root, version, rest := splitVersion(endpoint)
	if version == "" {
		version = "v2.1"
	}
	client := &gophercloud.ServiceClient{ProviderClient: s.client, Endpoint: root + version + "/" + rest, Type: serviceCompute}
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
		return nil, fmt.Errorf("reading the version of compute: %w", errUnreadable)
	}
	least, _ := parseVersion(computeMicroversion)
	if most, ok := parseVersion(answer.Version.Max); ok && most.atLeast(least.major, least.minor) {
		client.Microversion = computeMicroversion
	}
	return client, nil
}

// readOctaviaVersion returns the newest version, which says what balancers can have.
func readOctaviaVersion(ctx context.Context, client *gophercloud.ServiceClient) (apiVersion, error) {
	var answer struct {
		Versions []struct {
			ID string `json:"id"`
		} `json:"versions"`
	}
	// 300 is what version documents are answered with by other services.
	_, err := client.Get(ctx, client.Endpoint, &answer, &gophercloud.RequestOpts{OkCodes: []int{200, 300}})
	if err != nil {
		return apiVersion{}, fmt.Errorf("reading the version of the load balancer API: %w", err)
	}
	var newest apiVersion
	for _, version := range answer.Versions {
		if v, ok := parseVersion(version.ID); ok && v.atLeast(newest.major, newest.minor) {
			newest = v
		}
	}
	if newest.major == 0 {
		return newest, fmt.Errorf("reading the version of the load balancer API: %w", errUnreadable)
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
		return nil, fmt.Errorf("reading the extensions of the network API: %w", errUnreadable)
	}
	return aliases, nil
}

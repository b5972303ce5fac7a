package openstack

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// access is how to get into the cloud: [Global] together with a clouds.yaml, checked.
type access struct {
	global globalConfig
	// keystone is the base URL of the identity API.
	keystone string
	options  gophercloud.AuthOptions
}

// newAccess reads a clouds.yaml where one is asked for, and reports all that is wrong at once.
func newAccess(g globalConfig, s settings) (access, error) {
	g, err := g.withClouds(s)
	if err != nil {
		return access{}, err
	}
	keystone, urlErr := g.keystone()
	options, optionsErr := g.options()
	a := access{global: g, keystone: keystone, options: options}
	return a, errors.Join(urlErr, optionsErr)
}

// interfaceName is the name the catalogue has for the endpoints to use.
func (a access) interfaceName() string {
	if name := strings.TrimSuffix(a.global.endpointType, "URL"); name != "" {
		return name
	}
	return "public"
}

// identity is where a token is checked: Keystone, unless the clouds.yaml says otherwise.
func (a access) identity() string {
	if override := a.global.endpoints[serviceIdentity]; override != "" {
		return strings.TrimSuffix(override, "/") + "/"
	}
	return a.keystone
}

// reader reads the configuration anew, for credentials that were rotated meanwhile.
type reader struct {
	file     func() ([]byte, error)
	settings settings
}

func (r reader) read() (config, access, []string, error) {
	content, err := r.file()
	if err != nil {
		return config{}, access{}, nil, fmt.Errorf("reading --cloud-config: %w", err)
	}
	c, warnings, err := parseConfig(content)
	if err != nil {
		return c, access{}, warnings, err
	}
	a, err := newAccess(c.global, r.settings)
	return c, a, warnings, err
}

func newReader(c cloud.Config) (reader, error) {
	if c.File == nil {
		return reader{}, &cloud.Invalid{Field: "--cloud-config", Want: "want the path of a cloud.conf"}
	}
	s, err := readSettings(c.Lookup)
	return reader{file: c.File, settings: s}, err
}

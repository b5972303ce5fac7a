package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Access is how to get into the cloud: [Global] together with a clouds.yaml, checked.
type Access struct {
	Global Global
	// Keystone is the base URL of the identity API.
	Keystone string
	Options  gophercloud.AuthOptions
}

// newAccess reads a clouds.yaml where one is asked for, and reports all that is wrong at once.
func newAccess(g Global, s settings) (Access, error) {
	g, err := g.withClouds(s)
	if err != nil {
		return Access{}, err
	}
	keystone, urlErr := g.keystone()
	options, optionsErr := g.options()
	a := Access{Global: g, Keystone: keystone, Options: options}
	return a, errors.Join(urlErr, optionsErr)
}

// InterfaceName is the name the catalogue has for the endpoints to use.
func (a Access) InterfaceName() string {
	if name := strings.TrimSuffix(a.Global.endpointType, "URL"); name != "" {
		return name
	}
	return "public"
}

// Identity is where a token is checked: Keystone, unless the clouds.yaml says otherwise.
func (a Access) Identity() string {
	if override := a.Global.Endpoints[ServiceIdentity]; override != "" {
		return strings.TrimSuffix(override, "/") + "/"
	}
	return a.Keystone
}

// Reader reads the configuration anew, for credentials that were rotated meanwhile.
type Reader struct {
	file     func() ([]byte, error)
	Settings settings
}

// Read returns the configuration with what a clouds.yaml says, and warnings of what has no effect.
func (r Reader) Read() (Config, []string, error) {
	content, err := r.file()
	if err != nil {
		return Config{}, nil, fmt.Errorf("reading --cloud-config: %w", err)
	}
	c, warnings, err := Parse(content)
	if err != nil {
		return c, warnings, err
	}
	c.Access, err = newAccess(c.Global, r.Settings)
	c.Global = c.Access.Global
	return c, warnings, err
}

// NewReader returns the reader of a file, with what the environment says.
func NewReader(c cloud.Config) (Reader, error) {
	if c.File == nil {
		return Reader{}, &cloud.Invalid{Field: "--cloud-config", Want: "want the path of a cloud.conf"}
	}
	s, err := readSettings(c.Lookup)
	return Reader{file: c.File, Settings: s}, err
}

// Environment variables, named as the upstream CCM named them.
const (
	EnvRegional   = "OS_CCM_REGIONAL"
	envCloudsFile = "OS_CLIENT_CONFIG_FILE"
	envCloud      = "OS_CLOUD"
	envWaitSteps  = "OCCM_WAIT_LB_ACTIVE_STEPS"
)

// Declared are the declarations of the environment variables.
func Declared() []cloud.Setting {
	return []cloud.Setting{
		{Name: EnvRegional, Default: "false", Type: cloud.SettingBool, Value: "regionalProviderID", Doc: "Write the region into provider-IDs too, such as openstack://RegionOne/id."},
		{Name: envCloudsFile, Doc: "Path of the clouds.yaml, where [Global] use-clouds is on and clouds-file is not set."},
		{Name: envCloud, Doc: "Entry of the clouds.yaml, where [Global] cloud is not set. No other OS_ variable is read."},
		{Name: envWaitSteps, Doc: "Accepted for compatibility and ignored: nothing waits for a balancer here, it is looked at again."},
	}
}

// settings are the environment variables.
type settings struct {
	Regional   bool
	cloudsFile string
	cloud      string
}

func readSettings(lookup func(string) string) (settings, error) {
	r := cloud.SettingReader{Lookup: lookup}
	return settings{Regional: r.Bool(EnvRegional), cloudsFile: lookup(envCloudsFile), cloud: lookup(envCloud)}, r.Err()
}

// Types of services, as catalogues call them.
const (
	ServiceIdentity = "identity"
	ServiceCompute  = "compute"
	ServiceNetwork  = "network"
	ServiceBalancer = "load-balancer"
	ServiceSecrets  = "key-manager"
)

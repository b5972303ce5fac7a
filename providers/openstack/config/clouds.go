package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The library's reader of clouds.yaml takes values from OS_* variables that upstream ignores,
// has no endpoint overrides, and returns certificates it has read once. So there is this one.

// scalar is a text. In YAML it may look like a number: a project's id, a password.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '"' {
		if data[0] == '{' || data[0] == '[' {
			return errors.New("a text is expected") // the value may be secret
		}
		if string(data) != "null" {
			*s = scalar(data)
		}
		return nil
	}
	return json.Unmarshal(data, (*string)(s))
}

// cloudsEntry is one cloud of a clouds.yaml.
type cloudsEntry struct {
	Profile      scalar            `json:"profile"`
	Cloud        scalar            `json:"cloud"`
	AuthType     scalar            `json:"auth_type"`
	Auth         cloudsAuth        `json:"auth"`
	Region       scalar            `json:"region_name"`
	Regions      []json.RawMessage `json:"regions"`
	EndpointType scalar            `json:"endpoint_type"`
	Interface    scalar            `json:"interface"`
	Verify       *bool             `json:"verify"`
	CA           scalar            `json:"cacert"`
	Cert         scalar            `json:"cert"`
	Key          scalar            `json:"key"`

	IdentityEndpoint scalar `json:"identity_endpoint_override"`
	ComputeEndpoint  scalar `json:"compute_endpoint_override"`
	NetworkEndpoint  scalar `json:"network_endpoint_override"`
	BalancerEndpoint scalar `json:"load_balancer_endpoint_override"`
	SecretsEndpoint  scalar `json:"key_manager_endpoint_override"`
}

type cloudsAuth struct {
	AuthURL           scalar `json:"auth_url"`
	Token             scalar `json:"token"`
	Username          scalar `json:"username"`
	UserID            scalar `json:"user_id"`
	Password          scalar `json:"password"`
	AppID             scalar `json:"application_credential_id"`
	AppName           scalar `json:"application_credential_name"`
	AppSecret         scalar `json:"application_credential_secret"`
	ProjectID         scalar `json:"project_id"`
	ProjectName       scalar `json:"project_name"`
	TenantID          scalar `json:"tenant_id"`
	TenantName        scalar `json:"tenant_name"`
	UserDomainID      scalar `json:"user_domain_id"`
	UserDomainName    scalar `json:"user_domain_name"`
	ProjectDomainID   scalar `json:"project_domain_id"`
	ProjectDomainName scalar `json:"project_domain_name"`
	DomainID          scalar `json:"domain_id"`
	DomainName        scalar `json:"domain_name"`
	DefaultDomain     scalar `json:"default_domain"`
	TrustID           scalar `json:"trust_id"`
}

// cloudsFile is the content of any of the three files; what an entry holds is decoded when
// it is known which one.
type cloudsFile struct {
	Clouds map[string]json.RawMessage `json:"clouds"`
	Public map[string]json.RawMessage `json:"public-clouds"`
}

// withClouds returns the configuration with what it lacks taken from a clouds.yaml, when one
// is asked for.
func (g Global) withClouds(s settings) (Global, error) {
	if !g.useClouds && g.cloud == "" {
		return g, nil
	}
	e, err := g.readClouds(s)
	if err != nil {
		return g, err
	}
	if e, err = e.inRegion(g.Region); err != nil {
		return g, err
	}
	return g, g.fill(e)
}

// readClouds finds the entry. secure.yaml counts before clouds.yaml, which counts before
// clouds-public.yaml: each is decoded over what the one before left.
func (g Global) readClouds(s settings) (cloudsEntry, error) {
	var e cloudsEntry
	folders := configFolders()
	path := firstOf(folders, "clouds.yaml")
	if named := cmp.Or(g.cloudsFile, s.cloudsFile); named != "" {
		path = named
		folders = append([]string{filepath.Dir(named)}, folders...)
	}
	if path == "" {
		return e, Missing("clouds-file", "there is no clouds.yaml in "+strings.Join(folders, ", "))
	}
	file, err := readYAML(path)
	if err != nil {
		return e, err
	}
	name, err := chooseCloud(path, cmp.Or(g.cloud, s.cloud), file.Clouds)
	if err != nil {
		return e, err
	}
	layers := []json.RawMessage{file.Clouds[name]}
	secure, err := readYAML(filepath.Join(filepath.Dir(path), "secure.yaml"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	layers = append(layers, secure.Clouds[name])
	if err := overlay(&e, layers...); err != nil {
		return e, fmt.Errorf("reading cloud %s of %s: %w", name, path, err)
	}
	profile := cmp.Or(string(e.Profile), string(e.Cloud))
	if profile == "" {
		return e, nil
	}
	public, err := publicCloud(folders, profile)
	if err != nil {
		return e, err
	}
	e = cloudsEntry{}
	if err := overlay(&e, append([]json.RawMessage{public}, layers...)...); err != nil {
		return e, fmt.Errorf("reading cloud %s of %s and its profile: %w", name, path, err)
	}
	return e, nil
}

// chooseCloud returns the entry to use: the one that is named, else the only one.
func chooseCloud(path, name string, entries map[string]json.RawMessage) (string, error) {
	names := slices.Sorted(maps.Keys(entries))
	if name == "" && len(names) == 1 {
		return names[0], nil
	}
	if !slices.Contains(names, name) {
		return "", &cloud.Invalid{Field: GlobalField("cloud"), Value: name, Want: fmt.Sprintf("%s has: %s", path, strings.Join(names, ", "))}
	}
	return name, nil
}

func publicCloud(folders []string, profile string) (json.RawMessage, error) {
	path := firstOf(folders, "clouds-public.yaml")
	if path == "" {
		return nil, fmt.Errorf("the cloud names the profile %q, and there is no clouds-public.yaml in %s", profile, strings.Join(folders, ", "))
	}
	file, err := readYAML(path)
	if err != nil {
		return nil, err
	}
	if file.Public[profile] == nil {
		return nil, fmt.Errorf("the cloud names the profile %q, which %s lacks: it has %s", profile, path, strings.Join(slices.Sorted(maps.Keys(file.Public)), ", "))
	}
	return file.Public[profile], nil
}

// overlay decodes one layer over the other.
func overlay(into any, layers ...json.RawMessage) error {
	for _, layer := range layers {
		if len(layer) == 0 {
			continue
		}
		if err := json.Unmarshal(layer, into); err != nil {
			return err
		}
	}
	return nil
}

// inRegion applies what the entry says about the region that is used: the one that is named,
// else the first of its regions.
func (e cloudsEntry) inRegion(region string) (cloudsEntry, error) {
	e.Region = cmp.Or(scalar(region), e.Region)
	for _, raw := range e.Regions {
		var r cloudsRegion
		if err := overlay(&r, raw); err != nil {
			return e, fmt.Errorf("reading the regions of the cloud: %w", err)
		}
		e.Region = cmp.Or(e.Region, r.Name)
		if r.Name != e.Region {
			continue
		}
		if err := overlay(&e, r.Values); err != nil {
			return e, fmt.Errorf("reading region %s of the cloud: %w", r.Name, err)
		}
		break
	}
	return e, nil
}

// cloudsRegion is a region of an entry: its name, or a name with values of its own.
type cloudsRegion struct {
	Name   scalar
	Values json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *cloudsRegion) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] != '{' {
		return json.Unmarshal(data, &r.Name)
	}
	type full cloudsRegion
	return json.Unmarshal(data, (*full)(r))
}

func readYAML(path string) (cloudsFile, error) {
	var file cloudsFile
	content, err := os.ReadFile(path)
	if err != nil {
		return file, fmt.Errorf("reading the clouds: %w", err)
	}
	raw, err := yaml.YAMLToJSON(content)
	if err != nil || json.Unmarshal(raw, &file) != nil {
		// The parser's own message may show a value, which may be secret.
		return file, fmt.Errorf("reading the clouds: %s is not YAML with clouds by name below \"clouds\"", path)
	}
	return file, nil
}

// configFolders are where the files are looked for.
func configFolders() []string {
	folders := []string{"."}
	if user, err := os.UserConfigDir(); err == nil {
		folders = append(folders, filepath.Join(user, "openstack"))
	}
	return append(folders, "/etc/openstack")
}

func firstOf(folders []string, name string) string {
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Settings are the validated environment variables.
type Settings struct {
	Endpoint    *url.URL
	MetadataURL *url.URL
	// Network is the id or name of the network, "" for none.
	Network string
	// AttachedCheck says whether this machine has to be in the network.
	AttachedCheck bool
	// Routes says whether the network has routes of ours.
	Routes bool
	// IPv4 and IPv6 are the families of the public addresses of Nodes.
	IPv4, IPv6 bool
	ZoneLabel  bool
	Robot      Robot
	// Balancers says whether there are load balancers.
	Balancers bool
}

// Robot is about dedicated servers.
type Robot struct {
	Enabled bool
	BaseURL *url.URL
	// Credentials says that the web service can be asked.
	Credentials bool
	// ForwardInternalIPs says whether the internal addresses of kubelets stay.
	ForwardInternalIPs bool
	// NameMustMatch says that a server of another name than its Node is not the Node's.
	NameMustMatch bool
}

// Read validates all variables and reports every problem at once.
func Read(c cloud.Config) (Settings, error) {
	r := &reader{cloud.SettingReader{Lookup: c.Lookup}, c.Secret}
	family, families := strings.ToLower(r.Text(EnvFamily)), []string{FamilyIPv4, FamilyIPv6, FamilyDualStack}
	if !slices.Contains(families, family) {
		r.Refuse(EnvFamily, family, "want "+strings.Join(families, " or "))
	}
	s := Settings{
		Endpoint:      r.baseURL(EnvEndpoint),
		MetadataURL:   r.baseURL(EnvMetadataURL),
		Network:       r.secret(EnvNetwork),
		AttachedCheck: !r.Bool(EnvNoAttachCheck),
		Routes:        r.Bool(EnvRoutes),
		IPv4:          family != FamilyIPv6,
		IPv6:          family == FamilyIPv6 || family == FamilyDualStack,
		ZoneLabel:     r.Bool(EnvZoneLabel),
		Robot:         r.robot(),
		Balancers:     r.Bool(EnvBalancers),
	}
	s.Routes = s.Routes && s.Network != ""
	if r.secret(EnvToken) == "" {
		r.Add(fmt.Errorf("%s: want an API token, or %s_FILE with the path of one", EnvToken, EnvToken))
	}
	return s, r.Err()
}

// reader reads the forms that only these variables have.
type reader struct {
	cloud.SettingReader
	secrets func(name string) (string, error)
}

func (r *reader) robot() Robot {
	user, password := r.secret(EnvRobotUser), r.secret(EnvRobotPassword)
	if (user == "") != (password == "") {
		r.Add(fmt.Errorf("%s and %s: want both or neither", EnvRobotUser, EnvRobotPassword))
	}
	enabled := r.Bool(EnvRobot)
	return Robot{
		Enabled: enabled, BaseURL: r.baseURL(EnvRobotURL), Credentials: enabled && user != "",
		ForwardInternalIPs: r.Bool(EnvRobotAddresses), NameMustMatch: r.Bool(EnvRobotName),
	}
}

func (r *reader) secret(name string) string {
	text, err := r.secrets(name)
	if err != nil {
		r.Add(fmt.Errorf("reading %s: %w", name, err))
	}
	return strings.TrimSpace(text)
}

// baseURL returns a URL that has a default.
func (r *reader) baseURL(name string) *url.URL {
	u := r.URL(name)
	if r.Text(name) == "" {
		r.Refuse(name, "", "want an absolute http or https URL")
	}
	return u
}

package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

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
	Balancers  Balancers
}

// Robot is about dedicated servers.
type Robot struct {
	Enabled bool
	BaseURL *url.URL
	// Credentials says that the web service can be asked.
	Credentials bool
	// ForwardInternalIPs says whether the internal addresses of kubelets stay.
	ForwardInternalIPs bool
}

// Balancers are defaults that hold where a Service's annotation says nothing.
type Balancers struct {
	Enabled bool
	// At most one of Location and NetworkZone is set.
	Location, NetworkZone string
	Type                  string
	// Algorithm is AlgorithmRoundRobin, AlgorithmLeastConnections or "".
	Algorithm             string
	UsePrivateIP          bool
	DisablePrivateIngress bool
	DisableIPv6           bool
	// DisablePublicNetwork and UsesProxyProtocol are nil when not set.
	DisablePublicNetwork *bool
	UsesProxyProtocol    *bool
	// PrivateSubnetIPRange is not valid when not set.
	PrivateSubnetIPRange netip.Prefix
	// HealthInterval, HealthTimeout and HealthRetries are 0 when not set.
	HealthInterval, HealthTimeout time.Duration
	HealthRetries                 int
}

// Read validates all variables and reports every problem at once.
func Read(c cloud.Config) (Settings, error) {
	r := &reader{cloud.SettingReader{Lookup: c.Lookup}, c.Secret}
	family := r.oneOf(EnvFamily, FamilyIPv4, FamilyIPv6, FamilyDualStack)
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
		Balancers:     r.balancers(),
	}
	s.Routes = s.Routes && s.Network != ""
	if r.secret(EnvToken) == "" {
		r.Add(fmt.Errorf("%s: want an API token, or %s_FILE with the path of one", EnvToken, EnvToken))
	}
	if s.Balancers.UsePrivateIP && s.Network == "" {
		r.Refuse(EnvPrivateIP, "true", "want "+EnvNetwork+" too, which has the private addresses")
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
		ForwardInternalIPs: r.Bool(EnvRobotAddresses),
	}
}

func (r *reader) balancers() Balancers {
	b := Balancers{
		Enabled:               r.Bool(EnvBalancers),
		Location:              r.Text(EnvLocation),
		NetworkZone:           r.Text(EnvNetworkZone),
		Type:                  r.Text(EnvType),
		Algorithm:             r.oneOf(EnvAlgorithm, "", AlgorithmRoundRobin, AlgorithmLeastConnections),
		UsePrivateIP:          r.Bool(EnvPrivateIP),
		DisablePrivateIngress: r.Bool(EnvNoPrivateIngress),
		DisableIPv6:           r.Bool(EnvNoIPv6),
		DisablePublicNetwork:  r.tristate(EnvNoPublicNetwork),
		UsesProxyProtocol:     r.tristate(EnvProxyProtocol),
		PrivateSubnetIPRange:  r.prefix(EnvSubnet),
		HealthInterval:        r.duration(EnvHealthInterval),
		HealthTimeout:         r.duration(EnvHealthTimeout),
	}
	retries := r.Positive(EnvHealthRetries, "want a whole number above 0")
	if b.HealthRetries = int(retries); float64(b.HealthRetries) != retries {
		r.Refuse(EnvHealthRetries, r.Text(EnvHealthRetries), "want a whole number above 0")
	}
	if b.Location != "" && b.NetworkZone != "" {
		r.Refuse(EnvNetworkZone, b.NetworkZone, "want "+EnvLocation+" or "+EnvNetworkZone+", not both")
	}
	return b
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

// oneOf returns the one of the texts that the value is in any case.
func (r *reader) oneOf(name string, texts ...string) string {
	text := r.Text(name)
	for _, possible := range texts {
		if strings.EqualFold(text, possible) {
			return possible
		}
	}
	r.Refuse(name, text, "want "+strings.TrimPrefix(strings.Join(texts, " or "), " or "))
	return ""
}

func (r *reader) tristate(name string) *bool {
	if r.Text(name) == "" {
		return nil
	}
	return new(r.Bool(name))
}

func (r *reader) prefix(name string) netip.Prefix {
	text := r.Text(name)
	if text == "" {
		return netip.Prefix{}
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		r.Refuse(name, text, "want a CIDR such as 10.0.1.0/24")
	}
	return prefix
}

func (r *reader) duration(name string) time.Duration {
	text := r.Text(name)
	if text == "" || text == "0" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second {
		r.Refuse(name, text, "want a time of at least a second, such as 15s")
	}
	return d.Truncate(time.Second)
}

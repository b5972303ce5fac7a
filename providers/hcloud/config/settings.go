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
	r := &cloud.SettingReader{Lookup: c.Lookup, Secret: c.Secret}
	family, families := strings.ToLower(r.Text(EnvFamily)), []string{FamilyIPv4, FamilyIPv6, FamilyDualStack}
	if !slices.Contains(families, family) {
		r.Refuse(EnvFamily, family, "want "+strings.Join(families, " or "))
	}
	s := Settings{
		Endpoint:      r.BaseURL(EnvEndpoint),
		MetadataURL:   r.BaseURL(EnvMetadataURL),
		Network:       r.SecretText(EnvNetwork),
		AttachedCheck: !r.Bool(EnvNoAttachCheck),
		Routes:        r.Bool(EnvRoutes),
		IPv4:          family != FamilyIPv6,
		IPv6:          family == FamilyIPv6 || family == FamilyDualStack,
		ZoneLabel:     r.Bool(EnvZoneLabel),
		Robot:         robot(r),
		Balancers:     r.Bool(EnvBalancers),
	}
	s.Routes = s.Routes && s.Network != ""
	return s, r.Err()
}

func robot(r *cloud.SettingReader) Robot {
	user, password := r.SecretText(EnvRobotUser), r.SecretText(EnvRobotPassword)
	if (user == "") != (password == "") {
		r.Add(fmt.Errorf("%s and %s: want both or neither", EnvRobotUser, EnvRobotPassword))
	}
	enabled := r.Bool(EnvRobot)
	return Robot{
		Enabled: enabled, BaseURL: r.BaseURL(EnvRobotURL), Credentials: enabled && user != "",
		ForwardInternalIPs: r.Bool(EnvRobotAddresses), NameMustMatch: r.Bool(EnvRobotName),
	}
}

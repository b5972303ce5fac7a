package hcloud

import (
	"net/http"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/network"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/robot"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/server"
)

// Descriptor returns the static facts of the provider. The limits are the published ones: of the cloud
// API for each project, of Robot for each user.
func Descriptor() cloud.Descriptor {
	return cloud.Descriptor{
		Name:              "hcloud",
		Title:             "Hetzner",
		Status:            cloud.StatusAlpha,
		ProviderIDSchemes: []string{server.Scheme, server.DedicatedScheme},
		ProviderIDForm:    server.Scheme + "://<number of the server>",
		Capabilities: cloud.Capabilities{
			Balancers:       true,
			Routes:          true,
			RoutesUntagged:  true,
			RoutesByAddress: true,
			MaxRoutes:       network.Most,
			Protocols:       []cloud.Protocol{cloud.ProtocolTCP},
			LeavesOut:       []cloud.Protocol{cloud.ProtocolUDP, cloud.ProtocolSCTP},
			NodePorts:       true,
			Fields:          desired.Fields(),
			Immutable:       desired.Immutable,
		},
		Limits: cloud.Limits{
			PageSize:        api.MaxPage,
			GetBatch:        1,
			RequestsPerHour: 3600,
			APIs:            []cloud.API{ofRobot(robotAPI, 200), ofRobot(resetAPI, 500)},
		},
		Settings:     config.Declared(),
		Variables:    cloud.Variables{Prefix: "HCLOUD_", Others: ofCLI},
		Secret:       "hcloud",
		IDAnnotation: desired.ID.Name,
	}
}

// ofCLI are variables that the command line of Hetzner reads, which may be set where `doctor` or `adopt` run.
var ofCLI = []string{
	"HCLOUD_CONFIG", "HCLOUD_CONTEXT", "HCLOUD_DEBUG_FILE", "HCLOUD_DEFAULT_SSH_KEYS", "HCLOUD_HETZNER_ENDPOINT", "HCLOUD_NO_EXPERIMENTAL_WARNINGS",
	"HCLOUD_POLL_INTERVAL", "HCLOUD_QUIET", "HCLOUD_SORT",
}

// Robot is the web service of dedicated servers. It counts requests for servers and for their power states apart.
const (
	robotAPI = "robot"
	resetAPI = "robot-reset"
)

// ofRobot are the limits of a part of Robot. Three wrong logins lock an address out for ten minutes. Answers are kept as
// long as upstream keeps them by default.
func ofRobot(name string, perHour int) cloud.API {
	return cloud.API{Name: name, RequestsPerHour: perHour, Pause: robot.LockPause, Keep: 5 * time.Minute, Refused: 10 * time.Minute}
}

// API says which requests are of Robot. The paths of the cloud API have neither of its names there.
func API(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for _, part := range parts[max(0, len(parts)-2):] {
		switch {
		case r.Method != http.MethodGet:
		case part == "server":
			return robotAPI
		case part == "reset":
			return resetAPI
		}
	}
	return ""
}

// Throttled recognises Robot's answer that its limit is used up.
func Throttled(r *http.Response) bool { return robot.Throttled(r) }

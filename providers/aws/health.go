package aws

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// healthPath is where kube-proxy answers.
const healthPath = "/healthz"

// asksForPath reports whether health checks with the protocol have a path.
func asksForPath(p cloud.Protocol) bool { return p == cloud.ProtocolHTTP || p == cloud.ProtocolHTTPS }

func sameHealth(x, y cloud.Health) bool {
	return x.Protocol == y.Protocol && x.Port == y.Port && x.Path == y.Path && x.Interval == y.Interval &&
		x.Timeout == y.Timeout && x.Healthy == y.Healthy && x.Unhealthy == y.Unhealthy
}

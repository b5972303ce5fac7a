package sim

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// The annotations of this provider. A key that means the same on every cloud has the
// portable prefix; the spelling a cloud's own controller introduced is an alias.
var (
	ID = annotation.Key{
		Name: annotation.Prefix + "sim-balancer-id", Type: annotation.TypeString,
		Check: checkID, Want: `the id of a balancer, such as "lb-1"`,
		Doc: "The id of the balancer, written once it exists. Set it in advance to adopt a balancer.",
	}
	Name          = annotation.Name.WithAliases("service.beta.kubernetes.io/sim-loadbalancer-name")
	Internal      = annotation.Internal
	ProxyProtocol = annotation.ProxyProtocol
	Algorithm     = annotation.Algorithm.OneOf("round_robin", "least_connections").Standing("round_robin")
	// Without them kube-proxy is asked, whose word on each node counts for all Services.
	HealthProtocol = annotation.HealthProtocol.OneOf("http", "tcp")
	HealthPort     = annotation.HealthPort
	HealthPath     = annotation.HealthPath
	HealthInterval = annotation.HealthInterval.Within(5, 300).Standing("10")
	HealthTimeout  = annotation.HealthTimeout.Within(1, 60).Standing("5")
	Healthy        = annotation.HealthyThreshold.Within(1, 10).Standing("2")
	Unhealthy      = annotation.UnhealthyThreshold.Within(1, 10).Standing("3")
)

// checkID reports whether a text can be the id of a balancer. It becomes part of a URL path.
func checkID(id string) (string, bool) {
	return id, id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Annotations returns all of them, in the order of the documentation.
func Annotations() annotation.Set {
	return annotation.Set{ID, Name, Internal, ProxyProtocol, Algorithm, HealthProtocol, HealthPort, HealthPath, HealthInterval, HealthTimeout, Healthy, Unhealthy}
}

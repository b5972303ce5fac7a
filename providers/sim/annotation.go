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
	Algorithm     = annotation.Key{
		Name: annotation.Prefix + "algorithm", Type: annotation.TypeEnum, Default: "round_robin",
		Enum: []string{"round_robin", "least_connections"},
		Doc:  "How a target is chosen.",
	}
	HealthProtocol = annotation.Key{
		Name: annotation.Prefix + "health-check-protocol", Type: annotation.TypeEnum, Default: "http",
		Enum: []string{"http", "tcp"},
		Doc:  "How targets are probed, at the port where kube-proxy answers for the Service.",
	}
	HealthPath = annotation.Key{
		Name: annotation.Prefix + "health-check-path", Type: annotation.TypeString, Default: "/healthz",
		Applies: "health-check-protocol http", Want: `a path such as "/healthz"`,
		Check: func(path string) (string, bool) { return path, path[0] == '/' },
		Doc:   "Path that has to answer 200.",
	}
	HealthInterval = annotation.Key{
		Name: annotation.Prefix + "health-check-interval", Type: annotation.TypeDuration, Default: "10", Min: 5, Max: 300,
		Doc: "Time between two probes.",
	}
)

// checkID reports whether a text can be the id of a balancer. It becomes part of a URL path.
func checkID(id string) (string, bool) {
	return id, id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Annotations returns all of them, in the order of the documentation.
func Annotations() annotation.Set {
	return annotation.Set{ID, Name, Internal, ProxyProtocol, Algorithm, HealthProtocol, HealthPath, HealthInterval}
}

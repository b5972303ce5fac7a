package sim

import "github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"

// The annotations of this provider. A key that means the same on every cloud has the
// portable prefix; the spelling a cloud's own controller introduced is an alias.
var (
	ID = annotation.Key{
		Name: annotation.Prefix + "sim-balancer-id", Type: annotation.TypeString,
		Doc: "The id of the balancer, written once it exists. Set it in advance to adopt a balancer.",
	}
	Name = annotation.Key{
		Name: annotation.Prefix + "name", Type: annotation.TypeString,
		Aliases: []string{"service.beta.kubernetes.io/sim-loadbalancer-name"},
		Doc:     "Name of the balancer, unique in the account. By default it is made of the Service's UID.",
	}
	Internal = annotation.Key{
		Name: annotation.Prefix + "internal", Type: annotation.TypeBool, Default: "false",
		Doc: "Give the balancer a private address only. It can't be changed later.",
	}
	ProxyProtocol = annotation.Key{
		Name: annotation.Prefix + "proxy-protocol", Type: annotation.TypeBool, Default: "false",
		Doc: "Begin each connection to a target with a PROXY protocol header.",
	}
	Algorithm = annotation.Key{
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
		Name: annotation.Prefix + "health-check-interval", Type: annotation.TypeDuration, Default: "10s",
		Doc: "Time between two probes, rounded up to whole seconds, 5s to 5m.",
	}
)

// Annotations returns all of them, in the order of the documentation.
func Annotations() annotation.Set {
	return annotation.Set{ID, Name, Internal, ProxyProtocol, Algorithm, HealthProtocol, HealthPath, HealthInterval}
}

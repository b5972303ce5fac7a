package annotation

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The portable keys: what many clouds can do, spelled and meant in the same way on each that can. A
// provider declares those it can do. It may add aliases, bounds, a check, a default and a Note, and
// nothing else: the type and what the key does are the same everywhere.
var (
	// Name is the name of the balancer.
	Name = Key{
		Name: Prefix + "name", Type: TypeString, Field: "name",
		Doc: "Name of the balancer. By default it is derived from the Service's UID.",
	}
	// Internal makes it an internal balancer.
	Internal = Key{
		Name: Prefix + "internal", Type: TypeBool, Default: "false", Field: "scope", Read: isInternal,
		Doc: "Give the balancer a private address only.",
	}
	// Address is the address of the balancer.
	Address = Key{
		Name: Prefix + "address", Type: TypeString, Field: "address",
		Doc: "Address the balancer shall have. By default the cloud chooses one.",
	}
	// Subnet is where the balancer is.
	Subnet = Key{
		Name: Prefix + "subnet", Type: TypeList, Field: "subnet",
		Doc: "Subnet of the balancer, as the cloud names it; several, one in each zone, where the cloud takes several. By default the configured one, or one that the cloud finds.",
	}
	// Size is how large the balancer is.
	Size = Key{
		Name: Prefix + "size", Type: TypeString, Field: "size",
		Doc: "How large the balancer is, in the cloud's own sizes. By default the cloud's own.",
	}
	// Algorithm is how a node is chosen.
	Algorithm = Key{
		Name: Prefix + "algorithm", Type: TypeEnum, Enum: []string{"round_robin", "least_connections", "source_ip"}, Field: "algorithm", Read: lower,
		Doc: "How the node for a connection is chosen: in turn, the one with the fewest connections, or by the client's address. By default the cloud's own.",
	}
	// ProxyProtocol tells targets where a connection comes from.
	ProxyProtocol = Key{
		Name: Prefix + "proxy-protocol", Type: TypeBool, Default: "false", Field: "proxyProtocol",
		Doc: "Begin each connection to a node with a PROXY protocol header.",
	}
	// IdleTimeout is how long a connection may be silent.
	IdleTimeout = Key{
		Name: Prefix + "idle-timeout", Type: TypeDuration, Field: "idleTimeout",
		Doc: "How long a connection may be silent before the balancer closes it. By default the cloud's own.",
	}
	// Certificate is that of the ports that terminate TLS.
	Certificate = Key{
		Name: Prefix + "certificate", Type: TypeList, Field: "certificate",
		Doc: "Certificate of the ports that terminate TLS, as the cloud names it; several, the default one first, where the cloud takes several. By default no port terminates TLS.",
	}
	// TLSPorts are the ports that terminate TLS.
	TLSPorts = Key{
		Name: Prefix + "tls-ports", Type: TypePorts, Field: "tls",
		Doc: "Service ports that terminate TLS, where there is a certificate. By default 443 or every TCP port, as the cloud's own controller did: name them to have the same everywhere.",
	}
	// SessionCookie keeps a client with its node.
	SessionCookie = Key{
		Name: Prefix + "session-cookie", Type: TypeString, Field: "sessionCookie",
		Doc: "Name of a cookie with which a client stays with its node, on ports that speak HTTP. By default there is none.",
	}
	// SessionCookieTTL is how long the cookie is valid.
	SessionCookieTTL = Key{
		Name: Prefix + "session-cookie-ttl", Type: TypeDuration, Field: "sessionCookieTTL",
		Doc: "How long that cookie is valid.",
	}
	// DeletionProtection keeps the balancer from being deleted.
	DeletionProtection = Key{
		Name: Prefix + "deletion-protection", Type: TypeBool, Default: "false", Field: "deletionProtection",
		Doc: "Make the cloud refuse to delete the balancer, also when the Service is deleted.",
	}
	// HealthProtocol, HealthPort and HealthPath ask for a health check of the Service's own, see OwnCheck.
	HealthProtocol = Key{
		Name: Prefix + "health-check-protocol", Type: TypeEnum, Enum: []string{"tcp", "http", "https"}, Field: "health.protocol", Read: lower,
		Doc: "Check a port of the Service itself, with this protocol; by default http where there is a path, else tcp. Without this key, health-check-port and health-check-path the cloud's own check stays, of kube-proxy or the node port.",
	}
	HealthPort = Key{
		Name: Prefix + "health-check-port", Type: TypeInt, Min: 1, Max: 65535, Field: "health.port",
		Doc: "Check a port of the Service itself: this TCP port, whose node port is asked; by default the first one.",
	}
	HealthPath = Key{
		Name: Prefix + "health-check-path", Type: TypeString, Check: checkPath, Want: "a path that begins with '/'", Field: "health.path",
		Doc: "Check a port of the Service itself: with http or https at this path; by default /.",
	}
	// HealthInterval is the time between two checks.
	HealthInterval = Key{
		Name: Prefix + "health-check-interval", Type: TypeDuration, Field: "health.interval", Read: seconds,
		Doc: "Time between two health checks. By default the cloud's own.",
	}
	// HealthTimeout is how long a check may take.
	HealthTimeout = Key{
		Name: Prefix + "health-check-timeout", Type: TypeDuration, Field: "health.timeout", Read: seconds,
		Doc: "How long a health check may take. By default the cloud's own.",
	}
	// HealthyThreshold is how many checks have to succeed.
	HealthyThreshold = Key{
		Name: Prefix + "health-check-healthy-threshold", Type: TypeInt, Field: "health.healthy",
		Doc: "Good checks in a row after which a node gets traffic. By default the cloud's own.",
	}
	// UnhealthyThreshold is how many checks have to fail.
	UnhealthyThreshold = Key{
		Name: Prefix + "health-check-unhealthy-threshold", Type: TypeInt, Field: "health.unhealthy",
		Doc: "Failed checks in a row after which a node gets no traffic. By default the cloud's own.",
	}
)

// kubernetesSourceRanges is the annotation of Kubernetes that means the same as SourceRanges.
const kubernetesSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges"

// SourceRanges is the twin of spec.loadBalancerSourceRanges. The kernel reads it, see SourceRangesOf.
var SourceRanges = Key{
	Name: Prefix + "source-ranges", Type: TypeList, Field: "allow",
	Doc: "Client networks that may connect, such as `10.0.0.0/8,192.0.2.0/24`. The same as spec.loadBalancerSourceRanges and Kubernetes' own annotation, which win over it, in this order.",
}

// SourceRangesOf returns the client networks that a Service names, and where: in its field, else in the
// annotation of Kubernetes, else in the portable one. idle says that the portable one is there and
// another place says something else.
func SourceRangesOf(field []string, annotations map[string]string) (where string, networks []string, idle bool) {
	where, networks = "spec.loadBalancerSourceRanges", field
	for _, name := range []string{kubernetesSourceRanges, SourceRanges.Name} {
		text := annotations[name]
		if strings.TrimSpace(text) == "" {
			continue
		}
		given := networksIn(text)
		if len(networks) == 0 {
			where, networks = name, given
		} else if name == SourceRanges.Name {
			idle = !slices.Equal(inOrder(given), inOrder(networks))
		}
	}
	return where, networks, idle
}

// networksIn splits at commas and white space, as upstream's does on OpenStack. An empty item between
// commas stays: it is an error, and never everybody.
func networksIn(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if fields := strings.Fields(item); len(fields) > 0 {
			list = append(list, fields...)
		} else {
			list = append(list, "")
		}
	}
	return list
}

func inOrder(items []string) []string {
	items = slices.Clone(items)
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	slices.Sort(items)
	return slices.Compact(items)
}

// Portable returns the portable keys.
func Portable() Set {
	return Set{
		Name, Internal, Address, Subnet, Size, Algorithm, ProxyProtocol, IdleTimeout, Certificate, TLSPorts,
		SessionCookie, SessionCookieTTL, DeletionProtection, HealthProtocol, HealthPort, HealthPath, HealthInterval, HealthTimeout,
		HealthyThreshold, UnhealthyThreshold,
	}
}

func checkPath(value string) (string, bool) { return value, strings.HasPrefix(value, "/") }

func isInternal(scope string) string { return strconv.FormatBool(scope == "internal") }

// seconds reads a duration as fields show it.
func seconds(value string) string {
	d, _ := time.ParseDuration(value)
	return strconv.Itoa(int(d / time.Second))
}

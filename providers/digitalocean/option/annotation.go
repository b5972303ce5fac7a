// Package option declares the annotations of a Service.
package option

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Upstream is the prefix of most of the upstream CCM's keys.
const Upstream = "service.beta.kubernetes.io/do-loadbalancer-"

// RegionalOnly is the Applies of keys that a REGIONAL_NETWORK balancer, which passes packets
// through, can't have.
const RegionalOnly = config.TypeRegional

func regional(key annotation.Key) annotation.Key {
	key.Applies = RegionalOnly
	return key
}

// Annotations returns every key this provider understands, beside the kernel's own.
func Annotations() annotation.Set {
	set := annotation.Set{
		annotation.Disown.WithAliases("service.kubernetes.io/do-loadbalancer-disown"),
		annotation.Hostname.WithAliases(Upstream + "hostname"),
		keyID,
	}
	for _, group := range []annotation.Set{shapeKeys, protocolKeys, proxyKeys, healthKeys, accessKeys} {
		set = append(set, group...)
	}
	return set
}

var keyID = annotation.Key{
	Name: IdAnnotation, Type: annotation.TypeString, Output: true, Check: checkUUID, Want: `the id of a load balancer, such as "6b2f0c2e-1111-4000-8000-000000000000"`,
	Doc: "The id of the balancer, written when it is created. Set it yourself on a new Service to adopt a balancer with its address.",
}

// Keys that say what kind of balancer it is.
var (
	KeyName = annotation.Key{
		Name: annotation.Name.Name, Aliases: []string{Upstream + "name"}, Type: annotation.TypeString,
		Check: checkName, Want: "up to 255 letters, digits, '.' and '-', starting with a letter or digit and not ending in '-'",
		Doc: annotation.Name.Doc,
	}
	KeyType = annotation.Key{
		Name: Upstream + "type", Type: annotation.TypeEnum, Enum: []string{config.TypeRegional, config.TypeNetwork},
		Want: "REGIONAL or REGIONAL_NETWORK (GLOBAL balancers have no droplets as targets and are not supported)",
		Doc:  "Kind of balancer: REGIONAL terminates connections and knows HTTP, REGIONAL_NETWORK passes packets through. By default an existing balancer keeps its type and a new one has that of DEFAULT_LB_TYPE. Can't be changed later.",
	}
	KeyInternal = annotation.Key{
		Name: annotation.Internal.Name, Aliases: []string{Upstream + "network"}, Type: annotation.TypeEnum, Default: "false",
		Enum: []string{"true", "false", NetworkInternal, NetworkExternal}, Check: checkInternal,
		Want: "true or false, or as upstream INTERNAL or EXTERNAL",
		Doc:  "Reach the balancer only from its VPC. Can't be changed later.",
	}
	KeyStack = annotation.Key{
		Name: Upstream + "network-stack", Type: annotation.TypeEnum, Enum: []string{StackIPv4, StackDual},
		Doc: "IPV4, or DUALSTACK for an IPv6 address as well. By default an existing balancer keeps what it has; a new one is DUALSTACK when it is external and REGIONAL, or REGIONAL_NETWORK and every node has public IPv4 and IPv6 addresses. Can't be changed later.",
	}
	KeySubnet = annotation.Key{
		Name: Upstream + "subnet-uuid", Type: annotation.TypeString, Check: checkIdentifier, Want: "the UUID of a VPC subnet",
		Doc: "Subnet of the VPC to put the balancer in (private preview of DigitalOcean). Can't be changed later.",
	}
	KeyIP = annotation.Key{
		Name: Upstream + "ip", Type: annotation.TypeString, Check: checkIPv4, Want: "an IPv4 address",
		Doc: "An address of your own (BYOIP) for a new balancer. Can't be changed later.",
	}
	KeySize = annotation.Key{
		Name: annotation.Prefix + "size", Aliases: []string{Upstream + "size-unit"}, Type: annotation.TypeInt, Max: 100,
		Want: "a number of balancer nodes between 1 and 100, or 0 to leave the size alone",
		Doc:  "Number of nodes of the balancer. Without it a size set by hand is kept. DigitalOcean allows one change per hour.",
	}
	KeySizeSlug = annotation.Key{
		Name: Upstream + "size-slug", Type: annotation.TypeEnum, Enum: []string{"lb-small", "lb-medium", "lb-large"},
		Doc: "Deprecated by DigitalOcean: size of 1, 3 or 6 nodes. Excludes size-unit.",
	}
	shapeKeys = annotation.Set{KeyName, KeyType, KeyInternal, KeyStack, KeySubnet, KeyIP, KeySize, KeySizeSlug}
)

// Keys that say which protocol each port speaks.
var (
	KeyProtocol = annotation.Key{
		// Validated with the ports, because a REGIONAL_NETWORK balancer never used it.
		Name: Upstream + "protocol", Type: annotation.TypeString, Default: "tcp", Applies: RegionalOnly,
		Want: "tcp, http, https or http2",
		Doc:  "Protocol of the TCP ports that no list names: tcp, http, https or http2.",
	}
	KeyHTTPPorts = annotation.Key{
		Name: Upstream + "http-ports", Type: annotation.TypePorts, Applies: RegionalOnly,
		Doc: "Service ports that speak HTTP.",
	}
	KeyTLSPorts = annotation.Key{
		Name: Upstream + "tls-ports", Type: annotation.TypePorts, Applies: RegionalOnly,
		Doc: "Service ports that speak HTTPS. By default 443, when there is a certificate or passthrough and http2-ports does not name it.",
	}
	KeyHTTP2Ports = annotation.Key{
		Name: Upstream + "http2-ports", Type: annotation.TypePorts, Applies: RegionalOnly,
		Doc: "Service ports that speak HTTP/2 over TLS.",
	}
	KeyHTTP3Port = annotation.Key{
		Name: Upstream + "http3-port", Type: annotation.TypeInt, Min: 1, Max: 65535, Applies: RegionalOnly,
		Doc: "Service port that is served over HTTP/3 too. Needs a certificate.",
	}
	KeyPassthrough = annotation.Key{
		Name: Upstream + "tls-passthrough", Type: annotation.TypeBool, Default: "false", Lenient: true, Applies: RegionalOnly,
		Doc: "Pass TLS through to the nodes instead of terminating it. Excludes a certificate.",
	}
	KeyCertificateID = annotation.Key{
		Name: Upstream + "certificate-id", Type: annotation.TypeString, Check: checkIdentifier, Want: "the UUID of a certificate", Applies: RegionalOnly,
		Doc: "Certificate of the HTTPS, HTTP/2 and HTTP/3 ports. It is rewritten when DigitalOcean has renewed a Let's Encrypt certificate.",
	}
	KeyCertificateName = annotation.Key{
		Name: Upstream + "certificate-name", Type: annotation.TypeString, Applies: RegionalOnly,
		Doc: "Certificate by name; certificate-id wins over it.",
	}
	KeyNoDNSRecords = annotation.Key{
		Name: Upstream + "disable-lets-encrypt-dns-records", Type: annotation.TypeBool, Default: "false", Applies: RegionalOnly,
		Doc: "Don't create DNS records for the domains of a Let's Encrypt certificate.",
	}
	protocolKeys = annotation.Set{
		KeyProtocol, KeyHTTPPorts, KeyTLSPorts, KeyHTTP2Ports, KeyHTTP3Port, KeyPassthrough,
		KeyCertificateID, KeyCertificateName, KeyNoDNSRecords,
	}
)

// Keys that say how connections are handled.
var (
	KeyRedirect = annotation.Key{
		Name: Upstream + "redirect-http-to-https", Type: annotation.TypeBool, Default: "false", Applies: RegionalOnly,
		Doc: "Redirect HTTP on port 80 to HTTPS on port 443.",
	}
	KeyProxyProtocol    = regional(annotation.ProxyProtocol.WithAliases(Upstream + "enable-proxy-protocol"))
	KeyBackendKeepalive = annotation.Key{
		Name: Upstream + "enable-backend-keepalive", Type: annotation.TypeBool, Default: "false", Applies: RegionalOnly,
		Doc: "Keep HTTP connections to the nodes open.",
	}
	KeyIdleTimeout = annotation.Key{
		Name: annotation.Prefix + "idle-timeout", Aliases: []string{Upstream + "http-idle-timeout-seconds"}, Type: annotation.TypeDuration, Default: "60", Min: 30, Max: 600, Applies: RegionalOnly,
		Doc: "How long an idle HTTP connection stays open.",
	}
	KeySticky = annotation.Key{
		Name: Upstream + "sticky-sessions-type", Type: annotation.TypeEnum, Enum: []string{StickyNone, StickyCookies}, Default: StickyNone, Lenient: true, Applies: RegionalOnly,
		Doc: "With cookies a client stays with its node; needs the two keys below.",
	}
	KeyCookieName = annotation.Key{
		Name: Upstream + "sticky-sessions-cookie-name", Type: annotation.TypeString, Applies: RegionalOnly,
		Check: checkCookie, Want: "2 to 40 characters",
		Doc: "Name of the cookie.",
	}
	KeyCookieTTL = annotation.Key{
		Name: Upstream + "sticky-sessions-cookie-ttl", Type: annotation.TypeInt, Min: 1, Max: 34650, Applies: RegionalOnly,
		Doc: "Life of the cookie in seconds.",
	}
	KeyAlgorithm = annotation.Key{
		Name: Upstream + "algorithm", Type: annotation.TypeEnum, Enum: []string{RoundRobin, leastConnections}, Default: RoundRobin, Lenient: true, Applies: RegionalOnly,
		Doc: "Deprecated: it is sent, but DigitalOcean ignores it.",
	}
	proxyKeys = annotation.Set{
		KeyRedirect, KeyProxyProtocol, KeyBackendKeepalive, KeyIdleTimeout, KeySticky, KeyCookieName, KeyCookieTTL, KeyAlgorithm,
	}
)

// Keys of the health check.
var (
	KeyHealthInterval = annotation.Key{
		Name: annotation.Prefix + "health-check-interval", Aliases: []string{Upstream + "healthcheck-check-interval-seconds"}, Type: annotation.TypeDuration, Default: "3", Min: 3, Max: 300,
		Doc: "Time between two health checks.",
	}
	KeyHealthTimeout = annotation.Key{
		Name: annotation.Prefix + "health-check-timeout", Aliases: []string{Upstream + "healthcheck-response-timeout-seconds"}, Type: annotation.TypeDuration, Default: "5", Min: 3, Max: 300,
		Doc: "How long to wait for the answer to a health check.",
	}
	KeyHealthUnhealthy = annotation.Key{
		Name: annotation.Prefix + "health-check-unhealthy-threshold", Aliases: []string{Upstream + "healthcheck-unhealthy-threshold"}, Type: annotation.TypeInt, Default: "3", Min: 2, Max: 10,
		Doc: "Failed checks in a row after which a node gets no traffic.",
	}
	KeyHealthHealthy = annotation.Key{
		Name: annotation.Prefix + "health-check-healthy-threshold", Aliases: []string{Upstream + "healthcheck-healthy-threshold"}, Type: annotation.TypeInt, Default: "5", Min: 2, Max: 10,
		Doc: "Good checks in a row after which a node gets traffic.",
	}
	KeyHealthOverride = annotation.Key{
		Name: Upstream + "override-health-check", Type: annotation.TypePresence,
		Doc: "Check a port of the Service itself, as the three keys below say, instead of each node's /healthz. Its mere presence counts.",
	}
	KeyHealthPort = annotation.Key{
		Name: annotation.Prefix + "health-check-port", Aliases: []string{Upstream + "healthcheck-port"}, Type: annotation.TypeInt, Min: 1, Max: 65535, Applies: OverrideOnly,
		Doc: "The TCP Service port whose node port is checked; by default the first one.",
	}
	KeyHealthPath = annotation.Key{
		Name: annotation.Prefix + "health-check-path", Aliases: []string{Upstream + "healthcheck-path"}, Type: annotation.TypeString, Applies: OverrideOnly,
		Check: checkPath, Want: "a path starting with '/'",
		Doc: "Path of HTTP and HTTPS checks; by default /.",
	}
	KeyHealthProtocol = annotation.Key{
		Name: annotation.Prefix + "health-check-protocol", Aliases: []string{Upstream + "healthcheck-protocol"}, Type: annotation.TypeEnum, Enum: []string{"tcp", "http", "https"}, Applies: OverrideOnly,
		Doc: "Protocol of the check; by default http when there is a path, else tcp.",
	}
	healthKeys = annotation.Set{
		KeyHealthInterval, KeyHealthTimeout, KeyHealthUnhealthy, KeyHealthHealthy,
		KeyHealthOverride, KeyHealthPort, KeyHealthPath, KeyHealthProtocol,
	}
)

// OverrideOnly is the Applies of keys that need override-health-check.
const OverrideOnly = "override-health-check"

// Keys that say who may connect.
var (
	KeyAllow = annotation.Key{
		Name: Upstream + "allow-rules", Type: annotation.TypeList, Check: CheckRules, Want: wantRules,
		Doc: "Clients that may connect. Ignored when spec.loadBalancerSourceRanges is set.",
	}
	KeyDeny = annotation.Key{
		Name: Upstream + "deny-rules", Type: annotation.TypeList, Check: CheckRules, Want: wantRules,
		Doc: "Clients that may not connect.",
	}
	keyFirewall = annotation.Key{
		Name: annotation.Prefix + "firewall-managed", Aliases: []string{"kubernetes.digitalocean.com/firewall-managed"}, Type: annotation.TypeBool, Default: "true", Lenient: true,
		Doc: "With false the managed cloud firewall gets no opening for this Service.",
	}
	accessKeys = annotation.Set{KeyAllow, KeyDeny, keyFirewall}
)

// IdAnnotation records the id of a Service's balancer, as the upstream CCM did.
const IdAnnotation = "kubernetes.digitalocean.com/load-balancer-id"

// Values of sticky sessions and algorithms, as the API spells them.
const (
	StickyNone       = "none"
	StickyCookies    = "cookies"
	RoundRobin       = "round_robin"
	leastConnections = "least_connections"
)

// Values of the API's network and network_stack.
const (
	NetworkInternal = "INTERNAL"
	NetworkExternal = "EXTERNAL"
	StackIPv4       = "IPV4"
	StackDual       = "DUALSTACK"
)

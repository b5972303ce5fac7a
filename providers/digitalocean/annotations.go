package digitalocean

import "github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"

// upstream is the prefix of most of the upstream CCM's keys.
const upstream = "service.beta.kubernetes.io/do-loadbalancer-"

// regionalOnly is the Applies of keys that a REGIONAL_NETWORK balancer, which passes packets
// through, can't have.
const regionalOnly = typeRegional

func regional(key annotation.Key) annotation.Key {
	key.Applies = regionalOnly
	return key
}

// Annotations returns every key this provider understands, beside the kernel's own.
func Annotations() annotation.Set {
	set := annotation.Set{
		annotation.Disown.WithAliases("service.kubernetes.io/do-loadbalancer-disown"),
		annotation.Hostname.WithAliases(upstream + "hostname"),
		keyID,
	}
	for _, group := range []annotation.Set{shapeKeys, protocolKeys, proxyKeys, healthKeys, accessKeys} {
		set = append(set, group...)
	}
	return set
}

var keyID = annotation.Key{
	Name: idAnnotation, Type: annotation.TypeString, Output: true, Check: checkUUID, Want: `the id of a load balancer, such as "6b2f0c2e-1111-4000-8000-000000000000"`,
	Doc: "The id of the balancer, written when it is created. Set it yourself on a new Service to adopt a balancer with its address.",
}

// Keys that say what kind of balancer it is.
var (
	keyName = annotation.Key{
		Name: annotation.Name.Name, Aliases: []string{upstream + "name"}, Type: annotation.TypeString,
		Check: checkName, Want: "up to 255 letters, digits, '.' and '-', starting with a letter or digit and not ending in '-'",
		Doc: annotation.Name.Doc,
	}
	keyType = annotation.Key{
		Name: upstream + "type", Type: annotation.TypeEnum, Enum: []string{typeRegional, typeNetwork},
		Want: "REGIONAL or REGIONAL_NETWORK (GLOBAL balancers have no droplets as targets and are not supported)",
		Doc:  "Kind of balancer: REGIONAL terminates connections and knows HTTP, REGIONAL_NETWORK passes packets through. By default an existing balancer keeps its type and a new one has that of DEFAULT_LB_TYPE. Can't be changed later.",
	}
	keyInternal = annotation.Key{
		Name: annotation.Internal.Name, Aliases: []string{upstream + "network"}, Type: annotation.TypeEnum, Default: "false",
		Enum: []string{"true", "false", networkInternal, networkExternal}, Check: checkInternal,
		Want: "true or false, or as upstream INTERNAL or EXTERNAL",
		Doc:  "Reach the balancer only from its VPC. Can't be changed later.",
	}
	keyStack = annotation.Key{
		Name: upstream + "network-stack", Type: annotation.TypeEnum, Enum: []string{stackIPv4, stackDual},
		Doc: "IPV4, or DUALSTACK for an IPv6 address as well. By default an existing balancer keeps what it has; a new one is DUALSTACK when it is external and REGIONAL, or REGIONAL_NETWORK and every node has public IPv4 and IPv6 addresses. Can't be changed later.",
	}
	keySubnet = annotation.Key{
		Name: upstream + "subnet-uuid", Type: annotation.TypeString, Check: checkIdentifier, Want: "the UUID of a VPC subnet",
		Doc: "Subnet of the VPC to put the balancer in (private preview of DigitalOcean). Can't be changed later.",
	}
	keyIP = annotation.Key{
		Name: upstream + "ip", Type: annotation.TypeString, Check: checkIPv4, Want: "an IPv4 address",
		Doc: "An address of your own (BYOIP) for a new balancer. Can't be changed later.",
	}
	keySize = annotation.Key{
		Name: annotation.Prefix + "size", Aliases: []string{upstream + "size-unit"}, Type: annotation.TypeInt, Max: 100,
		Want: "a number of balancer nodes between 1 and 100, or 0 to leave the size alone",
		Doc:  "Number of nodes of the balancer. Without it a size set by hand is kept. DigitalOcean allows one change per hour.",
	}
	keySizeSlug = annotation.Key{
		Name: upstream + "size-slug", Type: annotation.TypeEnum, Enum: []string{"lb-small", "lb-medium", "lb-large"},
		Doc: "Deprecated by DigitalOcean: size of 1, 3 or 6 nodes. Excludes size-unit.",
	}
	shapeKeys = annotation.Set{keyName, keyType, keyInternal, keyStack, keySubnet, keyIP, keySize, keySizeSlug}
)

// Keys that say which protocol each port speaks.
var (
	keyProtocol = annotation.Key{
		// Validated with the ports, because a REGIONAL_NETWORK balancer never used it.
		Name: upstream + "protocol", Type: annotation.TypeString, Default: "tcp", Applies: regionalOnly,
		Want: "tcp, http, https or http2",
		Doc:  "Protocol of the TCP ports that no list names: tcp, http, https or http2.",
	}
	keyHTTPPorts = annotation.Key{
		Name: upstream + "http-ports", Type: annotation.TypePorts, Applies: regionalOnly,
		Doc: "Service ports that speak HTTP.",
	}
	keyTLSPorts = annotation.Key{
		Name: upstream + "tls-ports", Type: annotation.TypePorts, Applies: regionalOnly,
		Doc: "Service ports that speak HTTPS. By default 443, when there is a certificate or passthrough and http2-ports does not name it.",
	}
	keyHTTP2Ports = annotation.Key{
		Name: upstream + "http2-ports", Type: annotation.TypePorts, Applies: regionalOnly,
		Doc: "Service ports that speak HTTP/2 over TLS.",
	}
	keyHTTP3Port = annotation.Key{
		Name: upstream + "http3-port", Type: annotation.TypeInt, Min: 1, Max: 65535, Applies: regionalOnly,
		Doc: "Service port that is served over HTTP/3 too. Needs a certificate.",
	}
	keyPassthrough = annotation.Key{
		Name: upstream + "tls-passthrough", Type: annotation.TypeBool, Default: "false", Lenient: true, Applies: regionalOnly,
		Doc: "Pass TLS through to the nodes instead of terminating it. Excludes a certificate.",
	}
	keyCertificateID = annotation.Key{
		Name: upstream + "certificate-id", Type: annotation.TypeString, Check: checkIdentifier, Want: "the UUID of a certificate", Applies: regionalOnly,
		Doc: "Certificate of the HTTPS, HTTP/2 and HTTP/3 ports. It is rewritten when DigitalOcean has renewed a Let's Encrypt certificate.",
	}
	keyCertificateName = annotation.Key{
		Name: upstream + "certificate-name", Type: annotation.TypeString, Applies: regionalOnly,
		Doc: "Certificate by name; certificate-id wins over it.",
	}
	keyNoDNSRecords = annotation.Key{
		Name: upstream + "disable-lets-encrypt-dns-records", Type: annotation.TypeBool, Default: "false", Applies: regionalOnly,
		Doc: "Don't create DNS records for the domains of a Let's Encrypt certificate.",
	}
	protocolKeys = annotation.Set{
		keyProtocol, keyHTTPPorts, keyTLSPorts, keyHTTP2Ports, keyHTTP3Port, keyPassthrough,
		keyCertificateID, keyCertificateName, keyNoDNSRecords,
	}
)

// Keys that say how connections are handled.
var (
	keyRedirect = annotation.Key{
		Name: upstream + "redirect-http-to-https", Type: annotation.TypeBool, Default: "false", Applies: regionalOnly,
		Doc: "Redirect HTTP on port 80 to HTTPS on port 443.",
	}
	keyProxyProtocol    = regional(annotation.ProxyProtocol.WithAliases(upstream + "enable-proxy-protocol"))
	keyBackendKeepalive = annotation.Key{
		Name: upstream + "enable-backend-keepalive", Type: annotation.TypeBool, Default: "false", Applies: regionalOnly,
		Doc: "Keep HTTP connections to the nodes open.",
	}
	keyIdleTimeout = annotation.Key{
		Name: annotation.Prefix + "idle-timeout", Aliases: []string{upstream + "http-idle-timeout-seconds"}, Type: annotation.TypeDuration, Default: "60", Min: 30, Max: 600, Applies: regionalOnly,
		Doc: "How long an idle HTTP connection stays open.",
	}
	keySticky = annotation.Key{
		Name: upstream + "sticky-sessions-type", Type: annotation.TypeEnum, Enum: []string{stickyNone, stickyCookies}, Default: stickyNone, Lenient: true, Applies: regionalOnly,
		Doc: "With cookies a client stays with its node; needs the two keys below.",
	}
	keyCookieName = annotation.Key{
		Name: upstream + "sticky-sessions-cookie-name", Type: annotation.TypeString, Applies: regionalOnly,
		Check: checkCookie, Want: "2 to 40 characters",
		Doc: "Name of the cookie.",
	}
	keyCookieTTL = annotation.Key{
		Name: upstream + "sticky-sessions-cookie-ttl", Type: annotation.TypeInt, Min: 1, Max: 34650, Applies: regionalOnly,
		Doc: "Life of the cookie in seconds.",
	}
	keyAlgorithm = annotation.Key{
		Name: upstream + "algorithm", Type: annotation.TypeEnum, Enum: []string{roundRobin, leastConnections}, Default: roundRobin, Lenient: true, Applies: regionalOnly,
		Doc: "Deprecated: it is sent, but DigitalOcean ignores it.",
	}
	proxyKeys = annotation.Set{
		keyRedirect, keyProxyProtocol, keyBackendKeepalive, keyIdleTimeout, keySticky, keyCookieName, keyCookieTTL, keyAlgorithm,
	}
)

// Keys of the health check.
var (
	keyHealthInterval = annotation.Key{
		Name: annotation.Prefix + "health-check-interval", Aliases: []string{upstream + "healthcheck-check-interval-seconds"}, Type: annotation.TypeDuration, Default: "3", Min: 3, Max: 300,
		Doc: "Time between two health checks.",
	}
	keyHealthTimeout = annotation.Key{
		Name: annotation.Prefix + "health-check-timeout", Aliases: []string{upstream + "healthcheck-response-timeout-seconds"}, Type: annotation.TypeDuration, Default: "5", Min: 3, Max: 300,
		Doc: "How long to wait for the answer to a health check.",
	}
	keyHealthUnhealthy = annotation.Key{
		Name: annotation.Prefix + "health-check-unhealthy-threshold", Aliases: []string{upstream + "healthcheck-unhealthy-threshold"}, Type: annotation.TypeInt, Default: "3", Min: 2, Max: 10,
		Doc: "Failed checks in a row after which a node gets no traffic.",
	}
	keyHealthHealthy = annotation.Key{
		Name: annotation.Prefix + "health-check-healthy-threshold", Aliases: []string{upstream + "healthcheck-healthy-threshold"}, Type: annotation.TypeInt, Default: "5", Min: 2, Max: 10,
		Doc: "Good checks in a row after which a node gets traffic.",
	}
	keyHealthOverride = annotation.Key{
		Name: upstream + "override-health-check", Type: annotation.TypePresence,
		Doc: "Check a port of the Service itself, as the three keys below say, instead of each node's /healthz. Its mere presence counts.",
	}
	keyHealthPort = annotation.Key{
		Name: annotation.Prefix + "health-check-port", Aliases: []string{upstream + "healthcheck-port"}, Type: annotation.TypeInt, Min: 1, Max: 65535, Applies: overrideOnly,
		Doc: "The TCP Service port whose node port is checked; by default the first one.",
	}
	keyHealthPath = annotation.Key{
		Name: annotation.Prefix + "health-check-path", Aliases: []string{upstream + "healthcheck-path"}, Type: annotation.TypeString, Applies: overrideOnly,
		Check: checkPath, Want: "a path starting with '/'",
		Doc: "Path of HTTP and HTTPS checks; by default /.",
	}
	keyHealthProtocol = annotation.Key{
		Name: annotation.Prefix + "health-check-protocol", Aliases: []string{upstream + "healthcheck-protocol"}, Type: annotation.TypeEnum, Enum: []string{"tcp", "http", "https"}, Applies: overrideOnly,
		Doc: "Protocol of the check; by default http when there is a path, else tcp.",
	}
	healthKeys = annotation.Set{
		keyHealthInterval, keyHealthTimeout, keyHealthUnhealthy, keyHealthHealthy,
		keyHealthOverride, keyHealthPort, keyHealthPath, keyHealthProtocol,
	}
)

// overrideOnly is the Applies of keys that need override-health-check.
const overrideOnly = "override-health-check"

// Keys that say who may connect.
var (
	keyAllow = annotation.Key{
		Name: upstream + "allow-rules", Type: annotation.TypeList, Check: checkRules, Want: wantRules,
		Doc: "Clients that may connect. Ignored when spec.loadBalancerSourceRanges is set.",
	}
	keyDeny = annotation.Key{
		Name: upstream + "deny-rules", Type: annotation.TypeList, Check: checkRules, Want: wantRules,
		Doc: "Clients that may not connect.",
	}
	keyFirewall = annotation.Key{
		Name: annotation.Prefix + "firewall-managed", Aliases: []string{"kubernetes.digitalocean.com/firewall-managed"}, Type: annotation.TypeBool, Default: "true", Lenient: true,
		Doc: "With false the managed cloud firewall gets no opening for this Service.",
	}
	accessKeys = annotation.Set{keyAllow, keyDeny, keyFirewall}
)

package desired

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Upstream is the prefix of most of the upstream CCM's keys.
const Upstream = "service.beta.kubernetes.io/do-loadbalancer-"

// regionalOnly is the Applies of keys that a REGIONAL_NETWORK balancer, which passes packets
// through, can't have.
const regionalOnly = config.TypeRegional

func regional(key annotation.Key) annotation.Key { return key.On(regionalOnly) }

// own is a key of upstream's that no other cloud has.
func own(key string, of annotation.Type, doc string) annotation.Key {
	return annotation.Own(Upstream+key, of, doc)
}

// Annotations returns every key this provider understands, beside the kernel's own.
func Annotations() annotation.Set {
	return slices.Concat(annotation.Set{
		annotation.Disown.WithAliases("service.kubernetes.io/do-loadbalancer-disown"), annotation.Hostname.WithAliases(Upstream + "hostname"), keyID,
	}, shapeKeys, protocolKeys, proxyKeys, healthKeys, accessKeys)
}

var keyID = annotation.Key{
	Name: IDAnnotation, Type: annotation.TypeString, Output: true, Check: checkUUID, Want: wantUUID("a load balancer"),
	Doc: "The id of the balancer, written when it is created. Set it yourself on a new Service to adopt a balancer with its address.",
}

// Keys that say what kind of balancer it is.
var (
	keyName = annotation.Name.WithAliases(Upstream+"name").
		Checked(checkName, "up to 255 letters, digits, '.' and '-', starting with a letter or digit and not ending in '-'").
		Noted("A change renames the balancer.")
	KeyType = own("type", annotation.TypeEnum, "Kind of balancer: REGIONAL terminates connections and knows HTTP, REGIONAL_NETWORK passes packets through. By default an existing balancer keeps its type and a new one has that of DEFAULT_LB_TYPE. Can't be changed later.").
		OneOf(config.TypeRegional, config.TypeNetwork).Checked(nil, "REGIONAL or REGIONAL_NETWORK (GLOBAL balancers have no droplets as targets and are not supported)")
	keyInternal = annotation.Internal.WithAliases(Upstream+"network").Spelled(checkInternal, "true or false, or as upstream INTERNAL or EXTERNAL").
			Noted("It is reached only from its VPC then. Can't be changed later.")
	keyStack = own("network-stack", annotation.TypeEnum, "IPV4, or DUALSTACK for an IPv6 address as well. By default an existing balancer keeps what it has; a new one is DUALSTACK when it is external and REGIONAL, or REGIONAL_NETWORK and the Service has both address families and every node public IPv4 and IPv6 addresses. Can't be changed later.").
			OneOf(object.StackIPv4, object.StackDual)
	keySubnet = annotation.Subnet.WithAliases(Upstream+"subnet-uuid").Checked(checkUUID, wantUUID("a subnet of the VPC")).
			Noted("Private preview of DigitalOcean. Can't be changed later.")
	keyIP = annotation.Address.WithAliases(Upstream+"ip").Checked(annotation.IPv4, "an IPv4 address").ShownIn(object.FieldIP, nil).
		Noted("An address of your own (BYOIP), for a new balancer. Can't be changed later.")
	keySize = annotation.Size.WithAliases(Upstream+"size-unit").
		Checked(checkSize, "a number of balancer nodes between 1 and 100, or 0 to leave the size alone").
		Noted("Number of nodes. Without it a size set by hand is kept. DigitalOcean allows one change per hour.")
	keySizeSlug = own("size-slug", annotation.TypeEnum, "Deprecated by DigitalOcean: size of 1, 3 or 6 nodes. Excludes size-unit.").
			OneOf("lb-small", "lb-medium", "lb-large")
	shapeKeys = annotation.Set{keyName, KeyType, keyInternal, keyStack, keySubnet, keyIP, keySize, keySizeSlug}
)

// Keys that say which protocol each port speaks.
var (
	// keyProtocol is validated with the ports, because a REGIONAL_NETWORK balancer never used it.
	keyProtocol = regional(own("protocol", annotation.TypeString, "Protocol of the TCP ports that no list names: tcp, http, https or http2.")).
			Standing("tcp").Checked(nil, "tcp, http, https or http2")
	keyHTTPPorts = regional(own("http-ports", annotation.TypePorts, "Service ports that speak HTTP."))
	keyTLSPorts  = regional(annotation.TLSPorts.WithAliases(Upstream + "tls-ports")).
			Noted("They speak HTTPS. By default 443, when there is a certificate or passthrough and http2-ports does not name it.")
	keyHTTP2Ports  = regional(own("http2-ports", annotation.TypePorts, "Service ports that speak HTTP/2 over TLS."))
	keyHTTP3Port   = regional(own("http3-port", annotation.TypeInt, "Service port that is served over HTTP/3 too. Needs a certificate.")).Within(1, 65535)
	keyPassthrough = regional(own("tls-passthrough", annotation.TypeBool, "Pass TLS through to the nodes instead of terminating it. Excludes a certificate.")).Leniently()
	keyCertificate = regional(annotation.Certificate).Checked(checkUUID, wantUUID("a certificate")).
			Noted("Of the HTTPS, HTTP/2 and HTTP/3 ports. Its successor is used when DigitalOcean has renewed a Let's Encrypt certificate.").
			Under(Upstream+"certificate-id", Upstream+"certificate-name")
	KeyCertificateID = regional(own("certificate-id", annotation.TypeString, "The same. It is rewritten when DigitalOcean has renewed a Let's Encrypt certificate.")).
				Checked(checkUUID, wantUUID("a certificate"))
	KeyCertificateName = regional(own("certificate-name", annotation.TypeString, "Certificate by name; certificate-id wins over it."))
	keyNoDNSRecords    = regional(own("disable-lets-encrypt-dns-records", annotation.TypeBool, "Don't create DNS records for the domains of a Let's Encrypt certificate."))
	protocolKeys       = annotation.Set{
		keyProtocol, keyHTTPPorts, keyTLSPorts, keyHTTP2Ports, keyHTTP3Port, keyPassthrough,
		keyCertificate, KeyCertificateID, KeyCertificateName, keyNoDNSRecords,
	}
)

// Keys that say how connections are handled.
var (
	keyRedirect         = regional(own("redirect-http-to-https", annotation.TypeBool, "Redirect HTTP on port 80 to HTTPS on port 443."))
	keyProxyProtocol    = regional(annotation.ProxyProtocol.WithAliases(Upstream + "enable-proxy-protocol"))
	keyBackendKeepalive = regional(own("enable-backend-keepalive", annotation.TypeBool, "Keep HTTP connections to the nodes open."))
	keyIdleTimeout      = regional(annotation.IdleTimeout.WithAliases(Upstream+"http-idle-timeout-seconds")).Within(30, 600).Standing(object.StandardTimeout).
				Noted("Of HTTP connections.")
	keySticky = regional(own("sticky-sessions-type", annotation.TypeEnum, "With cookies a client stays with its node; needs the two keys below.")).
			OneOf(object.StickyNone, object.StickyCookies).Standing(object.StickyNone).Leniently()
	keyCookieName = regional(annotation.SessionCookie.WithAliases(Upstream+"sticky-sessions-cookie-name")).
			Checked(checkCookie, "2 to 40 characters").SwitchingOn(keySticky.Name, object.StickyCookies).ShownIn(object.FieldSticky, cookieName)
	keyCookieTTL = regional(annotation.SessionCookieTTL.WithAliases(Upstream+"sticky-sessions-cookie-ttl")).Within(1, 34650).ShownIn(object.FieldSticky, cookieTTL).
			Noted("Needed with a cookie.")
	keyAlgorithm = regional(own("algorithm", annotation.TypeEnum, "Deprecated: it is sent, but DigitalOcean ignores it.")).
			OneOf(object.RoundRobin, object.LeastConnections).Standing(object.RoundRobin).Leniently()
	proxyKeys = annotation.Set{
		keyRedirect, keyProxyProtocol, keyBackendKeepalive, keyIdleTimeout, keySticky, keyCookieName, keyCookieTTL, keyAlgorithm,
	}
)

// Keys of the health check.
var (
	keyHealthInterval  = annotation.HealthInterval.WithAliases(Upstream+"healthcheck-check-interval-seconds").Within(3, 300).Standing("3")
	keyHealthTimeout   = annotation.HealthTimeout.WithAliases(Upstream+"healthcheck-response-timeout-seconds").Within(3, 300).Standing("5")
	keyHealthUnhealthy = annotation.UnhealthyThreshold.WithAliases(Upstream+"healthcheck-unhealthy-threshold").Within(2, 10).Standing("3")
	keyHealthHealthy   = annotation.HealthyThreshold.WithAliases(Upstream+"healthcheck-healthy-threshold").Within(2, 10).Standing("5")
	keyHealthOverride  = own("override-health-check", annotation.TypePresence, "Check a port of the Service itself, as the three keys below say, instead of each node's /healthz. Its mere presence counts.")
	keyHealthPort      = overriding(annotation.HealthPort.WithAliases(Upstream + "healthcheck-port"))
	keyHealthPath      = overriding(annotation.HealthPath.WithAliases(Upstream + "healthcheck-path"))
	keyHealthProtocol  = overriding(annotation.HealthProtocol.WithAliases(Upstream + "healthcheck-protocol"))
	healthKeys         = annotation.Set{
		keyHealthInterval, keyHealthTimeout, keyHealthUnhealthy, keyHealthHealthy,
		keyHealthOverride, keyHealthPort, keyHealthPath, keyHealthProtocol,
	}
)

// overriding is a key that says how a port of the Service is checked. Upstream's spelling needs a switch,
// the portable one is it.
func overriding(key annotation.Key) annotation.Key {
	return key.SwitchingOn(keyHealthOverride.Name, "true").Noted("Upstream's spelling has no effect without override-health-check.")
}

// Keys that say who may connect.
var (
	KeyAllow    = own("allow-rules", annotation.TypeList, "Clients that may connect. Ignored when spec.loadBalancerSourceRanges is set.").Checked(checkRules, wantRules)
	keyDeny     = own("deny-rules", annotation.TypeList, "Clients that may not connect.").Checked(checkRules, wantRules)
	keyFirewall = annotation.Key{
		Name: annotation.Prefix + "firewall-managed", Aliases: []string{"kubernetes.digitalocean.com/firewall-managed"}, Type: annotation.TypeBool, Default: "true", Lenient: true, Prevails: "false",
		Doc: "With false the managed cloud firewall gets no opening for this Service.",
	}
	accessKeys = annotation.Set{KeyAllow, keyDeny, keyFirewall}
)

// IDAnnotation records the id of a Service's balancer, as the upstream CCM did.
const IDAnnotation = "kubernetes.digitalocean.com/load-balancer-id"

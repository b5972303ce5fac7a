package option

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Upstream is the prefix of most of the upstream CCM's keys.
const Upstream = "service.beta.kubernetes.io/do-loadbalancer-"

// RegionalOnly is the Applies of keys that a REGIONAL_NETWORK balancer, which passes packets
// through, can't have.
const RegionalOnly = config.TypeRegional

// Regional is the key as one that has no effect on a REGIONAL_NETWORK balancer.
func Regional(key annotation.Key) annotation.Key { return key.On(RegionalOnly) }

// Own is a key of upstream's that no other cloud has.
func Own(key string, of annotation.Type, doc string) annotation.Key {
	return annotation.Own(Upstream+key, of, doc)
}

// Annotations returns the keys this provider understands, beside the kernel's own and those that ask for a field as it stands.
func Annotations() annotation.Set {
	return slices.Concat(annotation.Set{
		annotation.Disown.WithAliases("service.kubernetes.io/do-loadbalancer-disown"), annotation.Hostname.WithAliases(Upstream + "hostname"), ID,
	}, shapeKeys, protocolKeys, cookieKeys, healthKeys, accessKeys)
}

// ID records the id of the balancer.
var ID = annotation.Key{
	Name: IDAnnotation, Type: annotation.TypeString, Output: true, Check: checkUUID, Want: wantUUID("a load balancer"),
	Doc: "The id of the balancer, written when it is created. Set it yourself on a new Service to adopt a balancer with its address.",
}

// Keys that say what kind of balancer it is.
var (
	Name = annotation.Name.WithAliases(Upstream+"name").
		Checked(checkName, "up to 255 letters, digits, '.' and '-', starting with a letter or digit and not ending in '-'").
		Noted("A change renames the balancer.")
	Type = Own("type", annotation.TypeEnum, "Kind of balancer: REGIONAL terminates connections and knows HTTP, REGIONAL_NETWORK passes packets through. By default an existing balancer keeps its type and a new one has that of DEFAULT_LB_TYPE. Can't be changed later.").
		OneOf(config.TypeRegional, config.TypeNetwork).Checked(nil, "REGIONAL or REGIONAL_NETWORK (GLOBAL balancers have no droplets as targets and are not supported)")
	Internal = annotation.Internal.WithAliases(Upstream+"network").Spelled(checkInternal, "true or false, or as upstream INTERNAL or EXTERNAL").
			Noted("It is reached only from its VPC then. Can't be changed later.")
	Stack = Own("network-stack", annotation.TypeEnum, "IPV4, or DUALSTACK for an IPv6 address as well. By default an existing balancer keeps what it has; a new one is DUALSTACK when it is external and REGIONAL, or REGIONAL_NETWORK and the Service has both address families and every node public IPv4 and IPv6 addresses. Can't be changed later.").
		OneOf(StackIPv4, StackDual)
	Size = annotation.Size.WithAliases(Upstream+"size-unit").
		Checked(checkSize, "a number of balancer nodes between 1 and 100, or 0 to leave the size alone").
		Noted("Number of nodes. Without it a size set by hand is kept. DigitalOcean allows one change per hour.")
	SizeSlug = Own("size-slug", annotation.TypeEnum, "Deprecated by DigitalOcean: size of 1, 3 or 6 nodes. Excludes size-unit.").
			OneOf("lb-small", "lb-medium", "lb-large")
	shapeKeys = annotation.Set{Name, Type, Internal, Stack, Size, SizeSlug}
)

// Keys of fields, which have a row in package object. Keys that nobody else reads are declared there.
var (
	Subnet = annotation.Subnet.WithAliases(Upstream+"subnet-uuid").Checked(checkUUID, wantUUID("a subnet of the VPC")).
		Noted("Private preview of DigitalOcean. Can't be changed later.")
	IP = annotation.Address.WithAliases(Upstream+"ip").Checked(annotation.IPv4, "an IPv4 address").ShownIn(FieldIP, nil).
		Noted("An address of your own (BYOIP), for a new balancer. Can't be changed later.")
	Sticky = Regional(Own("sticky-sessions-type", annotation.TypeEnum, "With cookies a client stays with its node; needs the two keys below.")).
		OneOf(StickyNone, StickyCookies).Standing(StickyNone).Leniently()
)

// Keys that say which protocol each port speaks.
var (
	// Protocol is validated with the ports, because a REGIONAL_NETWORK balancer never used it.
	Protocol = Regional(Own("protocol", annotation.TypeString, "Protocol of the TCP ports that no list names: tcp, http, https or http2.")).
			Standing("tcp").Checked(nil, "tcp, http, https or http2")
	HTTPPorts = Regional(Own("http-ports", annotation.TypePorts, "Service ports that speak HTTP."))
	TLSPorts  = Regional(annotation.TLSPorts.WithAliases(Upstream + "tls-ports")).
			Noted("They speak HTTPS. By default 443, when there is a certificate or passthrough and http2-ports does not name it.")
	HTTP2Ports  = Regional(Own("http2-ports", annotation.TypePorts, "Service ports that speak HTTP/2 over TLS."))
	HTTP3Port   = Regional(Own("http3-port", annotation.TypeInt, "Service port that is served over HTTP/3 too. Needs a certificate.")).Within(1, 65535)
	Passthrough = Regional(Own("tls-passthrough", annotation.TypeBool, "Pass TLS through to the nodes instead of terminating it. Excludes a certificate.")).Leniently()
	Certificate = Regional(annotation.Certificate).Checked(checkUUID, wantUUID("a certificate")).
			Noted("Of the HTTPS, HTTP/2 and HTTP/3 ports. Its successor is used when DigitalOcean has renewed a Let's Encrypt certificate.").
			Under(Upstream+"certificate-id", Upstream+"certificate-name")
	CertificateID = Regional(Own("certificate-id", annotation.TypeString, "The same. It is rewritten when DigitalOcean has renewed a Let's Encrypt certificate.")).
			Checked(checkUUID, wantUUID("a certificate"))
	CertificateName = Regional(Own("certificate-name", annotation.TypeString, "Certificate by name; certificate-id wins over it."))
	protocolKeys    = annotation.Set{
		Protocol, HTTPPorts, TLSPorts, HTTP2Ports, HTTP3Port, Passthrough,
		Certificate, CertificateID, CertificateName,
	}
)

// Keys of cookies, and the algorithm.
var (
	CookieName = Regional(annotation.SessionCookie.WithAliases(Upstream+"sticky-sessions-cookie-name")).
			Checked(checkCookie, "2 to 40 characters").SwitchingOn(Sticky.Name, StickyCookies).ShownIn(FieldSticky, cookieName)
	CookieTTL = Regional(annotation.SessionCookieTTL.WithAliases(Upstream+"sticky-sessions-cookie-ttl")).Within(1, 34650).ShownIn(FieldSticky, cookieTTL).
			Noted("Needed with a cookie.")
	Algorithm = Regional(Own("algorithm", annotation.TypeEnum, "Deprecated: it is sent, but DigitalOcean ignores it.")).
			OneOf(RoundRobin, LeastConnections).Standing(RoundRobin).Leniently()
	cookieKeys = annotation.Set{CookieName, CookieTTL, Algorithm}
)

// Keys of the health check.
var (
	HealthInterval  = annotation.HealthInterval.WithAliases(Upstream+"healthcheck-check-interval-seconds").Within(3, 300).Standing("3")
	HealthTimeout   = annotation.HealthTimeout.WithAliases(Upstream+"healthcheck-response-timeout-seconds").Within(3, 300).Standing("5")
	HealthUnhealthy = annotation.UnhealthyThreshold.WithAliases(Upstream+"healthcheck-unhealthy-threshold").Within(2, 10).Standing("3")
	HealthHealthy   = annotation.HealthyThreshold.WithAliases(Upstream+"healthcheck-healthy-threshold").Within(2, 10).Standing("5")
	HealthOverride  = Own("override-health-check", annotation.TypePresence, "Check a port of the Service itself, as the three keys below say, instead of each node's /healthz. Its mere presence counts.")
	HealthPort      = overriding(annotation.HealthPort.WithAliases(Upstream + "healthcheck-port"))
	HealthPath      = overriding(annotation.HealthPath.WithAliases(Upstream + "healthcheck-path"))
	HealthProtocol  = overriding(annotation.HealthProtocol.WithAliases(Upstream + "healthcheck-protocol"))
	healthKeys      = annotation.Set{
		HealthInterval, HealthTimeout, HealthUnhealthy, HealthHealthy,
		HealthOverride, HealthPort, HealthPath, HealthProtocol,
	}
)

// overriding is a key that says how a port of the Service is checked. Upstream's spelling needs a switch,
// the portable one is it.
func overriding(key annotation.Key) annotation.Key {
	return key.SwitchingOn(HealthOverride.Name, "true").Noted("Upstream's spelling has no effect without override-health-check.")
}

// Keys that say who may connect.
var (
	Allow    = Own("allow-rules", annotation.TypeList, "Clients that may connect. Ignored when spec.loadBalancerSourceRanges is set.").Checked(checkRules, wantRules)
	Deny     = Own("deny-rules", annotation.TypeList, "Clients that may not connect.").Checked(checkRules, wantRules)
	Firewall = annotation.Key{
		Name: annotation.Prefix + "firewall-managed", Aliases: []string{"kubernetes.digitalocean.com/firewall-managed"}, Type: annotation.TypeBool, Default: "true", Lenient: true, Prevails: "false",
		Doc: "With false the managed cloud firewall gets no opening for this Service.",
	}
	accessKeys = annotation.Set{Allow, Deny, Firewall}
)

// IDAnnotation records the id of a Service's balancer, as the upstream CCM did.
const IDAnnotation = "kubernetes.digitalocean.com/load-balancer-id"

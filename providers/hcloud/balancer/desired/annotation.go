package desired

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/api"
)

// prefix is that of upstream's keys.
const prefix = "load-balancer.hetzner.cloud/"

// Algorithms. Upstream reads them in any case.
const roundRobin, leastConnections = "round_robin", "least_connections"

// Names of upstream's keys that others refer to.
const (
	keyProtocol       = prefix + "protocol"
	keySticky         = prefix + "http-sticky-sessions"
	keyHealthProtocol = prefix + "health-check-protocol"
	keyHealthPort     = prefix + "health-check-port"
	keyHealthPath     = prefix + "health-check-http-path"
)

// Annotations returns every key of load balancers beside the kernel's own, in the order of the
// documentation.
func Annotations() annotation.Set {
	return slices.Concat(annotation.Set{
		annotation.Hostname.WithAliases(prefix + "hostname"), annotation.NodeSelector.WithAliases(prefix + "node-selector"),
	}, shapeKeys, networkKeys, serviceKeys, certificateKeys, healthKeys)
}

// Keys that say which load balancer it is, and of what kind.
var (
	ID = annotation.Key{
		Name: prefix + "id", Type: annotation.TypeString, Output: true, Check: checkID, Want: "the id of a load balancer, such as 4711",
		Doc: "The id of the load balancer, written when it is created. Set it yourself on a new Service to adopt one.",
	}
	Name = annotation.Name.WithAliases(prefix + "name").
		Noted("A change renames it. A load balancer of this name that has nobody's labels is taken over: what else it has stays, and when the Service goes it is given back.")
	Whole = annotation.Own(annotation.Prefix+"hcloud-adopt-whole", annotation.TypeBool,
		"A load balancer that was taken over by its name is the Service's as a whole: other services and targets are removed, and it is deleted with the Service.")
	Parts = annotation.Key{
		Name: annotation.Prefix + "hcloud-parts", Type: annotation.TypeString, Output: true,
		Doc: "Written for a load balancer that was taken over by its name: which of its services and targets are this Service's.",
	}
	size = annotation.Size.WithAliases(prefix + "type").
		Noted("The name of a type, such as lb11, which is that of new ones by default. Where the key goes the type stays.")
	location = annotation.Key{
		Name: prefix + "location", Type: annotation.TypeString, Blank: true,
		Doc: "Location of the load balancer, such as fsn1. Empty: none, so that a network zone counts although HCLOUD_LOAD_BALANCERS_LOCATION is set. Can't be changed later.",
	}
	networkZone = own("network-zone", annotation.TypeString, "Network zone of the load balancer, such as eu-central, where no location is given. Can't be changed later.")
	Algorithm   = annotation.Algorithm.OneOf(roundRobin, leastConnections).Standing(roundRobin).WithAliases(prefix+"algorithm-type").Spelled(oneOf(roundRobin, leastConnections), "")
	shapeKeys   = annotation.Set{ID, Name, Whole, Parts, size, location, networkZone, Algorithm}
)

// Keys that say how it is reached, and how it reaches targets.
var (
	internal = annotation.Internal.WithAliases(prefix + "disable-public-network").
			Noted("Its public interface is off then, and targets are reached by their private address. Needs HCLOUD_NETWORK.")
	NoPrivateIngress = flag("disable-private-ingress", "Leave private addresses out of the Service's status.")
	NoIPv6           = flag("ipv6-disabled", "Leave the IPv6 address out of the Service's status. The load balancer keeps it.")
	usePrivateIP     = flag("use-private-ip", "Reach targets by their private address. A change replaces one target after the other. By default true for an internal load balancer. Needs HCLOUD_NETWORK.")
	Address          = annotation.Address.WithAliases(prefix+"private-ipv4").Checked(annotation.IPv4, "an IPv4 address").
				Noted("The address in HCLOUD_NETWORK. A change takes the load balancer out of the network for a moment, with the targets that are reached there.")
	Subnet = annotation.Subnet.WithAliases(prefix+"private-subnet-ip-range").Checked(checkCIDR, "the CIDR of a subnet of the network").
		Noted("The CIDR of one subnet of HCLOUD_NETWORK. Can't be changed later.")
	Reverse4    = text("ipv4-rdns", "Reverse DNS name of the IPv4 address. Where the key goes the name stays.")
	Reverse6    = text("ipv6-rdns", "Reverse DNS name of the IPv6 address. Where the key goes the name stays.")
	networkKeys = annotation.Set{internal, NoPrivateIngress, NoIPv6, usePrivateIP, Address, Subnet, Reverse4, Reverse6}
)

// Keys that say what each port speaks.
var (
	protocol = annotation.Own(keyProtocol, annotation.TypeString, "Protocol of the ports. By default https on tls-ports, where there is a certificate, else tcp.").
			Checked(oneOf("tcp", "http", "https"), "tcp, http or https").PerPorts()
	tlsPorts      = annotation.TLSPorts.Under(keyProtocol).Noted("They speak HTTPS.")
	proxyProtocol = annotation.ProxyProtocol.WithAliases(prefix + "uses-proxyprotocol").PerPorts()
	cookie        = annotation.SessionCookie.WithAliases(prefix+"http-cookie-name").SwitchingOn(keySticky, "true").
			Noted("Upstream's spelling has no effect without http-sticky-sessions, and names the cookie HCLBSTICKY by default.")
	CookieTTL   = annotation.SessionCookieTTL.WithAliases(prefix + "http-cookie-lifetime").Standing("300")
	idleTimeout = annotation.IdleTimeout.WithAliases(prefix+"http-timeout-idle").Within(30, 300).Standing("60").Noted("Of ports that speak HTTP.")
	sticky      = flag("http-sticky-sessions", "Keep a client with its node by a cookie, on ports that speak HTTP.")
	redirect    = flag("http-redirect-http", "Answer HTTP on port 80 with a redirect to a port that speaks HTTPS.")
	serviceKeys = annotation.Set{protocol, tlsPorts, proxyProtocol, cookie, CookieTTL, idleTimeout, sticky, redirect}
)

// mostCertificates is what the largest type of load balancer has (max_assigned_certificates of lb31). Names are looked up one by one.
const mostCertificates = 50

// Keys about certificates.
var (
	certificateType = own("certificate-type", annotation.TypeString, "uploaded: the certificates that http-certificates names. managed: one that is made for the Service, and deleted with it.").
			Standing("uploaded").Checked(oneOf("uploaded", "managed"), "uploaded or managed")
	certificate = annotation.Certificate.AtMost(mostCertificates).WithAliases(prefix+"http-certificates").Defaulting(annotation.TLSPorts.Name, "443").PerPorts().
			Noted("By id or name, at most 50.")
	ManagedName = text("http-managed-certificate-name", "Name of the managed certificate. A change renames it. By default ccm-managed-certificate- and the Service's UID.")
	Domains     = own("http-managed-certificate-domains", annotation.TypeList, "Domains of the managed certificate. A change makes another certificate first, and deletes the one before once nothing uses it.").
			Checked(LowerList, "domain names")
	Staging         = flag("http-managed-certificate-acme-staging", "For tests: have the managed certificate issued by the staging CA.").Leniently()
	certificateKeys = annotation.Set{certificateType, certificate, ManagedName, Domains, Staging}
)

// Keys of the health check. Any of them asks for a check of its own in place of TCP on the node port.
var (
	healthProtocol = annotation.HealthProtocol.Under(keyHealthProtocol, keyHealthPort, keyHealthPath)
	healthPort     = annotation.HealthPort.Under(keyHealthProtocol, keyHealthPort, keyHealthPath)
	healthPath     = annotation.HealthPath.Under(keyHealthProtocol, keyHealthPort, keyHealthPath)
	healthInterval = annotation.HealthInterval.WithAliases(prefix+"health-check-interval").Within(3, 60).Standing("15")
	healthTimeout  = annotation.HealthTimeout.WithAliases(prefix+"health-check-timeout").Within(1, 60).Standing("10")
	healthRetries  = annotation.UnhealthyThreshold.WithAliases(prefix+"health-check-retries").Within(1, 5).Standing("3").
			Noted("As many good checks make a target healthy again.")
	nodeProtocol = annotation.Own(keyHealthProtocol, annotation.TypeString, "Check the node port of each port, or health-check-port, with this protocol. By default http where there is one of the keys below, else that of the port.").
			Checked(oneOf("tcp", "http", "https"), "tcp, http or https")
	nodePort    = annotation.Own(keyHealthPort, annotation.TypeInt, "Port of the nodes that is checked, the same for all ports.").Within(1, 65535)
	checkPath   = text("health-check-http-path", "Path of a check with http or https. By default /.")
	checkDomain = text("health-check-http-domain", "Host that a check with http or https asks for.")
	checkTLS    = flag("health-check-http-validate-certificate", "Check the certificate of the target, in a check with http or https.")
	statusCodes = own("http-status-codes", annotation.TypeList, "Statuses of a healthy target, in a check with http or https, such as 200 or 2??.").
			Checked(SortedList, "statuses").Standing("2??,3??")
	healthKeys = annotation.Set{
		healthProtocol, healthPort, healthPath, healthInterval, healthTimeout, healthRetries,
		nodeProtocol, nodePort, checkPath, checkDomain, checkTLS, statusCodes,
	}
)

// own is a key of upstream's that no other cloud has.
func own(key string, of annotation.Type, doc string) annotation.Key {
	return annotation.Own(prefix+key, of, doc)
}

func flag(key, doc string) annotation.Key { return own(key, annotation.TypeBool, doc) }

func text(key, doc string) annotation.Key { return own(key, annotation.TypeString, doc) }

// oneOf accepts texts in any case.
func oneOf(texts ...string) func(string) (string, bool) {
	return func(value string) (string, bool) {
		value = strings.ToLower(value)
		return value, slices.Contains(texts, value)
	}
}

// checkID reports whether a text can be the id of an object.
func checkID(text string) (string, bool) {
	_, ok := api.ID(text)
	return text, ok
}

func checkCIDR(value string) (string, bool) {
	prefix, err := netip.ParsePrefix(value)
	return prefix.Masked().String(), err == nil
}

// LowerList is a list of names as it is compared.
func LowerList(value string) (string, bool) { return SortedList(strings.ToLower(value)) }

// SortedList is a list as it is compared.
func SortedList(value string) (string, bool) {
	list := Items(value)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ","), true
}

// Items are the items of a list.
func Items(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(item string) bool { return item == "" })
}

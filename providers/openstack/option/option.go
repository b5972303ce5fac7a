// Package option declares the annotations of a Service, and what the configuration says in their place.
package option

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// prefix is that of upstream's annotations.
const prefix = "loadbalancer.openstack.org/"

// IDAnnotation records the id of a Service's balancer, as the upstream CCM does.
const IDAnnotation = "loadbalancer.openstack.org/load-balancer-id"

// createOnly is what an annotation applies to that can't be changed later.
const createOnly = "new balancers"

// The annotations of a Service.
var (
	// Internal is the kernel's.
	Internal = annotation.Internal.WithAliases("service.beta.kubernetes.io/openstack-internal-load-balancer").
			Noted("It gets no floating IP then. It can be changed at any time. Where [LoadBalancer] internal-lb is set, every balancer is internal.")
	NodeSelector = nodeSelector()
	Hostname     = annotation.Hostname.WithAliases(prefix + "hostname")

	Class = annotation.Own(prefix+"class", annotation.TypeString,
		"Name of a [LoadBalancerClass] section of the configuration. Not to be confused with spec.loadBalancerClass.")
	FloatingNetwork = uuidKey("floating-network-id", createOnly, "Id of the external network the floating IP is taken from.")
	FloatingSubnet  = uuidKey("floating-subnet-id", createOnly, "Id of the subnet the floating IP is taken from.")
	FloatingName    = annotation.Key{
		Name: prefix + "floating-subnet", Type: annotation.TypeString, Applies: createOnly, Check: checkPattern, Blank: true,
		Want: `a name, a glob such as "public-*", or "~" and a regular expression; "!" before it negates`,
		Doc:  `Which subnets of the floating network the floating IP may come from, by name: a glob, or "~" and a regular expression; "!" before it negates.`,
	}
	FloatingTags = blank(annotation.Own(prefix+"floating-subnet-tags", annotation.TypeString,
		`Which subnets of the floating network the floating IP may come from, by tags: "a,b" for any, "&a,b" for all, "!a,b" for none, "!&a,b" for not all of them.`)).On(createOnly)
	KeepFloatingIP = annotation.Own(prefix+"keep-floatingip", annotation.TypeBool, "Keep the floating IP when the Service is deleted or becomes internal.")
	WantedAddress  = annotation.Address.Checked(checkAddress, "an IP address").On(createOnly).
			Noted("As spec.loadBalancerIP, which counts where both are set: a floating IP of the project, or the balancer's own address where it gets none.")
	Port          = uuidKey("port-id", createOnly, "Id of a port whose address the balancer has. It is not deleted with the balancer.")
	Subnet        = blank(annotation.Subnet.WithAliases(prefix+"subnet-id").Checked(CheckUUID, "a UUID").On(createOnly))
	Network       = uuidKey("network-id", createOnly, "Id of the network the balancer's address is in.")
	MemberSubnet  = uuidKey("member-subnet-id", "", "Id of the subnet through which the balancer reaches the nodes.")
	Method        = method()
	ProxyProtocol = proxyProtocol()
	ForwardedFor  = annotation.Own(prefix+"x-forwarded-for", annotation.TypeBool, "Make every TCP port an HTTP port that adds the header X-Forwarded-For.")
	TLS           = blank(annotation.Certificate.WithAliases(prefix+"default-tls-container-ref").Checked(checkReference, "one reference").ShownIn("tlsContainer", nil)).
			Noted("Reference of the Barbican container or secret. An empty value switches off the configured default.")
	TLSPorts    = annotation.TLSPorts.Noted("By default every TCP port.")
	IdleTimeout = annotation.IdleTimeout.Within(1, maxTimeout/1000).ShownIn("timeoutClientData", fromMilliseconds).
			Noted("Of clients and nodes alike; upstream has a key for each.").Under(prefix+"timeout-client-data", prefix+"timeout-member-data")
	ConnectionLimit = count("connection-limit", -1, math.MaxInt32, "-1", "Most connections at a time, -1 for no limit.")
	ClientData      = timeout("timeout-client-data", "50000", "Milliseconds a client may be silent.")
	MemberConnect   = timeout("timeout-member-connect", "5000", "Milliseconds a connection to a node may take.")
	MemberData      = timeout("timeout-member-data", "50000", "Milliseconds a node may be silent.")
	TCPInspect      = timeout("timeout-tcp-inspect", "0", "Milliseconds to wait for the content that is inspected.")

	Monitor = annotation.Own(prefix+"enable-health-monitor", annotation.TypeBool,
		"Check the health of the nodes. Without it `externalTrafficPolicy: Local` sends connections to nodes that drop them.")
	MonitorDelay = monitored(annotation.HealthInterval.WithAliases(prefix+"health-monitor-delay").Within(1, math.MaxInt32)).Standing("5").
			Noted("At least 3 seconds for UDP.")
	MonitorTimeout = monitored(annotation.HealthTimeout.WithAliases(prefix+"health-monitor-timeout").Within(1, math.MaxInt32)).Standing("3").
			Noted("Less than the interval.")
	MonitorRetries     = monitored(annotation.HealthyThreshold.WithAliases(prefix+"health-monitor-max-retries").Within(1, 10)).Standing("1")
	MonitorRetriesDown = monitored(annotation.UnhealthyThreshold.WithAliases(prefix+"health-monitor-max-retries-down").Within(1, 10)).Standing("3")
	MonitorProtocol    = monitored(annotation.HealthProtocol)
	MonitorPort        = monitored(annotation.HealthPort)
	MonitorPath        = monitored(annotation.HealthPath)

	Flavor = blank(annotation.Size.WithAliases(prefix+"flavor-id").Checked(CheckUUID, "a UUID").On(createOnly).ShownIn("flavor", nil)).
		Noted("Id of the balancer's flavor.")
	Zone = blank(annotation.Own(prefix+"availability-zone", annotation.TypeString, "Name of the availability zone of the balancer.")).On(createOnly)
	ID   = annotation.Key{
		Name: IDAnnotation, Type: annotation.TypeString, Output: true, Check: CheckUUID, Want: "the id of a load balancer",
		Doc: "Id of the Service's balancer. It is recorded here; on a new Service it may name an existing balancer, which is then shared.",
	}
	Address = annotation.Key{
		Name: prefix + "load-balancer-address", Type: annotation.TypeString, Output: true,
		Doc: "The balancer's address, also where the status has a host name.",
	}
)

// All returns the provider's annotations.
func All() annotation.Set {
	return annotation.Set{
		Internal, NodeSelector, Hostname, Class, FloatingNetwork, FloatingSubnet, FloatingName, FloatingTags,
		KeepFloatingIP, WantedAddress, Port, Subnet, Network, MemberSubnet, Method, ProxyProtocol, ForwardedFor, TLS, TLSPorts, IdleTimeout,
		ConnectionLimit, ClientData, MemberConnect, MemberData, TCPInspect, Monitor, MonitorDelay, MonitorTimeout,
		MonitorRetries, MonitorRetriesDown, MonitorProtocol, MonitorPort, MonitorPath, Flavor, Zone, ID, Address,
	}
}

// blank is a key of which an empty value stands above what is configured.
func blank(k annotation.Key) annotation.Key {
	k.Blank = true
	return k
}

// monitored is a key of the health monitor. Upstream's spelling needs a switch, the portable one is it.
func monitored(k annotation.Key) annotation.Key { return k.SwitchingOn(Monitor.Name, "true") }

func method() annotation.Key {
	k := annotation.Algorithm.WithAliases(prefix+"lb-method").ShownIn("method", strings.ToLower).
		Noted("Upstream's key has SOURCE_IP_PORT too, the only one of the ovn provider.")
	k.Check, k.Aliased = func(value string) (string, bool) { return strings.ToUpper(value), true }, checkMethod
	k.Want = "one of " + strings.Join(methods, ", ") + ", portably in lower case and without the last"
	return k
}

func proxyProtocol() annotation.Key {
	k := annotation.ProxyProtocol.WithAliases(prefix+"proxy-protocol").ShownIn("targetProtocol", isProxied)
	k.Check, k.Aliased = checkProxyProtocol, checkProxyProtocol
	k.Want = `"true" or "false", of upstream's key also "v1" or "v2"`
	k.Note = "Of version 1; upstream's key also takes `v2`. TCP ports only."
	return k
}

// nodeSelector is the kernel's key in upstream's syntax: "k=" and "k" both say that the label
// has to be there.
func nodeSelector() annotation.Key {
	k := annotation.NodeSelector.WithAliases(prefix + "node-selector")
	k.Blank, k.Check = true, func(value string) (string, bool) { return canonicalSelector(value), true }
	k.Doc = "Use only nodes with these labels as targets, in the syntax of kubectl --selector. `key=` means that the label is there."
	return k
}

func canonicalSelector(value string) string {
	parts := strings.Split(value, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if key, found := strings.CutSuffix(part, "="); found && !strings.ContainsAny(key, "=!") {
			part = key
		}
		parts[i] = part
	}
	return strings.Join(parts, ",")
}

func uuidKey(name, applies, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeString, Applies: applies, Check: CheckUUID, Want: "a UUID", Blank: true, Doc: doc}
}

func count(name string, least, most int, standard, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeInt, Min: least, Max: most, Default: standard, Doc: doc}
}

// maxTimeout is a year in milliseconds, the longest that the API takes (octavia-lib MAX_TIMEOUT).
const maxTimeout = 31536000000

// timeout is in milliseconds.
func timeout(name, standard, doc string) annotation.Key {
	return count(name, 0, maxTimeout, standard, doc)
}

// Silence is how long a client or a node may be silent, in milliseconds: as the portable key says, else
// upstream's.
func Silence(options map[string]string, upstream annotation.Key) string {
	if IdleTimeout.Has(options) {
		return strconv.Itoa(IdleTimeout.Int(options) * 1000)
	}
	return upstream.In(options)
}

// TerminatesAt reports whether a port terminates TLS.
func TerminatesAt(options map[string]string, port int) bool {
	ports := TLSPorts.Ports(options)
	return TLS.In(options) != "" && (len(ports) == 0 || slices.Contains(ports, port))
}

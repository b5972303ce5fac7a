package option

import (
	"math"
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

	Class = annotation.Key{
		Name: prefix + "class", Type: annotation.TypeString,
		Doc: "Name of a [LoadBalancerClass] section of the configuration. Not to be confused with spec.loadBalancerClass.",
	}
	FloatingNetwork = uuidKey("floating-network-id", createOnly, "Id of the external network the floating IP is taken from.")
	FloatingSubnet  = uuidKey("floating-subnet-id", createOnly, "Id of the subnet the floating IP is taken from.")
	FloatingName    = annotation.Key{
		Name: prefix + "floating-subnet", Type: annotation.TypeString, Applies: createOnly, Check: checkPattern, Blank: true,
		Want: `a name, a glob such as "public-*", or "~" and a regular expression; "!" before it negates`,
		Doc:  `Which subnets of the floating network the floating IP may come from, by name: a glob, or "~" and a regular expression; "!" before it negates.`,
	}
	FloatingTags = annotation.Key{
		Name: prefix + "floating-subnet-tags", Type: annotation.TypeString, Applies: createOnly, Blank: true,
		Doc: `Which subnets of the floating network the floating IP may come from, by tags: "a,b" for any, "&a,b" for all, "!a,b" for none, "!&a,b" for not all of them.`,
	}
	KeepFloatingIP = annotation.Key{
		Name: prefix + "keep-floatingip", Type: annotation.TypeBool, Default: "false",
		Doc: "Keep the floating IP when the Service is deleted or becomes internal.",
	}
	Port         = uuidKey("port-id", createOnly, "Id of a port whose address the balancer has. It is not deleted with the balancer.")
	Subnet       = uuidKey("subnet-id", createOnly, "Id of the subnet the balancer's address is in.")
	Network      = uuidKey("network-id", createOnly, "Id of the network the balancer's address is in.")
	MemberSubnet = uuidKey("member-subnet-id", "", "Id of the subnet through which the balancer reaches the nodes.")
	Method       = annotation.Key{
		Name: prefix + "lb-method", Type: annotation.TypeEnum, Enum: methods,
		Doc: "How connections are spread over the nodes. The ovn provider has only SOURCE_IP_PORT.",
	}
	ProxyProtocol = proxyProtocol()
	ForwardedFor  = annotation.Key{
		Name: prefix + "x-forwarded-for", Type: annotation.TypeBool, Default: "false",
		Doc: "Make every TCP port an HTTP port that adds the header X-Forwarded-For.",
	}
	TLS = annotation.Key{
		Name: prefix + "default-tls-container-ref", Type: annotation.TypeString, Blank: true,
		Doc: "Reference of the Barbican container or secret with the certificate: every TCP port terminates TLS. An empty value switches off the configured default.",
	}
	ConnectionLimit = count("connection-limit", -1, math.MaxInt32, "-1", "Most connections at a time, -1 for no limit.")
	ClientData      = timeout("timeout-client-data", "50000", "Milliseconds a client may be silent.")
	MemberConnect   = timeout("timeout-member-connect", "5000", "Milliseconds a connection to a node may take.")
	MemberData      = timeout("timeout-member-data", "50000", "Milliseconds a node may be silent.")
	TCPInspect      = timeout("timeout-tcp-inspect", "0", "Milliseconds to wait for the content that is inspected.")

	Monitor = annotation.Key{
		Name: prefix + "enable-health-monitor", Type: annotation.TypeBool, Default: "false",
		Doc: "Check the health of the nodes. Without it `externalTrafficPolicy: Local` sends connections to nodes that drop them.",
	}
	MonitorDelay       = seconds("health-monitor-delay", "5", "Seconds between two checks. At least 3 for UDP.")
	MonitorTimeout     = seconds("health-monitor-timeout", "3", "Seconds a check may take. Less than the delay.")
	MonitorRetries     = count("health-monitor-max-retries", 1, 10, "1", "Successful checks before a node is used.")
	MonitorRetriesDown = count("health-monitor-max-retries-down", 1, 10, "3", "Failed checks before a node is not used any more.")

	Flavor = uuidKey("flavor-id", createOnly, "Id of the balancer's flavor.")
	Zone   = annotation.Key{
		Name: prefix + "availability-zone", Type: annotation.TypeString, Applies: createOnly, Blank: true,
		Doc: "Name of the availability zone of the balancer.",
	}
	ID = annotation.Key{
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
		KeepFloatingIP, Port, Subnet, Network, MemberSubnet, Method, ProxyProtocol, ForwardedFor, TLS,
		ConnectionLimit, ClientData, MemberConnect, MemberData, TCPInspect, Monitor, MonitorDelay, MonitorTimeout,
		MonitorRetries, MonitorRetriesDown, Flavor, Zone, ID, Address,
	}
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

// timeout is in milliseconds; the API takes up to a year (octavia-lib MAX_TIMEOUT).
func timeout(name, standard, doc string) annotation.Key {
	return count(name, 0, 31536000000, standard, doc)
}

func seconds(name, standard, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeDuration, Min: 1, Max: math.MaxInt32, Default: standard, Doc: doc}
}

package aws

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// prefix is that of upstream's annotations.
const prefix = "service.beta.kubernetes.io/aws-load-balancer-"

// What annotations apply to.
const (
	onClassic = "classic"
	onNetwork = "network"
	onTLS     = "TLS listeners"
	onHTTP    = "HTTP and HTTPS health checks"
)

// Values of keyType.
const (
	typeNetwork  = "nlb"
	typeIP       = "nlb-ip"
	typeExternal = "external"
)

var (
	keyType = annotation.Key{
		Name: prefix + "type", Type: annotation.TypeEnum, Enum: []string{typeNetwork, typeIP, typeExternal}, OtherController: []string{typeIP, typeExternal}, Lenient: true,
		Doc: "`nlb` asks for a Network Load Balancer; `nlb-ip` and `external` leave the Service to the AWS Load Balancer Controller; anything else is a Classic Load Balancer. Can't be changed later.",
	}
	keyName     = balancerName()
	keyInternal = annotation.Key{
		Name: annotation.Internal.Name, Aliases: []string{prefix + "internal"}, Type: annotation.TypeString, Default: "false", Check: checkInternal,
		Doc: "Give the balancer private addresses only. Any value but `false` counts as true, as upstream's users write `0.0.0.0/0`. Can't be changed later.",
	}
	keySubnets = list("subnets", "", "Ids or names of the subnets of the balancer, one in each zone. By default one subnet in each zone of the VPC.")
	keyGroups  = list("security-groups", "", "Ids of the balancer's security groups, instead of one of its own, whose rules would be managed. A Network Load Balancer that was made without any can't get one.")
	keyExtra   = list("extra-security-groups", onClassic, "Ids of security groups in addition to the others.")
	keyMode    = annotation.Key{
		Name: annotation.Prefix + "aws-security-group-mode", Type: annotation.TypeEnum, Enum: []string{"managed", "none"}, Applies: onNetwork,
		Doc: "Whether a new Network Load Balancer gets a security group of its own. By default what NLBSecurityGroupMode of the configuration says.",
	}
	keyProxyProtocol = annotation.Key{
		Name: annotation.ProxyProtocol.Name, Aliases: []string{prefix + "proxy-protocol"}, Type: annotation.TypeString, Default: "false",
		Check: checkProxyProtocol, Want: `"*" or "true", or "false"`,
		Doc: "Begin each connection to a node with a PROXY protocol header: version 1 on Classic Load Balancers, 2 on Network Load Balancers. `*` is for Classic ones only.",
	}
	keyBackend = text("backend-protocol", "",
		"Protocol of the nodes: `tcp`, `ssl`, `http` or `https`. On Network Load Balancers only `ssl` matters, on TLS listeners.")
	keyCertificate = list("ssl-cert", "",
		"ARN of the certificate (ACM or IAM): the TCP ports named in ssl-ports terminate TLS. On Network Load Balancers more than one: the first is the default, the others are chosen by server name.")
	keyTLSPorts = annotation.Key{
		Name: prefix + "ssl-ports", Type: annotation.TypeList, Default: "*", Applies: onTLS,
		Doc: "Numbers or names of the ports that terminate TLS, or `*` for all.",
	}
	keyTLSPolicy = text("ssl-negotiation-policy", onTLS, "Name of the TLS security policy. By default AWS's own default.")

	keyLog         = boolean("access-log-enabled", "", "Write an access log to S3.")
	keyLogInterval = annotation.Key{
		Name: prefix + "access-log-emit-interval", Type: annotation.TypeEnum, Enum: []string{"5", "60"}, Default: "60", Applies: onClassic,
		Doc: "Minutes between two parts of the access log.",
	}
	keyLogBucket = text("access-log-s3-bucket-name", "", "S3 bucket of the access log.")
	keyLogPrefix = text("access-log-s3-bucket-prefix", "", "Prefix of the access log in the bucket.")

	keyDraining        = boolean("connection-draining-enabled", onClassic, "Let connections to a node that goes end by themselves.")
	keyDrainingTimeout = number("connection-draining-timeout", 1, 3600, "300", onClassic, "Seconds for that.")
	keyIdleTimeout     = number("connection-idle-timeout", 1, 4000, "60", onClassic, "Seconds a connection may be silent.")
	keyCrossZone       = boolean("cross-zone-load-balancing-enabled", "", "Spread connections over the nodes of all zones.")
	keyProtection      = annotation.Key{
		Name: annotation.Prefix + "aws-deletion-protection", Type: annotation.TypeBool, Default: "false", Applies: onNetwork,
		Doc: "Make AWS refuse to delete the balancer, also when the Service is deleted.",
	}
	keyTags = annotation.Key{
		Name: prefix + "additional-resource-tags", Type: annotation.TypeString, Check: checkTags,
		Want: `at most 40 tags such as "team=web,stage=prod": letters, digits, spaces and + - . _ : / @, keys of up to 128 characters that do not begin with "aws:", values of up to 256`,
		Doc:  "Tags of the balancer and all that belongs to it, beside the owner marks. Tags that are taken out of the list are removed.",
	}

	keyHealthProtocol = annotation.Key{
		Name: prefix + "healthcheck-protocol", Type: annotation.TypeString, Check: checkHealthProtocol, Want: `"TCP", "HTTP" or "HTTPS", on Classic Load Balancers also "SSL"`,
		Doc: "Protocol of the health check.",
	}
	keyHealthPort = annotation.Key{
		Name: prefix + "healthcheck-port", Type: annotation.TypeString, Check: checkHealthPort, Want: `"traffic-port" or a port from 1 to 65535`,
		Doc: "Port of the health check. `traffic-port` is the node port of the listener, on Classic Load Balancers of the first one.",
	}
	keyHealthPath = text("healthcheck-path", onHTTP, "Path of the health check.")
	keyHealthy    = number("healthcheck-healthy-threshold", 2, 10, "", "", "Successful checks before a node is used. By default 2 on Classic Load Balancers, 3 on Network ones, 2 there with externalTrafficPolicy Local.")
	keyUnhealthy  = number("healthcheck-unhealthy-threshold", 2, 10, "", "", "Failed checks before a node is not used any more. By default 6 on Classic Load Balancers, 3 on Network ones, 2 there with externalTrafficPolicy Local.")
	keyTimeout    = number("healthcheck-timeout", 2, 120, "", "", "Seconds a check may take. By default 5 on Classic Load Balancers, AWS's default on Network ones: 10, or 6 for HTTP. At most 60 on Classic ones.")
	keyInterval   = number("healthcheck-interval", 5, 300, "", "", "Seconds between two checks. By default 10 on Classic Load Balancers, 30 on Network ones, 10 there with externalTrafficPolicy Local.")

	keyTargetType = annotation.Key{
		Name: prefix + "nlb-target-type", Type: annotation.TypeEnum, Enum: []string{targetInstance, targetIP}, Default: targetInstance, Applies: onNetwork,
		Doc: "What is registered: the nodes as instances, or their private addresses (`ip`), which also works for machines that are not in EC2's own network interface, such as Fargate's.",
	}
	keyTargetAttributes = annotation.Key{
		Name: prefix + "target-group-attributes", Type: annotation.TypeString, Check: checkTargetAttributes, Applies: onNetwork,
		Want: `"preserve_client_ip.enabled" and "proxy_protocol_v2.enabled", each with "=true" or "=false"`,
		Doc:  "Attributes of the target groups: `preserve_client_ip.enabled` and `proxy_protocol_v2.enabled`.",
	}
	keyAddresses = list("eip-allocations", onNetwork, "Allocation ids of the Elastic IPs, one for each subnet, in the order of the subnets. An address stays for as long as the balancer is in its subnet.")
	keyPrivate   = list("private-ipv4-addresses", onNetwork, "Private addresses, one for each subnet, in the order of the subnets.")

	keyNodeSelector = nodeSelector()
)

// Annotations returns the provider's annotations.
func Annotations() annotation.Set {
	return annotation.Set{
		keyType, keyName, keyInternal, keySubnets, keyGroups, keyExtra, keyMode, keyProxyProtocol, keyBackend, keyCertificate, keyTLSPorts,
		keyTLSPolicy, keyLog, keyLogInterval, keyLogBucket, keyLogPrefix, keyDraining, keyDrainingTimeout, keyIdleTimeout, keyCrossZone,
		keyProtection, keyTags, keyHealthProtocol, keyHealthPort, keyHealthPath, keyHealthy, keyUnhealthy, keyTimeout, keyInterval,
		keyTargetType, keyTargetAttributes, keyAddresses, keyPrivate, keyNodeSelector,
	}
}

// balancerName is the portable key, with what AWS takes for a name: what it refuses it refuses only
// after other things were made.
func balancerName() annotation.Key {
	k := annotation.Name.WithAliases(prefix + "name")
	k.Check = checkName
	k.Want = `at most 32 letters, digits and hyphens, no hyphen at the beginning or end, and not "internal-" at the beginning`
	k.Doc = "Name of the balancer. By default it is derived from the Service's UID. Can't be changed later."
	return k
}

func text(name, applies, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeString, Applies: applies, Doc: doc}
}

func list(name, applies, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeList, Applies: applies, Doc: doc}
}

func boolean(name, applies, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeBool, Default: "false", Applies: applies, Doc: doc}
}

func number(name string, least, most int, standard, applies, doc string) annotation.Key {
	return annotation.Key{Name: prefix + name, Type: annotation.TypeInt, Min: least, Max: most, Default: standard, Applies: applies, Doc: doc}
}

// nodeSelector is the kernel's key in upstream's syntax: "k=" says that the label has to be
// there, with any value.
func nodeSelector() annotation.Key {
	k := annotation.NodeSelector.WithAliases(prefix + "target-node-labels")
	k.Check = func(value string) (string, bool) {
		parts := strings.Split(value, ",")
		for i, part := range parts {
			parts[i] = strings.TrimSpace(part)
			if label, empty := strings.CutSuffix(parts[i], "="); empty && !strings.ContainsAny(label, "=!") {
				parts[i] = label
			}
		}
		return strings.Join(parts, ","), true
	}
	k.Doc = "Use only nodes with these labels as targets, in the syntax of kubectl --selector. `key=` means that the label is there."
	return k
}

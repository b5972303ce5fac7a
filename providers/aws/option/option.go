// Package option declares the annotations of a Service and reads their values.
package option

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Prefix is that of upstream's annotations.
const Prefix = "service.beta.kubernetes.io/aws-load-balancer-"

// What annotations apply to.
const (
	OnClassic = "classic"
	OnNetwork = "network"
	onTLS     = "TLS listeners"
	onHTTP    = "HTTP and HTTPS health checks"
)

// Values of Type.
const (
	TypeNetwork  = "nlb"
	typeIP       = "nlb-ip"
	typeExternal = "external"
)

// The annotations.
var (
	// Type is the kind of the balancer.
	Type = annotation.Key{
		Name: Prefix + "type", Type: annotation.TypeEnum, Enum: []string{TypeNetwork, typeIP, typeExternal}, OtherController: []string{typeIP, typeExternal}, Lenient: true,
		Doc: "`nlb` asks for a Network Load Balancer; `nlb-ip` and `external` leave the Service to the AWS Load Balancer Controller, and a load balancer that was made for it before is deleted; anything else is a Classic Load Balancer. Can't be changed later.",
	}
	Name     = balancerName()
	Internal = internal()
	Subnets  = annotation.Subnet.WithAliases(Prefix+"subnets").ShownIn("subnets", withoutAddresses).
			Noted("Ids or names, one in each zone. By default one subnet in each zone of the VPC.")
	Groups      = key("security-groups", annotation.TypeList, "", "Ids of the balancer's security groups, instead of one of its own, whose rules would be managed. A Network Load Balancer that was made without any can't get one.")
	ExtraGroups = key("extra-security-groups", annotation.TypeList, OnClassic, "Ids of security groups in addition to the others.")
	GroupMode   = annotation.Own(annotation.Prefix+"aws-security-group-mode", annotation.TypeEnum,
		"Whether a new Network Load Balancer gets a security group of its own. By default what NLBSecurityGroupMode of the configuration says.").OneOf("managed", "none").On(OnNetwork)
	ProxyProtocol = proxyProtocol()
	Backend       = key("backend-protocol", annotation.TypeString, "",
		"Protocol of the nodes: `tcp`, `ssl`, `http` or `https`. On Network Load Balancers only `ssl` matters, on TLS listeners.")
	Certificate = annotation.Certificate.WithAliases(Prefix+"ssl-cert").ShownIn("certificates", nil).
			Noted("ARN (ACM or IAM). On Network Load Balancers more than one: the first is the default, the others are chosen by server name.")
	TLSPorts  = tlsPorts()
	TLSPolicy = key("ssl-negotiation-policy", annotation.TypeString, onTLS, "Name of the TLS security policy. By default AWS's own default.")

	Log         = key("access-log-enabled", annotation.TypeBool, "", "Write an access log to S3.")
	LogInterval = key("access-log-emit-interval", annotation.TypeEnum, OnClassic, "Minutes between two parts of the access log.").OneOf("5", "60").Standing("60")
	LogBucket   = key("access-log-s3-bucket-name", annotation.TypeString, "", "S3 bucket of the access log.")
	LogPrefix   = key("access-log-s3-bucket-prefix", annotation.TypeString, "", "Prefix of the access log in the bucket.")

	Draining        = key("connection-draining-enabled", annotation.TypeBool, OnClassic, "Let connections to a node that goes end by themselves.")
	DrainingTimeout = number("connection-draining-timeout", 1, 3600, "300", OnClassic, "Seconds for that.")
	ClassicTimeout  = number("connection-idle-timeout", 1, MaxClassicTimeout, "", OnClassic, "Seconds that a connection may be silent. By default 60.")
	// IdleTimeout is the portable key. Upstream's above is for Classic Load Balancers alone, so that it is no spelling of it. There it wins.
	IdleTimeout = annotation.IdleTimeout.Within(1, 6000).
			Noted("From 1 to 4000 s on Classic Load Balancers, by default 60 s. From 60 to 6000 s on TCP ports of Network ones, by default 350 s; on other ports AWS can't change it.")
	CrossZone  = key("cross-zone-load-balancing-enabled", annotation.TypeBool, "", "Spread connections over the nodes of all zones.")
	Protection = annotation.DeletionProtection.WithAliases(annotation.Prefix + "aws-deletion-protection").On(OnNetwork)
	Tags       = annotation.Key{
		Name: Prefix + "additional-resource-tags", Type: annotation.TypeString, Check: checkTags,
		Want: `at most 40 tags such as "team=web,stage=prod": letters, digits, spaces and + - . _ : / @, keys of up to 128 characters that do not begin with "aws:", values of up to 256`,
		Doc:  "Tags of the balancer and all that belongs to it, beside the ownership tags. Tags that are taken out of the list are removed.",
	}

	HealthProtocol = key("healthcheck-protocol", annotation.TypeString, "", "Protocol of the health check.").
			Checked(checkHealthProtocol, `"TCP", "HTTP" or "HTTPS", on Classic Load Balancers also "SSL"`)
	HealthPort = key("healthcheck-port", annotation.TypeString, "",
		"Port of the health check. `traffic-port` is the node port of the listener, on Classic Load Balancers of the first one.").
		Checked(checkHealthPort, `"traffic-port" or a port from 1 to 65535`)
	HealthPath = key("healthcheck-path", annotation.TypeString, onHTTP, "Path of the health check.")
	Healthy    = annotation.HealthyThreshold.WithAliases(Prefix+"healthcheck-healthy-threshold").Within(2, 10).
			Noted("By default 2 on Classic Load Balancers, 3 on Network ones, 2 there with externalTrafficPolicy Local.")
	Unhealthy = annotation.UnhealthyThreshold.WithAliases(Prefix+"healthcheck-unhealthy-threshold").Within(2, 10).
			Noted("By default 6 on Classic Load Balancers, 3 on Network ones, 2 there with externalTrafficPolicy Local.")
	Timeout = annotation.HealthTimeout.WithAliases(Prefix+"healthcheck-timeout").Within(2, 120).
		Noted("By default 5 s on Classic Load Balancers, AWS's default on Network ones: 10 s, or 6 s for HTTP. At most 60 s on Classic ones.")
	Interval = annotation.HealthInterval.WithAliases(Prefix+"healthcheck-interval").Within(5, 300).
			Noted("By default 10 s on Classic Load Balancers, 30 s on Network ones, 10 s there with externalTrafficPolicy Local.")

	// OwnProtocol, OwnPort and OwnPath are the portable check of the Service's own port. Upstream's keys
	// above mean other things, and stand above them: a port of the node, a path for HTTP checks only.
	OwnProtocol = own(annotation.HealthProtocol)
	OwnPort     = own(annotation.HealthPort)
	OwnPath     = own(annotation.HealthPath)

	TargetType = key("nlb-target-type", annotation.TypeEnum, OnNetwork,
		"What is registered: the nodes as instances, or their private addresses (`ip`), which also works for machines that are not in EC2's own network interface, such as Fargate's.").
		OneOf(TargetInstance, TargetIP).Standing(TargetInstance)
	TargetAttributes = annotation.Key{
		Name: Prefix + "target-group-attributes", Type: annotation.TypeString, Check: checkTargetAttributes, Applies: OnNetwork,
		Want: `"preserve_client_ip.enabled" and "proxy_protocol_v2.enabled", each with "=true" or "=false"`,
		Doc:  "Attributes of the target groups: `preserve_client_ip.enabled` and `proxy_protocol_v2.enabled`.",
	}
	Addresses        = key("eip-allocations", annotation.TypeList, OnNetwork, "Allocation ids of the Elastic IPs, one for each subnet, in the order of the subnets. An address stays for as long as the balancer is in its subnet.")
	PrivateAddresses = key("private-ipv4-addresses", annotation.TypeList, OnNetwork, "Private addresses, one for each subnet, in the order of the subnets.")

	NodeSelector = nodeSelector()
)

// All returns the provider's annotations.
func All() annotation.Set {
	return annotation.Set{
		Type, Name, Internal, Subnets, Groups, ExtraGroups, GroupMode, ProxyProtocol, Backend, Certificate, TLSPorts,
		TLSPolicy, Log, LogInterval, LogBucket, LogPrefix, Draining, DrainingTimeout, ClassicTimeout, IdleTimeout, CrossZone,
		Protection, Tags, HealthProtocol, HealthPort, HealthPath, Healthy, Unhealthy, Timeout, Interval,
		OwnProtocol, OwnPort, OwnPath,
		TargetType, TargetAttributes, Addresses, PrivateAddresses, NodeSelector,
	}
}

// balancerName is the portable key, with what AWS takes for a name: what it refuses it refuses only
// after other things were made.
func balancerName() annotation.Key {
	k := annotation.Name.WithAliases(Prefix + "name")
	k.Check = checkName
	k.Want = `at most 32 letters, digits and hyphens, no hyphen at the beginning or end, and not "internal-" at the beginning`
	k.Note = "Can't be changed later."
	return k
}

func internal() annotation.Key {
	k := annotation.Internal.WithAliases(Prefix + "internal")
	k.Aliased = checkInternal
	k.Note = "Any value of upstream's key but `false` counts as true, as its users write `0.0.0.0/0`. Can't be changed later."
	return k
}

func proxyProtocol() annotation.Key {
	k := annotation.ProxyProtocol.WithAliases(Prefix + "proxy-protocol")
	k.Aliased, k.Want = checkProxyProtocol, `"true" or "false", of upstream's key also "*"`
	k.Note = "Version 1 on Classic Load Balancers, 2 on Network Load Balancers. `*` of upstream's key is for Classic ones only."
	return k
}

func tlsPorts() annotation.Key {
	k := annotation.TLSPorts.WithAliases(Prefix + "ssl-ports").Standing(allPorts).On(onTLS).
		Noted("Upstream's key takes names of ports too, and `*` for all.")
	k.Aliased = checkPortNames
	return k
}

func own(k annotation.Key) annotation.Key {
	return k.Under(HealthProtocol.Name, HealthPort.Name, HealthPath.Name)
}

// key is one of upstream's.
func key(name string, of annotation.Type, applies, doc string) annotation.Key {
	return annotation.Own(Prefix+name, of, doc).On(applies)
}

func number(name string, least, most int, standard, applies, doc string) annotation.Key {
	return key(name, annotation.TypeInt, applies, doc).Within(least, most).Standing(standard)
}

// nodeSelector is the kernel's key in upstream's syntax: "k=" says that the label has to be
// there, with any value.
func nodeSelector() annotation.Key {
	k := annotation.NodeSelector.WithAliases(Prefix + "target-node-labels")
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

// Unused says of the annotations that are there and apply to something else that they have no
// effect. TargetAttributes is refused.
func Unused(spec cloud.Spec, applies, message string) []cloud.Warning {
	var notes []cloud.Warning
	for _, key := range All() {
		if key.Applies == applies && key.Has(spec.Options) && key.Name != TargetAttributes.Name {
			notes = append(notes, cloud.Warning{Field: key.Name, Message: message})
		}
	}
	return notes
}

// Values of TargetType.
const (
	TargetInstance = "instance"
	TargetIP       = "ip"
)

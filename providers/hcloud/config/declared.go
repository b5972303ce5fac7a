// Package config reads the environment variables.
package config

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Environment variables, named as the upstream CCM named them. The last group is ours.
const (
	EnvToken         = "HCLOUD_TOKEN"
	EnvEndpoint      = "HCLOUD_ENDPOINT"
	EnvNetwork       = "HCLOUD_NETWORK"
	EnvNoAttachCheck = "HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK"
	EnvRoutes        = "HCLOUD_NETWORK_ROUTES_ENABLED"
	EnvFamily        = "HCLOUD_INSTANCES_ADDRESS_FAMILY"
	EnvZoneLabel     = "HCLOUD_INSTANCES_ZONE_LABEL_ENABLED"

	EnvBalancers        = "HCLOUD_LOAD_BALANCERS_ENABLED"
	EnvLocation         = "HCLOUD_LOAD_BALANCERS_LOCATION"
	EnvNetworkZone      = "HCLOUD_LOAD_BALANCERS_NETWORK_ZONE"
	EnvType             = "HCLOUD_LOAD_BALANCERS_TYPE"
	EnvAlgorithm        = "HCLOUD_LOAD_BALANCERS_ALGORITHM_TYPE"
	EnvPrivateIP        = "HCLOUD_LOAD_BALANCERS_USE_PRIVATE_IP"
	EnvNoPrivateIngress = "HCLOUD_LOAD_BALANCERS_DISABLE_PRIVATE_INGRESS"
	EnvNoIPv6           = "HCLOUD_LOAD_BALANCERS_DISABLE_IPV6"
	EnvNoPublicNetwork  = "HCLOUD_LOAD_BALANCERS_DISABLE_PUBLIC_NETWORK"
	EnvProxyProtocol    = "HCLOUD_LOAD_BALANCERS_USES_PROXYPROTOCOL"
	EnvSubnet           = "HCLOUD_LOAD_BALANCERS_PRIVATE_SUBNET_IP_RANGE"
	EnvHealthInterval   = "HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_INTERVAL"
	EnvHealthTimeout    = "HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_TIMEOUT"
	EnvHealthRetries    = "HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_RETRIES"

	EnvRobot          = "ROBOT_ENABLED"
	EnvRobotUser      = "ROBOT_USER"
	EnvRobotPassword  = "ROBOT_PASSWORD"
	EnvRobotAddresses = "ROBOT_FORWARD_INTERNAL_IPS"

	EnvRobotURL    = "ROBOT_BASE_URL"
	EnvRobotName   = "ROBOT_NAME_MUST_MATCH"
	EnvMetadataURL = "HCLOUD_METADATA_URL"
)

// Address families of Nodes, as upstream spells them.
const (
	FamilyIPv4      = "ipv4"
	FamilyIPv6      = "ipv6"
	FamilyDualStack = "dualstack"
)

const (
	ignored   = "Accepted for compatibility and ignored: "
	byDefault = " A Service's annotation stands above it."
)

// Declared are the settings that users can make.
func Declared() []cloud.Setting {
	all := []cloud.Setting{
		{Name: EnvToken, Required: true, Secret: true, Value: "token", Key: "token", Doc: "API token of the project, with read and write rights. It is read for every request, so a rotated file is used at once."},
		{Name: EnvEndpoint, Default: "https://api.hetzner.cloud/v1", Value: "apiURL", Doc: "Base URL of the cloud API."},
		{Name: EnvNetwork, Secret: true, Public: true, Value: "network", Key: "network", Doc: "Id or name of the network of the nodes. It gives Nodes an InternalIP, load balancers a private address, and the cluster routes."},
		{Name: EnvNoAttachCheck, Default: "false", Value: "networkCheckDisabled", Type: cloud.SettingBool, Doc: "Do not check at the start that the machine this runs on is in the network. Needed on machines that are no cloud servers."},
		{Name: EnvRoutes, Default: "true", Value: "routes", Type: cloud.SettingBool, Doc: "Make routes of the network for the pod networks of cloud servers. Without " + EnvNetwork + " there are none."},
		{Name: EnvFamily, Default: FamilyIPv4, Value: "addressFamily", Enum: []string{FamilyIPv4, FamilyIPv6, FamilyDualStack}, Doc: "Families of the public addresses of Nodes."},
		{Name: EnvZoneLabel, Default: "true", Value: "zoneLabel", Type: cloud.SettingBool, Doc: "Give the Nodes of cloud servers the label of their zone."},
		{Name: EnvMetadataURL, Default: "http://169.254.169.254", Value: "metadataURL", Doc: "Base URL of the metadata service of cloud servers, asked for the networks of the machine this runs on."},
		{Name: "HCLOUD_DEBUG", Doc: ignored + "requests are not written anywhere, because they hold secrets."},
		{Name: "HCLOUD_METRICS_ENABLED", Doc: ignored + "metrics are served by --secure-port at /metrics."},
		{Name: "HCLOUD_METRICS_ADDRESS", Doc: ignored + "metrics are served by --secure-port at /metrics."},
		{Name: "HCLOUD_SERVER_CACHE_MODE", Doc: ignored + "how often servers are read follows from the rate limit."},
		{Name: "HCLOUD_SERVER_CACHE_MAX_AGE", Doc: ignored + "how often servers are read follows from the rate limit."},
	}
	return append(append(all, balancers()...), dedicated()...)
}

func balancers() []cloud.Setting {
	tristate := []string{"", "true", "false"}
	return []cloud.Setting{
		{Name: EnvBalancers, Default: "true", Value: "loadBalancers.enabled", Type: cloud.SettingBool, Doc: "Make load balancers for Services."},
		{Name: EnvLocation, Value: "loadBalancers.location", Doc: "Location of new load balancers, such as fsn1." + byDefault},
		{Name: EnvNetworkZone, Value: "loadBalancers.networkZone", Doc: "Network zone of new load balancers, such as eu-central, in place of a location." + byDefault},
		{Name: EnvType, Value: "loadBalancers.type", Doc: "Type of load balancers, such as lb11." + byDefault},
		{Name: EnvAlgorithm, Value: "loadBalancers.algorithm", Doc: "Algorithm of load balancers, round_robin or least_connections, in any case." + byDefault},
		{Name: EnvPrivateIP, Default: "false", Value: "loadBalancers.usePrivateIP", Type: cloud.SettingBool, Doc: "Reach targets by their private address. Needs " + EnvNetwork + "." + byDefault},
		{Name: EnvNoPrivateIngress, Default: "false", Value: "loadBalancers.disablePrivateIngress", Type: cloud.SettingBool, Doc: "Leave private addresses out of the status of Services." + byDefault},
		{Name: EnvNoIPv6, Default: "false", Value: "loadBalancers.disableIPv6", Type: cloud.SettingBool, Doc: "Leave IPv6 addresses out of the status of Services." + byDefault},
		{Name: EnvNoPublicNetwork, Value: "loadBalancers.disablePublicNetwork", Enum: tristate, Doc: "true switches the public interface of load balancers off, false on. Not set: it is left alone." + byDefault},
		{Name: EnvProxyProtocol, Value: "loadBalancers.usesProxyProtocol", Enum: tristate, Doc: "true switches PROXY protocol on, false off. Not set: off, unless a Service asks for it." + byDefault},
		{Name: EnvSubnet, Value: "loadBalancers.privateSubnetIPRange", Doc: "Subnet of the network that load balancers are attached to, as a CIDR." + byDefault},
		{Name: EnvHealthInterval, Value: "loadBalancers.healthCheck.interval", Doc: "Time between health checks, such as 15s." + byDefault},
		{Name: EnvHealthTimeout, Value: "loadBalancers.healthCheck.timeout", Doc: "Time after which a health check has failed, such as 10s." + byDefault},
		{Name: EnvHealthRetries, Value: "loadBalancers.healthCheck.retries", Type: cloud.SettingNumber, Doc: "Failed health checks after which a target gets no traffic." + byDefault},
	}
}

func dedicated() []cloud.Setting {
	return []cloud.Setting{
		{Name: EnvRobot, Default: "false", Value: "robot.enabled", Type: cloud.SettingBool, Doc: "Take dedicated servers for Nodes too. Without it their Nodes are nobody's: they are no targets, and nothing happens to them."},
		{Name: EnvRobotUser, Secret: true, Value: "robotUser", Key: "robot-user", Needs: EnvRobotPassword, Doc: "User of the Robot web service. Without one the Nodes of dedicated servers describe themselves."},
		{Name: EnvRobotPassword, Secret: true, Value: "robotPassword", Key: "robot-password", Needs: EnvRobotUser, Doc: "Password of the user of the Robot web service."},
		{Name: EnvRobotURL, Default: "https://robot-ws.your-server.de", Value: "robot.apiURL", Doc: "Base URL of the Robot web service."},
		{Name: EnvRobotAddresses, Default: "true", Value: "robot.forwardInternalIPs", Type: cloud.SettingBool, Doc: "Keep the internal addresses that kubelets of dedicated servers report."},
		{Name: EnvRobotName, Default: "false", Value: "robot.nameMustMatch", Type: cloud.SettingBool, Doc: "A dedicated server that has another name in Robot than its Node counts as gone, as upstream has it: the Node is deleted when it is not Ready."},
		{Name: "ROBOT_CACHE_TIMEOUT", Doc: ignored + "how often dedicated servers are read follows from the rate limit."},
		{Name: "ROBOT_RATE_LIMIT_WAIT_TIME", Doc: ignored + "a used up rate limit of Robot always pauses requests to it."},
	}
}

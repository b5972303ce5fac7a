package aws

import "regexp"

// config is what cloud.conf and the settings say, checked and with defaults filled in.
type config struct {
	region string
	// vpc is where balancers and routes are; "" until it is learnt from the machine this runs on.
	vpc string
	// fallbackSubnet is where balancers go when discovery finds no subnet, "" for nowhere.
	fallbackSubnet string
	// routeTables are the ids of the tables that pod routes go into; none means those with the
	// cluster's tag.
	routeTables []string
	// clusterID is the id in the tags; legacyTag says that KubernetesCluster=<id> is one too.
	clusterID string
	legacyTag bool
	// families are the address families of Nodes, "ipv4" and "ipv6", in their order.
	families []string
	// topologyPattern matches the instance types whose topology labels are mandatory.
	topologyPattern *regexp.Regexp

	balancer balancerConfig
}

// balancerConfig is what balancers have in common.
type balancerConfig struct {
	// leaveNodeGroups says that the security groups of nodes are not ours to change.
	leaveNodeGroups bool
	// group is the security group of every classic balancer, instead of one of its own; "" for none.
	group string
	// managedGroups says that new network balancers get a security group of their own
	// (NLBSecurityGroupMode=Managed).
	managedGroups bool
	// probe is the health check of Services without externalTrafficPolicy Local in
	// ClusterServiceLoadBalancerHealthProbeMode=Shared, nil in the default mode.
	probe *sharedProbe
}

// sharedProbe asks kube-proxy, or who stands in for it, over HTTP.
type sharedProbe struct {
	port int
	path string
}

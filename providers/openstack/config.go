package openstack

import (
	"net/netip"
	"time"
)

// config is the content of the file of --cloud-config, validated. Every field of a section is
// declared with its key there.
type config struct {
	global     globalConfig
	networking networkingConfig
	balancer   balancerConfig
	// classes are the [LoadBalancerClass "name"] sections by name.
	classes map[string]classConfig
	// router is [Route] router-id, "" where routes are off.
	router string
	// requestTimeout is [Metadata] request-timeout, which upstream applies to every request.
	requestTimeout time.Duration
}

// Algorithms of pools that are a default.
const (
	methodRoundRobin   = "ROUND_ROBIN"
	methodSourceIPPort = "SOURCE_IP_PORT"
)

// providerOVN is the value of lb-provider whose balancers can do less than the others'.
const providerOVN = "ovn"

// networkingConfig is [Networking].
type networkingConfig struct {
	ipv6Disabled     bool
	publicNetworks   []string
	internalNetworks []string
	// sortOrder is address-sort-order.
	sortOrder []netip.Prefix
}

// placement says where something of a balancer is put; "" leaves it to what comes next in
// the order of precedence.
type placement struct {
	network         string
	subnet          string
	memberSubnet    string
	floatingNetwork string
	// Of these three the first that is not empty counts, names and tags together.
	floatingSubnet     string
	floatingSubnetName string
	floatingSubnetTags string
}

// classConfig is a [LoadBalancerClass].
type classConfig struct{ placement }

// balancerConfig is [LoadBalancer].
type balancerConfig struct {
	enabled              bool
	provider             string // lb-provider
	method               string // lb-method, what fits the provider when the file has none
	placement            placement
	monitor              bool // create-monitor
	monitorDelay         time.Duration
	monitorTimeout       time.Duration
	monitorRetries       int
	monitorRetriesDown   int
	manageSecurityGroups bool
	internal             bool
	nodeSelector         string
	cascadeDelete        bool
	flavor               string
	zone                 string
	ingressHostname      bool
	hostnameSuffix       string
	maxShared            int
	tlsRef               string
	containerStore       string
	serial               bool // provider-requires-serial-api-calls
}

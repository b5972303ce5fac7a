// Package config reads cloud.conf and clouds.yaml, and makes a credential of what they say.
package config

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"
)

// Config is the content of the file of --cloud-config, validated. Every field of a section is
// declared with its key there.
type Config struct {
	Global     Global
	Networking Networking
	Balancer   Balancer
	// Classes are the [LoadBalancerClass "name"] sections by name.
	Classes map[string]Class
	// Router is [Route] router-id, "" where routes are off.
	Router string
	// requestTimeout is [Metadata] request-timeout, which upstream applies to every request.
	RequestTimeout time.Duration
	// Access is what the reader makes of global and a clouds.yaml.
	Access Access
}

// Algorithms of pools that are a default.
const (
	MethodRoundRobin   = "ROUND_ROBIN"
	MethodSourceIPPort = "SOURCE_IP_PORT"
)

// ProviderOVN is the value of lb-provider whose balancers can do less than the others'.
const ProviderOVN = "ovn"

// Networking is [Networking].
type Networking struct {
	Ipv6Disabled     bool
	PublicNetworks   []string
	InternalNetworks []string
	// sortOrder is address-sort-order.
	SortOrder []netip.Prefix
}

// Placement says where something of a balancer is put; "" leaves it to what comes next in
// the order of precedence.
type Placement struct {
	Network         string
	Subnet          string
	MemberSubnet    string
	FloatingNetwork string
	// Of these three the first that is not empty counts, names and tags together.
	FloatingSubnet     string
	FloatingSubnetName string
	FloatingSubnetTags string
}

// Class is a [LoadBalancerClass].
type Class struct{ Placement }

// Balancer is [LoadBalancer].
type Balancer struct {
	Enabled              bool
	Provider             string // lb-provider
	Method               string // lb-method, what fits the provider when the file has none
	Placement            Placement
	Monitor              bool // create-monitor
	MonitorDelay         time.Duration
	MonitorTimeout       time.Duration
	MonitorRetries       int
	MonitorRetriesDown   int
	ManageSecurityGroups bool
	Internal             bool
	NodeSelector         string
	CascadeDelete        bool
	Flavor               string
	Zone                 string
	IngressHostname      bool
	HostnameSuffix       string
	MaxShared            int
	TLSRef               string
	ContainerStore       string
	Serial               bool // provider-requires-serial-api-calls
}

// Parse reads a file. The error holds everything that is wrong with it; the warnings
// say what has no effect. It is pure.
func Parse(content []byte) (Config, []string, error) {
	c := Config{Classes: map[string]Class{}}
	classes := map[string]*Class{}
	warnings, err := c.file(classes).Parse(content)
	for name, class := range classes {
		c.Classes[name] = *class
	}
	if warning := c.Balancer.complete(); warning != "" {
		warnings = append(warnings, warning)
	}
	return c, warnings, err
}

// complete fills what depends on other values, and returns a warning of what does not go together.
func (b *Balancer) complete() string {
	if b.Method == "" && b.Provider == ProviderOVN {
		b.Method = MethodSourceIPPort
	}
	b.Method = cmp.Or(b.Method, MethodRoundRobin)
	b.MonitorDelay, b.MonitorTimeout = b.MonitorDelay.Truncate(time.Second), b.MonitorTimeout.Truncate(time.Second)
	if b.Provider == ProviderOVN && b.Method != MethodSourceIPPort {
		return fmt.Sprintf("cloud.conf: [%s] lb-method = %q: lb-provider ovn has %s only", SectionBalancer, b.Method, MethodSourceIPPort)
	}
	return ""
}

package option

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// Defaults are the annotations that [LoadBalancer] says of all balancers. Where parts are put is
// decided in one place instead, see placement.
func Defaults(c config.Balancer) map[string]string {
	defaults := map[string]string{
		Method.Name:       c.Method,
		NodeSelector.Name: canonicalSelector(c.NodeSelector),
		TLS.Name:          c.TLSRef,
		Flavor.Name:       c.Flavor,
		Zone.Name:         c.Zone,
	}
	maps.DeleteFunc(defaults, func(_, value string) bool { return value == "" })
	defaults[Monitor.Name] = strconv.FormatBool(c.Monitor)
	for name, configured := range map[string]time.Duration{MonitorDelay.Name: c.MonitorDelay, MonitorTimeout.Name: c.MonitorTimeout} {
		if seconds := int(configured / time.Second); seconds > 0 {
			defaults[name] = strconv.Itoa(seconds)
		}
	}
	for name, configured := range map[string]int{MonitorRetries.Name: c.MonitorRetries, MonitorRetriesDown.Name: c.MonitorRetriesDown} {
		if configured > 0 {
			defaults[name] = strconv.Itoa(configured)
		}
	}
	return defaults
}

// Check puts what the file says of balancers through the checks of the annotations that say
// the same, and reports all that is wrong.
func Check(c config.Config) error {
	var problems []error
	check := func(section, name, value string, key annotation.Key) {
		_, found := (annotation.Set{key}).Parse(map[string]string{key.Name: value})
		for _, p := range found {
			problems = append(problems, &cloud.Invalid{Field: "[" + section + "] " + name, Value: value, Want: "want " + p.Want})
		}
	}
	places := func(section string, p config.Placement) {
		check(section, "network-id", p.Network, Network)
		check(section, "subnet-id", p.Subnet, Subnet)
		check(section, "member-subnet-id", p.MemberSubnet, MemberSubnet)
		check(section, "floating-network-id", p.FloatingNetwork, FloatingNetwork)
		check(section, "floating-subnet-id", p.FloatingSubnet, FloatingSubnet)
		check(section, "floating-subnet", p.FloatingSubnetName, FloatingName)
	}
	places("LoadBalancer", c.Balancer.Placement)
	for _, name := range slices.Sorted(maps.Keys(c.Classes)) {
		places("LoadBalancerClass \""+name+"\"", c.Classes[name].Placement)
	}
	check("LoadBalancer", "flavor-id", c.Balancer.Flavor, Flavor)
	return errors.Join(problems...)
}

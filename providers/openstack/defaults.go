package openstack

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Defaults implements cloud.Configured: what [LoadBalancer] says of all balancers. Where parts
// are put is decided in one place instead, see placementOf.
func (d *Driver) Defaults() map[string]string {
	c := d.config.balancer
	defaults := map[string]string{
		keyMethod.Name:       c.method,
		keyNodeSelector.Name: canonicalSelector(c.nodeSelector),
		keyTLS.Name:          c.tlsRef,
		keyFlavor.Name:       c.flavor,
		keyZone.Name:         c.zone,
	}
	maps.DeleteFunc(defaults, func(_, value string) bool { return value == "" })
	defaults[keyMonitor.Name] = strconv.FormatBool(c.monitor)
	for name, configured := range map[string]time.Duration{keyMonitorDelay.Name: c.monitorDelay, keyMonitorTimeout.Name: c.monitorTimeout} {
		if seconds := int(configured / time.Second); seconds > 0 {
			defaults[name] = strconv.Itoa(seconds)
		}
	}
	for name, configured := range map[string]int{keyMonitorRetries.Name: c.monitorRetries, keyMonitorRetriesDown.Name: c.monitorRetriesDown} {
		if configured > 0 {
			defaults[name] = strconv.Itoa(configured)
		}
	}
	return defaults
}

// checkConfig puts what the file says of balancers through the checks of the annotations that say
// the same, and reports all that is wrong.
func (c config) checkConfig() error {
	var problems []error
	check := func(section, name, value string, key annotation.Key) {
		_, found := (annotation.Set{key}).Parse(map[string]string{key.Name: value})
		for _, p := range found {
			problems = append(problems, &cloud.Invalid{Field: "[" + section + "] " + name, Value: value, Want: "want " + p.Want})
		}
	}
	places := func(section string, p placement) {
		check(section, "network-id", p.network, keyNetwork)
		check(section, "subnet-id", p.subnet, keySubnet)
		check(section, "member-subnet-id", p.memberSubnet, keyMemberSubnet)
		check(section, "floating-network-id", p.floatingNetwork, keyFloatingNetwork)
		check(section, "floating-subnet-id", p.floatingSubnet, keyFloatingSubnet)
		check(section, "floating-subnet", p.floatingSubnetName, keyFloatingName)
	}
	places("LoadBalancer", c.balancer.placement)
	for _, name := range slices.Sorted(maps.Keys(c.classes)) {
		places("LoadBalancerClass \""+name+"\"", c.classes[name].placement)
	}
	check("LoadBalancer", "flavor-id", c.balancer.flavor, keyFlavor)
	return errors.Join(problems...)
}

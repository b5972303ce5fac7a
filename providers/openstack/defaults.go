package openstack

import (
	"maps"
	"strconv"
	"time"
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

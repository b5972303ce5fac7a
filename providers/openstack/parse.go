package openstack

import (
	"cmp"
	"fmt"
	"time"
)

// parseConfig reads a file. The error holds everything that is wrong with it; the warnings
// say what has no effect. It is pure.
func parseConfig(content []byte) (config, []string, error) {
	c := config{classes: map[string]classConfig{}}
	classes := map[string]*classConfig{}
	warnings, err := c.file(classes).Parse(content)
	for name, class := range classes {
		c.classes[name] = *class
	}
	if warning := c.balancer.complete(); warning != "" {
		warnings = append(warnings, warning)
	}
	return c, warnings, err
}

// complete fills what depends on other values, and returns a warning of what does not go together.
func (b *balancerConfig) complete() string {
	if b.method == "" && b.provider == providerOVN {
		b.method = methodSourceIPPort
	}
	b.method = cmp.Or(b.method, methodRoundRobin)
	b.monitorDelay, b.monitorTimeout = b.monitorDelay.Truncate(time.Second), b.monitorTimeout.Truncate(time.Second)
	if b.provider == providerOVN && b.method != methodSourceIPPort {
		return fmt.Sprintf("cloud.conf: [%s] lb-method = %q: lb-provider ovn has %s only", sectionBalancer, b.method, methodSourceIPPort)
	}
	return ""
}

package config

import (
	"cmp"
	"fmt"
	"time"
)

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

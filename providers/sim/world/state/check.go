package state

import (
	"cmp"
	"net/netip"
	"regexp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

var (
	balancerName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)
	label        = regexp.MustCompile(`^[A-Za-z0-9._/-]{1,128}$`)
)

// complete refuses what can't be and brings the rest into the form in which it is
// stored. The id is "" for a new balancer.
func (c *Cloud) complete(spec *api.BalancerSpec, id string) error {
	if !balancerName.MatchString(spec.Name) {
		return api.Invalid("name %q is not of the form %s", spec.Name, balancerName)
	}
	for _, b := range c.balancers {
		if b.Name == spec.Name && b.ID != id {
			return api.Conflict("%s has the name %q", b.ID, spec.Name)
		}
	}
	spec.Algorithm = cmp.Or(spec.Algorithm, "round_robin")
	if !slices.Contains([]string{"round_robin", "least_connections", api.SourceAddress}, spec.Algorithm) {
		return api.Invalid("algorithm %q is none of round_robin, least_connections, %s", spec.Algorithm, api.SourceAddress)
	}
	for key, value := range spec.Labels {
		if !label.MatchString(key) || !label.MatchString(value) {
			return api.Invalid("label %q=%q: key and value need the form %s", key, value, label)
		}
	}
	for _, check := range []func(*api.BalancerSpec) error{c.checkListeners, checkHealth, checkSources, c.checkTargets} {
		if err := check(spec); err != nil {
			return err
		}
	}
	if spec.Labels == nil {
		spec.Labels = map[string]string{}
	}
	return nil
}

func (c *Cloud) checkListeners(spec *api.BalancerSpec) error {
	if len(spec.Listeners) == 0 {
		return api.Invalid("listeners: at least one is required")
	}
	if limit := c.settings.Quota.Listeners; limit > 0 && len(spec.Listeners) > limit {
		return api.OverQuota("listeners on a balancer", limit)
	}
	seen := map[string]bool{}
	for i, l := range spec.Listeners {
		if l.Protocol != "tcp" && l.Protocol != "udp" {
			return api.Invalid("listeners[%d].protocol %q is none of tcp, udp", i, l.Protocol)
		}
		if l.NodePort == 0 && c.carrier == Proxies {
			return api.Invalid("listeners[%d].node_port is 0, but the balancers of this world are proxies and connect to node ports", i)
		}
		if !isPort(l.Port) || l.NodePort != 0 && !isPort(l.NodePort) {
			return api.Invalid("listeners[%d]: port %d and node_port %d must be in 1..65535", i, l.Port, l.NodePort)
		}
		if seen[l.Key()] {
			return api.Invalid("listeners[%d]: %s is there twice", i, l.Key())
		}
		seen[l.Key()] = true
	}
	spec.Listeners = slices.Clone(spec.Listeners)
	slices.SortFunc(spec.Listeners, func(a, b api.Listener) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	return nil
}

func isPort(n int) bool { return n >= 1 && n <= 65535 }

func checkHealth(spec *api.BalancerSpec) error {
	h := &spec.HealthCheck
	switch h.Protocol {
	case "http":
		h.Path = cmp.Or(h.Path, "/")
		if h.Path[0] != '/' {
			return api.Invalid("health_check.path %q must begin with /", h.Path)
		}
	case "tcp":
		if h.Path != "" {
			return api.Invalid("health_check.path is for http only")
		}
	default:
		return api.Invalid("health_check.protocol %q is none of http, tcp", h.Protocol)
	}
	if !isPort(h.Port) {
		return api.Invalid("health_check.port %d must be in 1..65535", h.Port)
	}
	for _, field := range []struct {
		name              string
		value             *int
		standard, maximum int
	}{
		{"interval_seconds", &h.IntervalSeconds, 10, 300},
		{"timeout_seconds", &h.TimeoutSeconds, 5, 300},
		{"healthy_threshold", &h.HealthyThreshold, 2, 10},
		{"unhealthy_threshold", &h.UnhealthyThreshold, 3, 10},
	} {
		*field.value = cmp.Or(*field.value, field.standard)
		if *field.value < 1 || *field.value > field.maximum {
			return api.Invalid("health_check.%s %d must be in 1..%d", field.name, *field.value, field.maximum)
		}
	}
	if h.TimeoutSeconds > h.IntervalSeconds {
		return api.Invalid("health_check.timeout_seconds %d must not be longer than the interval, %d", h.TimeoutSeconds, h.IntervalSeconds)
	}
	return nil
}

func checkSources(spec *api.BalancerSpec) error {
	sources := []string{}
	for i, source := range spec.AllowedSources {
		prefix, err := netip.ParsePrefix(source)
		if err != nil {
			return api.Invalid("allowed_sources[%d] %q is no network", i, source)
		}
		sources = append(sources, prefix.Masked().String())
	}
	slices.Sort(sources)
	spec.AllowedSources = slices.Compact(sources)
	return nil
}

func (c *Cloud) checkTargets(spec *api.BalancerSpec) error {
	known := map[string]bool{}
	for _, m := range c.machines {
		known[m.ID] = true
	}
	for i, id := range spec.Targets {
		if !known[id] {
			return api.Invalid("targets[%d]: there is no machine %q", i, id)
		}
	}
	spec.Targets = append([]string{}, spec.Targets...)
	slices.Sort(spec.Targets)
	spec.Targets = slices.Compact(spec.Targets)
	if limit := c.settings.Quota.Targets; limit > 0 && len(spec.Targets) > limit {
		return api.OverQuota("targets behind a balancer", limit)
	}
	return nil
}

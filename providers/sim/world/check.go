package world

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
)

var (
	balancerName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)
	label        = regexp.MustCompile(`^[A-Za-z0-9._/-]{1,128}$`)
)

// checker judges specs by what a world holds.
type checker struct{ *World }

// balancerSpec refuses what can't be and brings the rest into the form in which it is
// stored. The id is "" for a new balancer.
func (w checker) balancerSpec(spec *BalancerSpec, id string) error {
	if !balancerName.MatchString(spec.Name) {
		return invalid("name %q is not of the form %s", spec.Name, balancerName)
	}
	for _, b := range w.balancers {
		if b.Name == spec.Name && b.ID != id {
			return conflict("%s has the name %q", b.ID, spec.Name)
		}
	}
	spec.Algorithm = cmp.Or(spec.Algorithm, "round_robin")
	if spec.Algorithm != "round_robin" && spec.Algorithm != "least_connections" {
		return invalid("algorithm %q is none of round_robin, least_connections", spec.Algorithm)
	}
	for key, value := range spec.Labels {
		if !label.MatchString(key) || !label.MatchString(value) {
			return invalid("label %q=%q: key and value need the form %s", key, value, label)
		}
	}
	for _, check := range []func(*BalancerSpec) error{w.listeners, checkHealth, checkSources, w.targets} {
		if err := check(spec); err != nil {
			return err
		}
	}
	if spec.Labels == nil {
		spec.Labels = map[string]string{}
	}
	return nil
}

func (w checker) listeners(spec *BalancerSpec) error {
	if len(spec.Listeners) == 0 {
		return invalid("listeners: at least one is required")
	}
	if limit := w.settings.Quota.Listeners; limit > 0 && len(spec.Listeners) > limit {
		return overQuota("listeners on a balancer", limit)
	}
	seen := map[string]bool{}
	for i, l := range spec.Listeners {
		if l.Protocol != "tcp" && l.Protocol != "udp" {
			return invalid("listeners[%d].protocol %q is none of tcp, udp", i, l.Protocol)
		}
		if !isPort(l.Port) || !isPort(l.NodePort) {
			return invalid("listeners[%d]: port %d and node_port %d must be in 1..65535", i, l.Port, l.NodePort)
		}
		if seen[l.key()] {
			return invalid("listeners[%d]: %s is there twice", i, l.key())
		}
		seen[l.key()] = true
	}
	spec.Listeners = slices.Clone(spec.Listeners)
	slices.SortFunc(spec.Listeners, func(a, b Listener) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	return nil
}

func (l Listener) key() string { return fmt.Sprintf("%s/%d", l.Protocol, l.Port) }

func isPort(n int) bool { return n >= 1 && n <= 65535 }

func checkHealth(spec *BalancerSpec) error {
	h := &spec.HealthCheck
	switch h.Protocol {
	case "http":
		h.Path = cmp.Or(h.Path, "/")
		if h.Path[0] != '/' {
			return invalid("health_check.path %q must begin with /", h.Path)
		}
	case "tcp":
		if h.Path != "" {
			return invalid("health_check.path is for http only")
		}
	default:
		return invalid("health_check.protocol %q is none of http, tcp", h.Protocol)
	}
	if !isPort(h.Port) {
		return invalid("health_check.port %d must be in 1..65535", h.Port)
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
			return invalid("health_check.%s %d must be in 1..%d", field.name, *field.value, field.maximum)
		}
	}
	if h.TimeoutSeconds > h.IntervalSeconds {
		return invalid("health_check.timeout_seconds %d must not be longer than the interval, %d", h.TimeoutSeconds, h.IntervalSeconds)
	}
	return nil
}

func checkSources(spec *BalancerSpec) error {
	sources := []string{}
	for i, source := range spec.AllowedSources {
		prefix, err := netip.ParsePrefix(source)
		if err != nil {
			return invalid("allowed_sources[%d] %q is no network", i, source)
		}
		sources = append(sources, prefix.Masked().String())
	}
	slices.Sort(sources)
	spec.AllowedSources = slices.Compact(sources)
	return nil
}

func (w checker) targets(spec *BalancerSpec) error {
	known := map[string]bool{}
	for _, m := range w.machines {
		known[m.ID] = true
	}
	for i, id := range spec.Targets {
		if !known[id] {
			return invalid("targets[%d]: there is no machine %q", i, id)
		}
	}
	spec.Targets = append([]string{}, spec.Targets...)
	slices.Sort(spec.Targets)
	spec.Targets = slices.Compact(spec.Targets)
	if limit := w.settings.Quota.Targets; limit > 0 && len(spec.Targets) > limit {
		return overQuota("targets behind a balancer", limit)
	}
	return nil
}

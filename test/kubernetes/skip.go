package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Skip is a spec that can't pass on a cloud, and why. It is not run.
type Skip struct {
	// Cloud is the provider. Spec is a part of the short name of the spec.
	Cloud, Spec string
	// Reason is one that a maintainer of the specs would accept.
	Reason string
}

// skips is the list. A spec that skips itself without being here fails the run, and so does an entry that no spec has, as after a change of
// a spec's name.
var skips = []Skip{
	{"digitalocean", "session affinity", "DigitalOcean's load balancers keep no client with a node by its address. The Service gets an event that says so."},
	{"hcloud", "session affinity", "Hetzner's load balancers keep no client with a node by its address. The Service gets an event that says so."},
	{"hcloud", "UDP", "Hetzner's load balancers carry TCP alone. A Service of UDP alone is refused, with an event."},
	{"hcloud", "source ranges", "Hetzner's load balancers let every client in. A Service with source ranges is refused, with an event."},
	{"hcloud", "without NodePort", "Hetzner's load balancers connect to node ports. A Service without them is refused, with an event."},
	{"hcloud", "Local should work for type=LoadBalancer", "Hetzner's load balancers end connections, so that Pods see the load balancer's address. The client's is in the PROXY protocol, with an annotation."},
}

// skipped returns why a spec is not run on a cloud, "" when it is.
func skipped(cloud string, spec Spec) string {
	for _, s := range skips {
		if s.Cloud == cloud && s.matches(spec) {
			return s.Reason
		}
	}
	return ""
}

func (s Skip) matches(spec Spec) bool { return strings.Contains(spec.Short(), s.Spec) }

// unmatched returns an error that names the entries of the list, of all clouds, that match none of the specs.
func unmatched(list []Skip, specs []Spec) error {
	var problems []error
	for _, s := range list {
		if !slices.ContainsFunc(specs, s.matches) {
			problems = append(problems, fmt.Errorf("the list of skips has %q for %s, which no spec has in its name", s.Spec, s.Cloud))
		}
	}
	return errors.Join(problems...)
}

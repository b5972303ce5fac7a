package aws_test

import (
	"slices"
	"strings"
	"testing"
)

// TestNetworkAdoption is a switch from upstream: what it made, with its names, tags and
// descriptions, is kept, and nothing is made. Our tags are the only writes.
func TestNetworkAdoption(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	svc := s.service("web", network)
	s.upstreamNetwork(svc)
	made := s.inventory()
	host := svc.Status.LoadBalancer.Ingress[0].Hostname
	s.ensure(svc)
	for _, call := range s.wrote(0) {
		if !strings.HasSuffix(call, " AddTags") {
			t.Errorf("written: %s", call)
		}
	}
	if now := s.inventory(); !slices.Equal(made, now) {
		t.Errorf("changed from\n%s\nto\n%s", strings.Join(made, "\n"), strings.Join(now, "\n"))
	}
	if now := svc.Status.LoadBalancer.Ingress[0].Hostname; now != host {
		t.Errorf("host %s became %s", host, now)
	}
	s.idle(svc)
	s.gone(svc, before)
}

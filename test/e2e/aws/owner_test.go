package aws_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// TestTwoClusters share a VPC and machines, and have Services of the same name.
func TestTwoClusters(t *testing.T) {
	a := newSite(t, siteOptions{})
	empty := a.shape()
	for _, id := range append(a.world.Public, a.world.NodeGroup) {
		a.world.Tag(t, id, aws.Shared("b"))
	}
	for _, n := range a.nodes {
		a.world.Tag(t, instanceID(n), aws.Shared("b"))
	}
	b := on(t, a.world, a.nodes, siteOptions{cluster: "b"})
	inA, inB := a.service("web", network), b.service("web", network)
	a.ensure(inA)
	alone := a.shape()
	b.ensure(inB)
	if inA.Status.LoadBalancer.Ingress[0].Hostname == inB.Status.LoadBalancer.Ingress[0].Hostname {
		t.Fatalf("both are at %v", inA.Status.LoadBalancer.Ingress)
	}
	stolen := b.service("web", network, annotated("multicloud-ccm.io/name", defaultName(string(inA.UID))))
	if err := b.try(stolen); err == nil || !strings.Contains(err.Error(), "may not use") {
		t.Errorf("another cluster's balancer by its name: %v", err)
	}
	b.remove(stolen)
	b.remove(inB)
	a.idle(inA)
	if diff := cmp.Diff(alone, a.shape()); diff != "" {
		t.Errorf("the other cluster left (-before +after):\n%s", diff)
	}
	a.remove(inA)
	a.left(empty, a.shape())
}

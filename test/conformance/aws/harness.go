package aws

import (
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// Classic is the harness for classic load balancers.
func Classic(t *testing.T) conformance.Harness {
	t.Helper()
	h := harness(t, func(t *testing.T) (*cloud.Driver, conformance.Control) { return start(t) })
	h.Descriptor.Capabilities.Protocols = []cloud.Protocol{cloud.ProtocolTCP}
	h.Annotations = without(h.Annotations, "network")
	h.Constant["dualStack"] = "classic balancers have IPv4 addresses only"
	return h
}

// Network is the harness for network load balancers: Services ask for them that don't say.
func Network(t *testing.T) conformance.Harness {
	t.Helper()
	h := harness(t, func(t *testing.T) (*cloud.Driver, conformance.Control) {
		driver, c := start(t)
		driver.Balancers.Composite = network{driver.Balancers.Composite}
		return driver, c
	})
	h.Annotations = without(h.Annotations, "classic")
	h.Constant["deletionProtection"] = "such a balancer can't be deleted: see TestNetworkAnnotations"
	h.Constant["listener.stickiness"] = "it is the Service's sessionAffinity: see TestStickiness"
	h.Impossible["mixed-protocols"] = "TCP and UDP on one port need one node port: see TestBothProtocols"
	for _, key := range []string{"security-groups", "eip-allocations", "private-ipv4-addresses"} {
		h.Variations[prefix+key] = conformance.Variation{Skip: "only new balancers, or new subnets of one, can have it: see TestNetworkAnnotations"}
	}
	return h
}

// without leaves out the annotations that only apply to a kind of balancer.
func without(all annotation.Set, kind string) annotation.Set {
	return slices.DeleteFunc(slices.Clone(all), func(k annotation.Key) bool { return k.Applies == kind })
}

func harness(t *testing.T, start func(*testing.T) (*cloud.Driver, conformance.Control)) conformance.Harness {
	t.Helper()
	w := lab.NewWorld(t, lab.WorldOptions{Alike: true, IPv6: true})
	rest := furnish(t, w)
	return conformance.Harness{
		New: start, Descriptor: aws.Descriptor(), Annotations: aws.Annotations(),
		Variations: variations(w, rest), Names: names(w), Machines: pageSize + 1, Errors: documented(),
		ProviderIDs: []string{"%s", lab.Region + "a/%s", "aws:////%s", "aws://" + lab.Region + "b/%s"},
		Foreign:     []string{"aws:///us-east-1a/%s", "us-east-1a/%s", "aws:///us-west-2-lax-1a/%s"},
		Traffic:     carriedOut(),
		Impossible:  map[string]string{"load-balancer-ip": "AWS gives the address"},
		Constant: map[string]string{
			"type":                  "each has a run of its own",
			"listener.certificates": "one certificate will do: see TestClassicAnnotations and TestTLSInPlace",
		},
	}
}

// names are for golden plans.
func names(w *lab.World) map[string]string {
	all := map[string]string{}
	for name, ids := range map[string][]string{"the public subnets": w.Public, "the private subnets": w.Private} {
		all[strings.Join(slices.Sorted(slices.Values(ids)), ",")] = name
	}
	return all
}

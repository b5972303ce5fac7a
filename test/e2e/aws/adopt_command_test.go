package aws_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/adopt"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
)

// cluster starts a real control plane with the site's Nodes, as upstream initialises them.
func (s *site) cluster() *switchover.Cluster {
	s.Helper()
	file := filepath.Join(s.TempDir(), "cloud.conf")
	s.must(os.WriteFile(file, []byte("[Global]\n"+strings.Join(s.world.Global(), "\n")+"\n"), 0o600), "writing the cloud.conf")
	c := switchover.Open(s, switchover.Options{
		Provider: "aws", Secret: aws.SecretKey, Args: []string{"--cloud-config=" + file, "--cluster-name=kubernetes"},
		Env: []string{"AWS_ENDPOINT_URL=" + s.proxy.URL, "AWS_ACCESS_KEY_ID=" + aws.AccessKey, "AWS_SECRET_ACCESS_KEY=" + aws.SecretKey},
	})
	for _, n := range s.nodes {
		id := cloud.InstanceID(instanceID(n))
		found, err := s.cloud.Instances.Get(s.Context(), id)
		s.must(err, "reading a machine")
		var addresses []corev1.NodeAddress
		for _, a := range found[id].Addresses {
			addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeAddressType(a.Type), Address: a.Address})
		}
		c.Node(controlplane.NodeOptions{
			Name: n.Name, ProviderID: n.Spec.ProviderID, Labels: n.Labels, Zone: found[id].Zone, Region: found[id].Region, InstanceType: found[id].Type,
		}, addresses...)
	}
	return c
}

// tagged are the tags that calls put on things, sorted, by what they are on, and every other write.
func tagged(calls []proxy.Call) (tags map[string][]string, others []string) {
	tags = map[string][]string{}
	for _, call := range calls {
		if !call.Writes() {
			continue
		}
		if call.Action != "AddTags" {
			others = append(others, call.String())
			continue
		}
		list := func(name string) (values []string) {
			for n := 1; call.Parameters.Has(fmt.Sprintf(name, n)); n++ {
				values = append(values, call.Parameters.Get(fmt.Sprintf(name, n)))
			}
			return values
		}
		keys, values := list("Tags.member.%d.Key"), list("Tags.member.%d.Value")
		for _, on := range append(list("ResourceArns.member.%d"), list("LoadBalancerNames.member.%d")...) {
			for n, key := range keys {
				tags[on] = append(tags[on], key+"="+values[n])
			}
			slices.Sort(tags[on])
		}
	}
	return tags, others
}

// partOf reports whether something is the load balancer, or a listener or target group of it.
func partOf(arn string, lb adopt.Balancer, svc *corev1.Service) bool {
	_, path, _ := strings.Cut(lb.ID, ":loadbalancer/")
	return arn == lb.ID || arn == lb.Name || strings.Contains(arn, ":listener/"+path+"/") || strings.Contains(arn, ":targetgroup/k8s-"+svc.Namespace+"-"+svc.Name+"-")
}

// TestSwitchover has the binary say beforehand what a switch from upstream writes, and then make it: the
// cloud sees those tags, on the load balancer and its parts, and no other write.
func TestSwitchover(t *testing.T) {
	for name, upstream := range map[string]struct {
		edit func(*corev1.Service)
		made func(*site, *corev1.Service)
	}{
		"network": {network, (*site).upstreamNetwork},
		"classic": {func(*corev1.Service) {}, (*site).upstreamClassic},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			c := s.cluster()
			svc := c.Apply(s.service("web", upstream.edit))
			upstream.made(s, svc)
			c.Publish(svc, nil, svc.Status.LoadBalancer.Ingress...)
			from := len(s.proxy.Calls())
			report, answer := c.Adopt()
			if answer.Code != 0 || report.Verdict != adopt.OwnershipTags || report.Summary.Paired != 1 || len(report.OwnershipTags) != 1 {
				t.Fatalf("code %d, want 0 and marks of one:\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
			}
			if wrote := s.wrote(from); len(wrote) > 0 {
				t.Errorf("adopt wrote %q", wrote)
			}
			from = len(s.proxy.Calls())
			c.Switch()
			tags, others := tagged(s.proxy.Calls()[from:])
			if len(others) > 0 || len(report.OwnershipTags[0].Removed) > 0 {
				t.Errorf("other writes: %q, removed %q", others, report.OwnershipTags[0].Removed)
			}
			listed := slices.Sorted(slices.Values(report.OwnershipTags[0].Added))
			if _, ok := tags[report.Balancers[0].ID]; !ok {
				t.Errorf("%s got no marks, only %v", report.Balancers[0].ID, tags)
			}
			for on, got := range tags {
				if diff := cmp.Diff(listed, got); diff != "" || !partOf(on, report.Balancers[0], svc) {
					t.Errorf("%s (-listed +seen by the cloud):\n%s", on, diff)
				}
			}
			if again, answer := c.Adopt(); answer.Code != 0 || again.Verdict != adopt.Nothing {
				t.Errorf("after the switch: code %d\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
			}
		})
	}
}

package openstack_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/adopt"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
)

// cluster starts a real control plane with the site's Nodes, as upstream initialises them.
func (s *site) cluster(r *relay.Relay) *switchover.Cluster {
	s.Helper()
	file := filepath.Join(s.TempDir(), "cloud.conf")
	s.must(os.WriteFile(file, []byte(s.project.CloudConf(r.AuthURL())), 0o600), "writing the cloud.conf")
	c := switchover.Open(s, switchover.Options{
		Provider: "openstack", Secret: openstack.Password, Args: []string{"--cloud-config=" + file, "--cluster-name=kubernetes"},
	})
	for _, n := range s.nodes {
		id := cloud.InstanceID(strings.TrimPrefix(n.Spec.ProviderID, "openstack:///"))
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

// upstreamOwnershipTags gives the balancer of a Service the tags and descriptions that upstream writes, and no
// others.
func (s *site) upstreamOwnershipTags(svc *corev1.Service) {
	s.Helper()
	made := s.look(svc)
	id, name := text(made.lb, "id"), text(made.lb, "name")
	s.change(s.project.Balancer, http.MethodPut, "lbaas/loadbalancers/"+id, object{"loadbalancer": object{"tags": []string{name}}})
	s.settle(id)
	s.change(s.project.Network, http.MethodPut, "floatingips/"+text(made.floating, "id"), object{"floatingip": object{
		"description": "Floating IP for Kubernetes external service shop/" + svc.Name + " from cluster kubernetes",
	}})
}

// upstreamService applies a Service whose balancer, ownership tags and annotations are as upstream leaves them.
func (s *site) upstreamService(c *switchover.Cluster) *corev1.Service {
	s.Helper()
	svc := c.Apply(s.service("web"))
	s.ensure(svc)
	s.upstreamOwnershipTags(svc)
	recorded := map[string]string{}
	for _, key := range []string{"load-balancer-id", "load-balancer-address"} {
		recorded[own+key] = svc.Annotations[own+key]
	}
	c.Publish(svc, recorded, svc.Status.LoadBalancer.Ingress...)
	return svc
}

// TestSwitchover has the binary say beforehand what a switch from upstream writes, and then make it: the
// cloud sees those tags and no other write.
func TestSwitchover(t *testing.T) {
	s := newSite(t, siteOptions{cluster: "kubernetes"})
	clean := s.leavesNothing()
	r := relay.Start(t)
	c := s.cluster(r)
	svc := s.upstreamService(c)

	report, answer := c.Adopt()
	if answer.Code != 0 || report.Verdict != adopt.OwnershipTags || len(report.OwnershipTags) != 1 || report.Balancers[0].ID != svc.Annotations[own+"load-balancer-id"] {
		t.Fatalf("code %d, want 0 and marks of one:\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	if wrote := relayed(r); len(wrote) > 0 {
		t.Errorf("adopt wrote %q", wrote)
	}
	r.ResetTraffic()
	c.Switch()
	s.wroteOwnershipTags(svc, report, relayed(r))
	if again, answer := c.Adopt(); answer.Code != 0 || again.Verdict != adopt.Nothing {
		t.Errorf("after the switch: code %d\n%s%s", answer.Code, answer.Stdout, answer.Stderr)
	}
	c.Halt()
	s.remove(svc)
	clean()
}

// wroteOwnershipTags fails the test unless the only write has put the listed ownership tags beside upstream's.
func (s *site) wroteOwnershipTags(svc *corev1.Service, report adopt.Report, wrote []string) {
	s.Helper()
	if len(wrote) != 1 || !strings.HasPrefix(wrote[0], "PUT ") || !strings.Contains(wrote[0], "/lbaas/loadbalancers/"+report.Balancers[0].ID+" ") {
		s.Fatalf("writes %q, want one of the balancer", wrote)
	}
	var body map[string]map[string]any
	_, content, _ := strings.Cut(wrote[0], " {")
	s.must(json.Unmarshal([]byte("{"+content), &body), "reading what was written")
	var tags []string
	given, _ := body["loadbalancer"]["tags"].([]any)
	for _, tag := range given {
		tags = append(tags, tag.(string))
	}
	slices.Sort(tags)
	listed := slices.Sorted(slices.Values(append(slices.Clone(report.OwnershipTags[0].Added), text(s.look(svc).lb, "name"))))
	if diff := cmp.Diff(listed, tags); diff != "" || len(body["loadbalancer"]) != 1 || len(report.OwnershipTags[0].Removed) > 0 {
		s.Errorf("tags (-listed +seen by the cloud), %s:\n%s", content, diff)
	}
}

// relayed are the writes that went through a relay; to get a token is none.
func relayed(r *relay.Relay) []string {
	var all []string
	for _, request := range r.Requests() {
		if request.Method != http.MethodGet && !strings.Contains(request.Path, "/auth/tokens") {
			all = append(all, request.Method+" "+request.Path+" "+request.Body)
		}
	}
	return all
}

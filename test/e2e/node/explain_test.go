package node_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/schema"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// explain runs `explain` and returns its text with one space where there are several.
func (p program) explain(kind, name string) string {
	p.site.t.Helper()
	got := p.run("", "explain", kind, name, "--node-deletion-grace=1ms")
	if got.code != 0 {
		p.site.t.Fatalf("explain %s %s: code %d: %s", kind, name, got.code, got.stderr)
	}
	return words(got.stdout)
}

func words(text string) string {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		lines[n] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}

// says fails the test unless the text has all parts.
func (s *site) says(text string, parts ...string) {
	s.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("%q is not said:\n%s", part, text)
			return
		}
	}
}

// Of each Node it is said whose it is, how it was matched, and what stands between it and its end.
func TestExplainNode(t *testing.T) {
	s := open(t, testcloud.API)
	machines := s.pool(5)
	fresh := s.machines.seed(1)[0]
	for _, o := range []controlplane.NodeOptions{
		{Name: fresh.Name, Annotations: map[string]string{"alpha.kubernetes.io/provided-node-ip": "198.51.100.7"}},
		{Name: "nobody"},
		{Name: "foreign", ProviderID: "k3s://foreign"},
		{Name: "flagless", Initialized: true, Ready: true},
	} {
		_, err := s.JoinNode(s.within(patience), o)
		s.must(err)
	}
	s.machines.remove(machines[0])
	s.machines.stop(machines[1])
	s.notReady(machines[:2]...)

	s.says(s.program.explain("node", machines[2].Name), "owner cloud "+s.Provider(), "the provider-ID counts alone", "found yes", "machine gone not asked (the Node is Ready: it is never deleted)", "brake 0 deleted in 10 min, limit")
	s.says(s.program.explain("node", machines[0].Name), "! found no", "! machine gone yes", "delete node")
	s.says(s.program.explain("node", machines[1].Name), "machine gone no", "state stopped", "node.cloudprovider.kubernetes.io/shutdown")
	s.says(s.program.explain("node", fresh.Name), "by provider-ID not tried", "exactly one machine has the name", "! --node-ip 198.51.100.7", "! blocked")
	s.says(s.program.explain("node", "nobody"), "! found no", `the cloud has no machine named "nobody"`)
	s.says(s.program.explain("node", "foreign"), "owner another cloud", "never touched")
	s.says(s.program.explain("node", "flagless"), "! owner nobody", "--cloud-provider=external")
	if n := s.changes(); n > 0 {
		t.Errorf("%d writes to the cloud", n)
	}
}

// Of a Service it is said how it was understood, whose the balancer is, and what becomes of each Node.
func TestExplainService(t *testing.T) {
	s := openOwn(t, "annotations and ids of DigitalOcean's balancers")
	machines := s.pool(3)
	p := s.start()
	s.services.addWith("web", map[string]string{
		"service.beta.kubernetes.io/do-loadbalancer-type":                  "REGIONAL",
		"service.beta.kubernetes.io/do-loadbalancer-enable-proxy-protocol": "true",
		"service.beta.kubernetes.io/do-loadbalancer-hostnaem":              "typing error",
		"service.beta.kubernetes.io/do-loadbalancer-healthcheck-path":      "",
	})
	s.services.settled("web")
	s.must(p.Stop(s.within(patience)))
	_, err := s.JoinNode(s.within(patience), controlplane.NodeOptions{Name: "foreign", ProviderID: "k3s://foreign", Initialized: true, Ready: true})
	s.must(err)
	s.exclude(machines[0].Name)

	text := s.program.explain("service", "default/web")
	s.says(text, "enable-proxy-protocol true (counts as true", "! service.beta.kubernetes.io/do-loadbalancer-hostnaem typing error (ignored: want",
		"state active", "whose this Service's (its ownership tags have the UID of the Service; its ownership tags name the Service;", "an annotation of the Service has its id",
		"tcp/80 TCP to 3", "health check that of all listeners (healthy ", ", path ", "protocol HTTP",
		machines[0].Name+" out (it has the label node.kubernetes.io/exclude-from-external-load-balancers)", machines[1].Name+" in (machine",
		"foreign out (its provider-ID belongs to another cloud)", "delete target")
	got := s.program.run("", "explain", "service", "default/web", "-o", "json")
	var explanation struct {
		Version  int
		Subject  string
		Sections []struct {
			Title string
			Facts []struct{ Name, Value, Why string }
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &explanation); err != nil || explanation.Version != 1 || len(explanation.Sections) != 6 {
		t.Errorf("%v: %s", err, got.stdout)
	}
	s.must(schema.Check("explain", got.stdout))
	inYAML, err := yaml.YAMLToJSON([]byte(s.program.run("", "explain", "service", "default/web", "-o", "yaml").stdout))
	s.must(err)
	s.must(schema.Check("explain", string(inYAML)))

	s.services.addWith("unmade", nil)
	unmade := s.program.explain("service", "default/unmade")
	s.says(unmade, "found no", "create balancer")
	if strings.Contains(unmade, "Targets") || strings.Contains(unmade, "Listeners") {
		t.Errorf("what is not there has parts:\n%s", unmade)
	}

	s.refuse()
	if got := s.program.run("", "explain", "service", "default/web"); got.code != 1 || !contains(got.stderr, "refuses the credentials") {
		t.Errorf("code %d: %s", got.code, got.stderr)
	} else {
		s.says(words(got.stdout), "! found not known", "refuses the credentials", "! error")
	}
	for want, all := range map[int][][]string{
		2:  {{"explain", "node", "none"}, {"explain", "service", "none"}},
		64: {{"explain"}, {"explain", "pod", "x"}, {"explain", "service", "shop/"}, {"explain", "node", "none", "--no-such-flag"}},
	} {
		for _, args := range all {
			if got := s.program.run("", args...); got.code != want || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%q: code %d, want %d, %s", args, got.code, want, got.stderr)
			}
		}
	}
}

// exclude keeps a Node out of balancers.
func (s *site) exclude(name string) {
	s.t.Helper()
	ctx, nodes := s.within(patience), s.Client().CoreV1().Nodes()
	node, err := nodes.Get(ctx, name, metav1.GetOptions{})
	s.must(err)
	node.Labels["node.kubernetes.io/exclude-from-external-load-balancers"] = ""
	_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
	s.must(err)
}

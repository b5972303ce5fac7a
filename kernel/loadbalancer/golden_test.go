package loadbalancer

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan/plantest"
)

var update = flag.Bool("update", false, "write the golden files")

// standard are twelve Services, each with the plan it leads to. With was, the balancer is
// made for that Service first and then planned for now.
var standard = []struct {
	name     string
	was, now func(*fixture)
}{
	{name: "01-minimal", now: func(f *fixture) {}},
	{name: "02-many-ports", now: func(f *fixture) {
		f.svc.Spec.Ports = []corev1.ServicePort{
			{Name: "https", Port: 443, NodePort: 30443, Protocol: corev1.ProtocolTCP},
			{Name: "dns", Port: 53, NodePort: 30053, Protocol: corev1.ProtocolUDP},
			{Name: "dns-tcp", Port: 53, NodePort: 30054, Protocol: corev1.ProtocolTCP},
		}
	}},
	{name: "03-local-dual-stack-restricted", now: func(f *fixture) {
		f.svc.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
		f.svc.Spec.HealthCheckNodePort = 32000
		f.svc.Spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
		f.svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24", "10.0.0.0/8"}
	}},
	{name: "04-internal-without-nodes", now: func(f *fixture) {
		f.svc.Annotations[keyInternal.Name] = "true"
		f.nodes = nil
	}},
	{name: "05-unchanged", was: func(f *fixture) {}, now: func(f *fixture) {}},
	{name: "06-policy-becomes-local", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyLocal
		f.svc.Spec.HealthCheckNodePort = 32000
	}},
	{name: "07-ports-and-nodes-move", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Spec.Ports = []corev1.ServicePort{
			{Name: "https", Port: 443, NodePort: 30443, Protocol: corev1.ProtocolTCP},
			{Name: "http3", Port: 443, NodePort: 30443, Protocol: corev1.ProtocolUDP},
		}
		f.nodes = []*corev1.Node{node("b"), node("d"), node("e")}
	}},
	{name: "08-restricted-later", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8"}
		f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Port: 8080, NodePort: 30808, Protocol: corev1.ProtocolTCP})
	}},
	{name: "09-adopted", now: func(f *fixture) {
		f.place("lb-9", "legacy")
		f.svc.Annotations[keyID.Name] = "lb-9"
	}},
	{name: "10-immutable", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Annotations[keyInternal.Name] = "true"
		f.svc.Annotations[keyProxy.Name] = "true"
	}},
	{name: "11-replaced", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Annotations[keyInternal.Name] = "true"
		f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
	}},
	{name: "12-invalid", was: func(f *fixture) {}, now: func(f *fixture) {
		f.svc.Annotations[keyTier.Name] = "gold"
		f.svc.Annotations[keyProxy.Name] = "perhaps"
		f.nodes = f.nodes[:2]
	}},
}

func TestGoldenPlans(t *testing.T) {
	for _, test := range standard {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			if test.was != nil {
				test.was(f)
				f.settle()
			}
			test.now(f)
			f.driver.writes, f.events.said = nil, nil
			p, err := f.plan(f.nodes...)
			f.wrote()
			f.said()
			var text, data bytes.Buffer
			if err := errors.Join(p.Text(&text), plantest.WriteJSON(&data, p)); err != nil {
				t.Fatal(err)
			}
			if err != nil {
				fmt.Fprintf(&text, "Error: %v\n", err)
			}
			golden(t, test.name+".txt", text.Bytes())
			golden(t, test.name+".json", data.Bytes())
		})
	}
}

// What a plan shows is what Ensure then does: afterwards there is nothing left to do.
func TestPlansAreWhatHappens(t *testing.T) {
	for _, test := range standard {
		if test.name == "04-internal-without-nodes" || test.name == "11-replaced" || test.name == "12-invalid" {
			continue // not done yet, done in several runs, and never done
		}
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			if test.was != nil {
				test.was(f)
				f.settle()
			}
			test.now(f)
			before, err := f.plan(f.nodes...)
			if err != nil {
				t.Fatal(err)
			}
			f.driver.writes = nil
			f.settle()
			if (len(f.driver.writes) == 0) != before.Empty() {
				t.Errorf("writes %q for the plan %+v", f.driver.writes, before)
			}
			after, err := f.plan(f.nodes...)
			if err != nil || !after.Empty() {
				t.Errorf("plan %+v is left, error %v", after, err)
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

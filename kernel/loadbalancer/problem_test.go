package loadbalancer

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

func TestBadAnnotations(t *testing.T) {
	f := newFixture(t, annotated(keyTier.Name, "gold"), annotated(keyAlgorithm.Name, "best"),
		annotated("fake.io/algorithn", "x"), annotated(annotation.NodeSelector.Name, "a in"))
	f.svc.Spec.Ports[0].Protocol = corev1.ProtocolSCTP
	err := f.ensure()
	fails(t, err, keyTier.Name, `"gold"`, keyAlgorithm.Name, annotation.NodeSelector.Name, "spec.ports[0].protocol", "TCP, UDP")
	if !cloud.IsClass(err, cloud.FailureInvalid) {
		t.Errorf("class %v", cloud.FailureOf(err).Class)
	}
	f.wrote()
	f.said("ConfigurationIgnored: annotation fake.io/algorithn", "InvalidConfiguration: fake.io/algorithm")
}

// TestSpellings: a driver knows only the name of a key, and the user only what the Service says.

func TestBadAnnotationsStillUpdateTargets(t *testing.T) {
	f := newFixture(t, annotated(keyAlgorithm.Name, "random"))
	f.settle()
	f.wrote("create balancer")
	f.events.take()
	f.svc.Annotations[keyAlgorithm.Name] = "best"
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Port: 81, NodePort: 30081, Protocol: corev1.ProtocolTCP})
	f.nodes = []*corev1.Node{node("b"), node("d")}
	fails(t, f.ensure(), keyAlgorithm.Name)
	f.wrote("create target d; delete target a; delete target c")
	f.said("InvalidConfiguration")
	if got := f.only(); got.ProviderFields["algorithm"] != "random" || len(got.Listeners) != 1 {
		t.Errorf("the shape changed: %+v", got.Balancer)
	}
}

// What only the driver can know is wrong is told one by one too.
func TestNormalizeProblems(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.svc.Spec.Ports[0].NodePort = 0
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Port: 81, Protocol: corev1.ProtocolTCP})
	f.nodes = f.nodes[:2]
	err := f.ensure()
	fails(t, err, "spec.ports[0].nodePort", "spec.ports[1].nodePort")
	if problems, ok := errors.AsType[problem.Problems](err); !ok || len(problems) != 2 {
		t.Errorf("error %#v, want two problems", err)
	}
	f.wrote("delete target c")
	f.said("InvalidConfiguration: spec.ports[0]")
}

func TestInvalidSelectorAddsNobody(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.svc.Annotations[annotation.NodeSelector.Name] = "!!"
	f.nodes = []*corev1.Node{node("a"), node("x")}
	if err := f.UpdateTargets(t.Context(), f.svc, f.nodes); err != nil {
		t.Fatal(err)
	}
	f.wrote("delete target b; delete target c")
}

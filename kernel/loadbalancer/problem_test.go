package loadbalancer

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
func TestSpellings(t *testing.T) {
	set := annotation.Set{
		{Name: "a.io/size", Aliases: []string{"old.io/size", "older.io/size"}},
		{Name: "a.io/name", Aliases: []string{"old.io/name"}},
	}
	svc := &corev1.Service{}
	svc.Annotations = map[string]string{"old.io/size": "1", "older.io/size": "1", "old.io/name": "x", "a.io/name": "x"}
	r := request{spellings: spellings(svc, set)}
	problems := r.respell([]problem{invalid("a.io/size", "1", "more"), invalid("a.io/name", "x", "y"), invalid("spec.ports", "", "")})
	for i, want := range []string{"old.io/size", "a.io/name", "spec.ports"} {
		invalid, _ := errors.AsType[*cloud.Invalid](problems[i].err)
		if got := invalid.Field; got != want {
			t.Errorf("field %d is %s, want %s", i, got, want)
		}
	}
	notes := r.respellWarnings([]cloud.Warning{{Field: "a.io/size", Message: "m"}})
	if notes[0].Field != "old.io/size" || notes[0].Message != "m" {
		t.Errorf("note %+v", notes[0])
	}
}

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
	if problems, ok := errors.AsType[Problems](err); !ok || len(problems) != 2 {
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

package inspect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

const applied = `
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {new: "1", kept: "2"}}
spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}, {port: 443}]}
`

// A Service that is in the cluster keeps what others wrote, as with `kubectl apply`.
func TestApplied(t *testing.T) {
	given, err := ParseService([]byte(applied))
	if err != nil {
		t.Fatal(err)
	}
	live := &corev1.Service{}
	live.UID, live.Finalizers = "uid", []string{"service.kubernetes.io/load-balancer-cleanup"}
	live.Annotations = map[string]string{
		"old": "0", "kept": "0", "recorded": "lb-1",
		corev1.LastAppliedConfigAnnotation: `{"metadata":{"annotations":{"old":"0","kept":"0"}}}`,
	}
	live.Spec.Ports = []corev1.ServicePort{{Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 31080}}
	live.Spec.HealthCheckNodePort = 31000
	live.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}

	svc, invented := Applied(given, live)
	delete(svc.Annotations, corev1.LastAppliedConfigAnnotation)
	if diff := cmp.Diff(map[string]string{"new": "1", "kept": "2", "recorded": "lb-1"}, svc.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	ports := svc.Spec.Ports
	if ports[0].NodePort != 31080 || ports[1].NodePort == 0 || ports[1].Protocol != corev1.ProtocolTCP || !invented {
		t.Errorf("ports %+v, invented %t", ports, invented)
	}
	if svc.Namespace != "default" || svc.UID != "uid" || len(svc.Finalizers) != 1 || svc.Spec.HealthCheckNodePort != 31000 || svc.Status.LoadBalancer.Ingress[0].IP != "192.0.2.1" {
		t.Errorf("%+v", svc)
	}
	if svc, invented = Applied(given, nil); svc.UID != exampleUID || svc.Spec.HealthCheckNodePort == 0 || !invented {
		t.Errorf("a new Service: %+v", svc)
	}
	if len(given.Annotations) != 2 || given.Spec.Ports[0].NodePort != 0 {
		t.Error("the file was changed")
	}
}

func TestParseServiceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}":                                                              `want one object with apiVersion v1 and kind Service, got "v1" and "Pod"`,
		"apiVersion: v1\nkind: Service\nmetadata: {}":                                                                 "metadata.name is empty: a Service needs a name",
		"apiVersion: v1\nkind: Service\nmetadata: {unknown: a}\n":                                                     "unknown",
		"apiVersion: v1\nkind: Service\n---\nkind: Service":                                                           "it has 2 objects: want one Service, so that none is overlooked",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: b}": "it has 2 objects: want one Service, so that none is overlooked",
		`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}} {"apiVersion": "v1", "kind": "Service"}`:  "it has 2 objects: want one Service, so that none is overlooked",
		"apiVersion: v1\nkind: Service\nspec: {ports: [{port: x":                                                      "",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\nkind: [Service":                                     "",
	} {
		if _, err := ParseService([]byte(text)); err == nil || want != "" && want != "unknown" && err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Separators around one Service make no second one.
func TestParseServiceAmongSeparators(t *testing.T) {
	svc, err := ParseService([]byte("---\n# of the shop\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n"))
	if err != nil || svc.Name != "a" {
		t.Errorf("%v, %v", svc, err)
	}
}

package chart_test

import (
	"encoding/json"
	"strings"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// A monitor may be where Prometheus looks for it. Prometheus' operator takes the token from the same namespace.
func TestMonitorInAnotherNamespace(t *testing.T) {
	for kind, value := range map[string]string{"ServiceMonitor": "serviceMonitor", "PodMonitor": "podMonitor"} {
		values := "metrics: {" + value + ": {enabled: true, namespace: monitoring, interval: 30s, scrapeTimeout: 9s}}"
		out := mustRender(t, release{values: []string{minimal("sim"), values}})
		text, err := json.Marshal(out.find(kind, "").Object)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"matchNames":["kube-system"]`, `"scrapeTimeout":"9s"`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s: %s", kind, want, text)
			}
		}
		for _, object := range [][2]string{{kind, ""}, {"ServiceAccount", releaseName + "-metrics"}, {"Secret", releaseName + "-metrics"}} {
			if got := out.find(object[0], object[1]).GetNamespace(); got != "monitoring" {
				t.Errorf("%s: %s %s is in %s", kind, object[0], object[1], got)
			}
		}
		if got := as[rbacv1.ClusterRoleBinding](t, out, "ClusterRoleBinding", releaseName+"-metrics").Subjects[0].Namespace; got != "monitoring" {
			t.Errorf("%s: the rights are those of an account in %s", kind, got)
		}
	}
}

// A budget has one of the two.
func TestBudget(t *testing.T) {
	for values, want := range map[string]string{
		"{}":                "maxUnavailable 1",
		"{minAvailable: 1}": "minAvailable 1",
		"{minAvailable: 50%, maxUnavailable: null}": "minAvailable 50%",
		"{maxUnavailable: 2}":                       "maxUnavailable 2",
	} {
		spec := as[policyv1.PodDisruptionBudget](t, mustRender(t, release{values: []string{minimal("sim"), "{replicaCount: 3, podDisruptionBudget: " + values + "}"}}), "PodDisruptionBudget", "").Spec
		got := ""
		if spec.MaxUnavailable != nil {
			got += "maxUnavailable " + spec.MaxUnavailable.String()
		}
		if spec.MinAvailable != nil {
			got += "minAvailable " + spec.MinAvailable.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}

// The workload has annotations of its own, beside those of every object.
func TestDeploymentAnnotations(t *testing.T) {
	for _, kind := range []string{"Deployment", "DaemonSet"} {
		out := mustRender(t, release{values: []string{minimal("sim"), "kind: " + kind, "{deploymentAnnotations: {a: b}, commonAnnotations: {c: d}}"}})
		if got := out.find(kind, "").GetAnnotations(); got["a"] != "b" || got["c"] != "d" {
			t.Errorf("%s: %v", kind, got)
		}
		if got := out.find("ServiceAccount", "").GetAnnotations(); got["a"] != "" {
			t.Errorf("the account has them too: %v", got)
		}
	}
}

// Who has load balancers on Hetzner and does not say where is warned.
func TestNotesWarnOfNoLocation(t *testing.T) {
	for _, tt := range []struct {
		provider, values string
		warns            bool
	}{
		{"hcloud", "", true},
		{"hcloud", "hcloud: {loadBalancers: {location: fsn1}}", false},
		{"hcloud", "hcloud: {loadBalancers: {networkZone: eu-central}}", false},
		{"hcloud", "hcloud: {loadBalancers: {enabled: false}}", false},
		{"hcloud", "controllers: {service: {enabled: false}}", false},
		{"hcloud", "extraEnv: [{name: HCLOUD_LOAD_BALANCERS_LOCATION, value: fsn1}]", false},
		{"hcloud", "extraEnvFrom: [{secretRef: {name: x}}]", false},
		{"sim", "", false},
	} {
		notes := mustRender(t, release{values: []string{minimal(tt.provider), tt.values}}).notes
		if got := strings.Contains(notes, "neither hcloud.loadBalancers.location nor"); got != tt.warns {
			t.Errorf("%s with %q: warns %t", tt.provider, tt.values, got)
		}
	}
}

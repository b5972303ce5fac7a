package chart_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// hooked are objects of others that the doctor looks at: a webhook that might be asked about Nodes, and never is.
const hooked = `
apiVersion: v1
kind: Namespace
metadata: {name: hooked, labels: {hooked: "true"}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooked}
webhooks:
- name: hooked.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: hooked, name: hook}}
  namespaceSelector: {matchLabels: {hooked: "true"}}
  matchConditions: [{name: never, expression: "false"}]
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [nodes]}]
`

// TestDoctorWaits: `helm test` waits for as long as the values say.
func TestDoctorWaits(t *testing.T) {
	for wait, want := range map[string][]string{"": nil, "2m": {"--wait=2m"}} {
		out := mustRender(t, release{values: []string{minimal("sim"), "doctor: {test: {wait: " + strconv.Quote(wait) + "}}"}})
		args := as[corev1.Pod](t, out, "Pod", "multicloud-ccm-doctor").Spec.Containers[0].Args
		if got := slices.DeleteFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "--wait") }); !slices.Equal(got, want) {
			t.Errorf("doctor.test.wait=%q: %q, want %q", wait, got, want)
		}
	}
	if _, err := render(t, release{values: []string{minimal("sim"), "doctor: {test: {wait: soon}}"}}); err == nil || !strings.Contains(err.Error(), "wait") {
		t.Errorf("doctor.test.wait=soon: %v", err)
	}
}

// The doctor's account may do what the doctor does on a real API server, and nothing else.
func TestDoctorsAccountIsLeast(t *testing.T) {
	c := aCluster(t)
	const name = "examined-multicloud-ccm-doctor"
	out := mustRender(t, release{values: []string{minimal("sim"), "{fullnameOverride: examined-multicloud-ccm, sim: {machines: [a]}}"}})
	if err := c.ApplyManifest(within(t), []byte(hooked)); err != nil {
		t.Fatal(err)
	}
	for _, object := range out.objects {
		if object.GetKind() != "Pod" {
			if err := c.apply(within(t), object, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	rules, inNamespace := as[rbacv1.ClusterRole](t, out, "ClusterRole", name).Rules, as[rbacv1.Role](t, out, "Role", name).Rules
	user := "system:serviceaccount:kube-system:" + name
	c.waitAllowed(t, user, rules, inNamespace)
	doctor := as[corev1.Pod](t, out, "Pod", name)
	if doctor.Spec.ServiceAccountName != name {
		t.Errorf("the doctor's Pod has the account %s", doctor.Spec.ServiceAccountName)
	}
	kubeconfig, err := c.ServiceAccountKubeconfig(within(t), "kube-system", name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(within(t), program(t), append(doctor.Spec.Containers[0].Args, "--kubeconfig="+kubeconfig, "--patience=1ms")...)
	cmd.Env = append(os.Environ(), "SIM_MACHINES=a")
	report, err := cmd.CombinedOutput()
	// Nobody leads here, which is a failure: exit code 1.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("%v: %s", err, report)
	}
	if strings.Contains(string(report), "may not") {
		t.Errorf("the doctor lacks a right:\n%s", report)
	}
	if diff := cmp.Diff(granted(append(rules, inNamespace...)), c.used(t, user)); diff != "" {
		t.Errorf("rights (-granted +used):\n%s\n%s", diff, report)
	}
}

// granted are the rights of rules, sorted.
func granted(rules []rbacv1.PolicyRule) []string {
	var rights []string
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights = append(rights, fmt.Sprintf("%s %s %s", verb, rule.APIGroups[0], resource))
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// used are the rights that a user has used, sorted, but for questions about oneself, which everybody may ask.
func (c *cluster) used(t *testing.T, user string) []string {
	t.Helper()
	events, err := c.AuditEvents(controlplane.AuditFilter{User: user})
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]bool{}
	for _, e := range events {
		if e.Response.Code == http.StatusForbidden {
			t.Errorf("refused: %s %s", e.Verb, e.RequestURI)
		}
		if e.Object.Resource != "" && !strings.HasPrefix(e.Object.Resource, "selfsubject") {
			rights[fmt.Sprintf("%s %s %s", e.Verb, e.Object.APIGroup, e.Object.Resource)] = true
		}
	}
	return slices.Sorted(maps.Keys(rights))
}

// Where the doctor has no account of its own, it has the program's, and the guard can still do its work.
func TestDoctorsAccount(t *testing.T) {
	const guard = "{controllers: {service: {enabled: false}, firewall: {enabled: false}}, doctor: {uninstallGuard: {enabled: true}}}"
	for values, want := range map[string]string{
		"": "multicloud-ccm-doctor",
		"doctor: {serviceAccount: {create: false}}": "multicloud-ccm",
		"serviceAccount: {annotations: {a: b}}":     "multicloud-ccm",
		"extraVolumes: [{name: token, projected: {sources: [{serviceAccountToken: {audience: cloud, path: token}}]}}]": "multicloud-ccm",
		"extraVolumes: [{name: ca, configMap: {name: ca}}]":                                                            "multicloud-ccm-doctor",
		"rbac: {create: false}":                    "multicloud-ccm",
		"serviceAccount: {create: false, name: x}": "x",
	} {
		out := mustRender(t, release{values: []string{minimal("sim"), guard, values}})
		for _, pod := range []string{"multicloud-ccm-doctor", guardName} {
			if got := as[corev1.Pod](t, out, "Pod", pod).Spec.ServiceAccountName; got != want {
				t.Errorf("%q: %s has the account %s, want %s", values, pod, got, want)
			}
		}
		if own := out.find("ClusterRole", "multicloud-ccm-doctor") != nil; own != (want == "multicloud-ccm-doctor") {
			t.Errorf("%q: the doctor has roles of its own: %t", values, own)
		}
		if !strings.Contains(values, "rbac") && !listsServices(t, out) {
			t.Errorf("%q: the guard may not list Services", values)
		}
	}
	elsewhere := mustRender(t, release{namespace: "ccm", values: []string{minimal("sim"), "leaderElection: {resourceNamespace: leases}"}})
	var in []string
	for _, object := range elsewhere.objects {
		if object.GetKind() == "RoleBinding" && object.GetName() == "multicloud-ccm-doctor" {
			in = append(in, object.GetNamespace())
		}
	}
	if slices.Sort(in); !slices.Equal(in, []string{"ccm", "kube-system", "leases"}) {
		t.Errorf("the doctor reads Pods and leases in %v", in)
	}
}

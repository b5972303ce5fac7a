package chart_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// Mistakes that charts of other cloud controller managers have made, none of which may come
// back here. Duplicate keys are refused wherever a test renders.

func TestDefectUserTolerationsReplaceOrDuplicate(t *testing.T) {
	before := mustRender(t, release{values: []string{minimal("sim")}}).pod(t).Spec.Tolerations
	after := mustRender(t, release{values: []string{minimal("sim"), "tolerations: [{key: mine, operator: Exists}]"}}).pod(t).Spec.Tolerations
	want := slices.Clone(before)
	want = append(want, corev1.Toleration{Key: "mine", Operator: corev1.TolerationOpExists})
	if !cmp.Equal(after, want) {
		t.Errorf("tolerations %v, want the built-in ones and mine", after)
	}
}

// The kinds share one Pod template, so that no value works for only one of them.
func TestDefectKindsDiffer(t *testing.T) {
	for _, provider := range providerNames() {
		all := variations()
		deployment := mustRender(t, release{values: append(all[provider+"-Deployment-everything"], "replicaCount: 1")}).pod(t)
		daemonset := mustRender(t, release{values: all[provider+"-DaemonSet-everything"]}).pod(t)
		if deployment.String() != daemonset.String() {
			t.Errorf("%s: the Pods of a Deployment and of a DaemonSet differ:\n%v\n%v", provider, deployment, daemonset)
		}
	}
}

// A mistake in the values fails; it never renders less.
func TestDefectWorkloadVanishes(t *testing.T) {
	for name, values := range variations() {
		out := mustRender(t, release{values: values})
		workloads := 0
		for _, object := range out.objects {
			if kind := object.GetKind(); kind == "Deployment" || kind == "DaemonSet" {
				workloads++
			}
		}
		if workloads != 1 {
			t.Errorf("%s: %d workloads", name, workloads)
		}
	}
}

// What was switched on is rendered without asking the cluster, as GitOps tools do.
func TestDefectMonitorsVanishWithoutCRDs(t *testing.T) {
	for kind, values := range map[string]string{
		"ServiceMonitor": "metrics: {serviceMonitor: {enabled: true}}",
		"PodMonitor":     "metrics: {unauthenticated: true, podMonitor: {enabled: true}}",
		"PrometheusRule": "metrics: {prometheusRule: {enabled: true}}",
		"ConfigMap":      "metrics: {dashboard: {enabled: true}}",
	} {
		if mustRender(t, release{values: []string{minimal("sim"), values}}).find(kind, "") == nil {
			t.Errorf("%s is not rendered", kind)
		}
	}
}

func TestDefectBudgetBlocksASingleReplica(t *testing.T) {
	if mustRender(t, release{values: []string{minimal("sim")}}).find("PodDisruptionBudget", "") != nil {
		t.Error("a budget for one replica blocks every drain")
	}
	out := mustRender(t, release{values: []string{minimal("sim"), "{replicaCount: 2, podDisruptionBudget: {maxUnavailable: 50%}}"}})
	if got := as[policyv1.PodDisruptionBudget](t, out, "PodDisruptionBudget", "").Spec.MaxUnavailable.String(); got != "50%" {
		t.Errorf("maxUnavailable %s", got)
	}
}

// A selector with the version in it cannot be upgraded; labels of users must not get in.
func TestDefectSelectorChanges(t *testing.T) {
	want := map[string]string{"app.kubernetes.io/name": "multicloud-ccm", "app.kubernetes.io/instance": "multicloud-ccm"}
	values := []string{minimal("sim"), "{commonLabels: {a: b}, podLabels: {app.kubernetes.io/name: other, c: d}}"}
	deployment := as[appsv1.Deployment](t, mustRender(t, release{values: values}), "Deployment", "")
	for key, value := range want {
		if deployment.Spec.Selector.MatchLabels[key] != value || deployment.Spec.Template.Labels[key] != value {
			t.Errorf("%s: selector %q, Pod %q", key, deployment.Spec.Selector.MatchLabels[key], deployment.Spec.Template.Labels[key])
		}
	}
	if len(deployment.Spec.Selector.MatchLabels) != len(want) {
		t.Errorf("selector %v", deployment.Spec.Selector.MatchLabels)
	}
}

// Nobody's Pod but the workload's is selected by the Service and the budget.
func TestDefectTestPodIsSelected(t *testing.T) {
	out := mustRender(t, release{values: []string{minimal("sim")}})
	doctor := as[corev1.Pod](t, out, "Pod", "")
	selector := as[corev1.Service](t, out, "Service", "").Spec.Selector
	selected := true
	for key, value := range selector {
		selected = selected && doctor.Labels[key] == value
	}
	if selected {
		t.Error("the doctor's Pod is behind the Service")
	}
	want := []string{
		"doctor", "--cloud-provider=sim",
		"--leader-elect-resource-namespace=kube-system", "--leader-elect-resource-name=cloud-controller-manager",
	}
	if container := doctor.Spec.Containers[0]; !slices.Equal(container.Args, want) || len(container.Env) != 0 {
		t.Errorf("the doctor's Pod runs %q with %v", container.Args, container.Env)
	}
}

func TestDefectPermissionsTooWide(t *testing.T) {
	for name, values := range variations() {
		for _, object := range mustRender(t, release{values: values}).objects {
			if object.GetKind() != "ClusterRole" && object.GetKind() != "Role" {
				continue
			}
			text, _ := object.MarshalJSON()
			for _, never := range []string{`"*"`, `"secrets"`, `"endpoints"`, `"persistentvolumes"`, `"serviceaccounts"`, `"configmaps"`} {
				if strings.Contains(string(text), never) {
					t.Errorf("%s: %s has %s", name, object.GetKind(), never)
				}
			}
		}
	}
}

// The binary reads credentials from files, which follow a rotation and are in no environment.
func TestDefectCredentialsInTheEnvironment(t *testing.T) {
	for _, provider := range providerNames() {
		out := mustRender(t, release{values: variations()[provider+"-Deployment-everything"]})
		if text, _ := out.find("Deployment", "").MarshalJSON(); strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "secretKeyRef") {
			t.Errorf("%s: the Pod has credentials in its environment", provider)
		}
	}
}

// Images, in every combination.
func TestImage(t *testing.T) {
	const digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for values, want := range map[string]string{
		"":                                       "ghcr.io/multicloud-ccm/multicloud-ccm:v0.1.0-sim",
		"image: {variant: all}":                  "ghcr.io/multicloud-ccm/multicloud-ccm:v0.1.0",
		"image: {tag: dev}":                      "ghcr.io/multicloud-ccm/multicloud-ccm:dev",
		"image: {registry: '', repository: ccm}": "ccm:v0.1.0-sim",
		"image: {tag: dev, digest: " + digest + "}": "ghcr.io/multicloud-ccm/multicloud-ccm@" + digest,
	} {
		if got := mustRender(t, release{values: []string{minimal("sim"), values}}).pod(t).Spec.Containers[0].Image; got != want {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
}

// A switch from an upstream CCM needs no new Secret.
func TestUpstreamsSecret(t *testing.T) {
	out := mustRender(t, release{values: []string{minimal("digitalocean")}})
	secret := out.pod(t).Spec.Volumes[0].Projected.Sources[0].Secret
	if secret.Name != "digitalocean" || secret.Items[0].Key != "access-token" {
		t.Errorf("Secret %s, key %s", secret.Name, secret.Items[0].Key)
	}
	if got, want := out.env(t)["DO_ACCESS_TOKEN_FILE"], "/etc/multicloud-ccm/credentials/"+secret.Items[0].Path; got != want {
		t.Errorf("the program reads %s, the Secret is at %s", got, want)
	}
}

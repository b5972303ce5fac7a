package chart_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const guardName = "multicloud-ccm-uninstall"

// On a cloud without load balancers the guard would refuse for ever: nobody takes the finalizers of
// Services away. A controller of Services that is switched off may have left some, so that the guard stays.
func TestUninstallGuardIsWhereBalancersAre(t *testing.T) {
	const on = "doctor: {uninstallGuard: {enabled: true}}"
	for _, d := range descriptors() {
		out := mustRender(t, release{values: []string{minimal(d.Name), on}})
		balancers := strings.Contains(strings.Join(out.args(t), " "), "service-lb-controller")
		if there := out.find("Pod", guardName) != nil; there != balancers {
			t.Errorf("%s: the guard is there: %t, load balancers are: %t", d.Name, there, balancers)
		}
		if said := strings.Contains(out.notes, "Before `helm uninstall`"); said != balancers {
			t.Errorf("%s: the notes warn of uninstalling: %t, want %t", d.Name, said, balancers)
		}
	}
	for _, others := range []string{"", "controllers: {firewall: {enabled: false}}"} {
		values := []string{minimal("digitalocean"), "controllers: {service: {enabled: false}}", others}
		if out := mustRender(t, release{values: append(values, on)}); out.find("Pod", guardName) == nil || !listsServices(t, out) {
			t.Error("without the controller of Services the guard is missing, or may not list Services")
		} else if !strings.Contains(out.notes, "Set controllers.service.enabled to true") {
			t.Errorf("the notes do not say who deletes load balancers:\n%s", out.notes)
		}
	}
	if out := mustRender(t, release{values: []string{minimal("sim"), "controllers: {service: {enabled: false}, firewall: {enabled: false}}"}}); listsServices(t, out) {
		t.Error("without guard and controllers the account may list Services")
	}
}

// listsServices says whether the guard's account is allowed to list Services, or without a guard the program's.
func listsServices(t *testing.T, out output) bool {
	t.Helper()
	role := "multicloud-ccm"
	if pod := out.find("Pod", guardName); pod != nil {
		role = as[corev1.Pod](t, out, "Pod", guardName).Spec.ServiceAccountName
	}
	if out.find("ClusterRole", role) == nil {
		role = "multicloud-ccm" // the account of somebody else has the chart's role
	}
	return slices.ContainsFunc(as[rbacv1.ClusterRole](t, out, "ClusterRole", role).Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Resources, "services") && slices.Contains(r.Verbs, "list")
	})
}

func TestReplicasSpread(t *testing.T) {
	for values, want := range map[string]string{
		"replicaCount: 1": "", "replicaCount: 2": corev1.LabelHostname, "kind: DaemonSet": "",
		"{replicaCount: 2, topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}": "zone",
	} {
		got := ""
		for _, c := range mustRender(t, release{values: []string{minimal("sim"), values}}).pod(t).Spec.TopologySpreadConstraints {
			got += c.TopologyKey
			if c.LabelSelector == nil {
				t.Errorf("%s: a constraint selects nothing", values)
			}
		}
		if got != want {
			t.Errorf("%s: spread over %q, want %q", values, got, want)
		}
	}
}

func TestEgress(t *testing.T) {
	const on = "{hostNetwork: false, networkPolicy: {enabled: true, egress: {enabled: true}}}"
	policy := as[networkingv1.NetworkPolicy](t, mustRender(t, release{values: []string{minimal("sim"), on}}), "NetworkPolicy", "")
	if len(policy.Spec.PolicyTypes) != 2 || len(policy.Spec.Egress) != 2 {
		t.Fatalf("the policy is %+v", policy.Spec)
	}
	var ports []int32
	for _, rule := range policy.Spec.Egress {
		for _, port := range rule.Ports {
			ports = append(ports, port.Port.IntVal)
		}
	}
	if len(ports) != 4 || ports[0] != 53 || ports[2] != 443 || ports[3] != 6443 {
		t.Errorf("ports %v", ports)
	}
	closed := as[networkingv1.NetworkPolicy](t, mustRender(t, release{values: []string{minimal("sim"), "{hostNetwork: false, networkPolicy: {enabled: true}}"}}), "NetworkPolicy", "")
	if len(closed.Spec.PolicyTypes) != 1 || closed.Spec.Egress != nil {
		t.Errorf("without egress the policy is %+v", closed.Spec)
	}
}

// The API server is reached whatever its port is.
func TestEgressReachesTheAPIServer(t *testing.T) {
	const on = "{hostNetwork: false, networkPolicy: {enabled: true, egress: {enabled: true, cidrs: [10.0.0.0/8]}}}"
	for values, want := range map[string][]int32{
		"apiServer: {mode: explicit, host: api.example, port: 8443}":                        {443, 6443, 8443},
		"apiServer: {mode: explicit, host: api.example}":                                    {443, 6443},
		"{apiServer: {mode: node}, platform: talos}":                                        {443, 6443, 7445},
		"{apiServer: {mode: service, port: 8443}, networkPolicy: {egress: {ports: [443]}}}": {443},
	} {
		policy := as[networkingv1.NetworkPolicy](t, mustRender(t, release{values: []string{minimal("sim"), on, values}}), "NetworkPolicy", "")
		var ports []int32
		for _, port := range policy.Spec.Egress[1].Ports {
			ports = append(ports, port.Port.IntVal)
		}
		if !slices.Equal(ports, want) {
			t.Errorf("%s: ports %v, want %v", values, ports, want)
		}
	}
}

// Without roles the chart has no account that may read metrics: it makes none, and wants another's token.
func TestMonitorsWithoutRoles(t *testing.T) {
	for _, kind := range []string{"serviceMonitor", "podMonitor"} {
		values := []string{minimal("sim"), "rbac: {create: false}", "metrics: {" + kind + ": {enabled: true}}"}
		if _, err := render(t, release{values: values}); err == nil || !strings.Contains(err.Error(), "metrics."+kind+".authorization is not set") {
			t.Errorf("%s without authorization: %v", kind, err)
		}
		for _, with := range []string{"metrics: {unauthenticated: true}", "metrics: {" + kind + ": {authorization: {credentials: {name: n, key: k}}}}"} {
			out := mustRender(t, release{values: append(values[:3:3], with)})
			if out.find("Secret", "multicloud-ccm-metrics") != nil || out.find("ServiceAccount", "multicloud-ccm-metrics") != nil {
				t.Errorf("%s: an account that may do nothing with %s", kind, with)
			}
		}
	}
}

// A monitor comes with a token that may read metrics, in no deprecated field and with no more
// permissions than that.
func TestMonitorsHaveATokenOfTheirOwn(t *testing.T) {
	for kind, values := range map[string]string{"ServiceMonitor": "metrics: {serviceMonitor: {enabled: true}}", "PodMonitor": "metrics: {podMonitor: {enabled: true}}"} {
		out := mustRender(t, release{values: []string{minimal("sim"), values}})
		text, err := out.find(kind, "").MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "bearerToken") || !strings.Contains(string(text), `"credentials":{"key":"token","name":"multicloud-ccm-metrics"}`) {
			t.Errorf("%s: %s", kind, text)
		}
		secret := as[corev1.Secret](t, out, "Secret", "multicloud-ccm-metrics")
		if secret.Type != corev1.SecretTypeServiceAccountToken || secret.Annotations[corev1.ServiceAccountNameKey] != out.find("ServiceAccount", "multicloud-ccm-metrics").GetName() {
			t.Errorf("the Secret is %+v", secret)
		}
		rules := as[rbacv1.ClusterRole](t, out, "ClusterRole", "multicloud-ccm-metrics").Rules
		if len(rules) != 1 || len(rules[0].Resources) != 0 || rules[0].NonResourceURLs[0] != "/metrics" || rules[0].Verbs[0] != "get" {
			t.Errorf("the account may %+v", rules)
		}
		for _, without := range []string{"metrics: {unauthenticated: true}", "metrics: {" + strings.ToLower(kind[:1]) + kind[1:] + ": {authorization: {credentials: {name: n, key: k}}}}"} {
			if mustRender(t, release{values: []string{minimal("sim"), values, without}}).find("Secret", "multicloud-ccm-metrics") != nil {
				t.Errorf("%s: an account that nothing uses with %s", kind, without)
			}
		}
	}
}

// The oldest Kubernetes that the chart accepts knows every kind and version of object.
func TestObjectsFitTheOldestKubernetes(t *testing.T) {
	known := map[string]bool{
		"v1": true, "apps/v1": true, "rbac.authorization.k8s.io/v1": true, "policy/v1": true, "networking.k8s.io/v1": true, "monitoring.coreos.com/v1": true,
	}
	if got := loadChart(t).Metadata.KubeVersion; got != ">=1.30.0-0" {
		t.Errorf("the chart accepts %s", got)
	}
	for name, values := range variations() {
		for _, object := range mustRender(t, release{values: values}).objects {
			if !known[object.GetAPIVersion()] {
				t.Errorf("%s: %s of %s", name, object.GetKind(), object.GetAPIVersion())
			}
			fieldsSince(t, name, object)
		}
	}
}

// fieldsSince looks for fields that came after the oldest version.
func fieldsSince(t *testing.T, name string, object *unstructured.Unstructured) {
	t.Helper()
	text, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"podReplacementPolicy"`, `"trafficDistribution"`, `"hostUsers"`, `"supplementalGroupsPolicy"`, `"resizePolicy"`, `"stopSignal"`} {
		if strings.Contains(string(text), field) {
			t.Errorf("%s: %s has %s", name, object.GetKind(), field)
		}
	}
}

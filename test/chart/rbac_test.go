package chart_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/rbac"
)

// The permissions are those of the controllers that run, for every set of them, and the
// lease is bounded by its name.
func TestPermissionsFollowControllers(t *testing.T) {
	switches := []struct{ value, controller string }{
		{"node", "cloud-node-controller"}, {"nodeLifecycle", "cloud-node-lifecycle-controller"},
		{"service", "service-lb-controller"}, {"firewall", controller.CloudFirewall},
		{"kubeletServingCertificate", controller.KubeletCertificate},
	}
	for set := 1; set < 1<<len(switches); set++ {
		values := []string{minimal("digitalocean"), "leaderElection: {resourceName: my-lease}"}
		var running []string
		for i, s := range switches {
			on := set&(1<<i) != 0
			values = append(values, fmt.Sprintf("controllers: {%s: {enabled: %t}}", s.value, on))
			if on {
				running = append(running, s.controller)
			}
		}
		out := mustRender(t, release{values: values})
		comparePermissions(t, fmt.Sprint(running), out, running)
	}
}

func TestPermissionsWithRoutes(t *testing.T) {
	values := []string{minimal("sim"), settings["sim"], "leaderElection: {resourceName: my-lease}",
		"controllers: {node: {enabled: false}, nodeLifecycle: {enabled: false}, service: {enabled: false}}"}
	comparePermissions(t, "routes", mustRender(t, release{values: values}), []string{"node-route-controller"})
}

// Where there are no machines to ask for and no load balancers, nothing is mounted, and nothing may be done with Services.
func TestStaticHasNoCredentialsAndNoServices(t *testing.T) {
	out := mustRender(t, release{values: []string{minimal("static"), "leaderElection: {resourceName: my-lease}"}})
	comparePermissions(t, "static", out, []string{"cloud-node-controller"}) // which deletes no Node
	for _, rule := range as[rbacv1.ClusterRole](t, out, "ClusterRole", "multicloud-ccm").Rules {
		if slices.ContainsFunc(rule.Resources, func(resource string) bool { return strings.HasPrefix(resource, "services") }) {
			t.Errorf("a rule about Services: %+v", rule)
		}
	}
	if secret := out.find("Secret", ""); secret != nil || len(out.pod(t).Spec.Volumes) > 0 {
		t.Errorf("Secret %v, volumes %v", secret, out.pod(t).Spec.Volumes)
	}
}

func comparePermissions(t *testing.T, name string, out output, running []string) {
	t.Helper()
	cluster, namespaces := permissions("my-lease", running)
	namespaced := namespaces[""]
	delete(namespaces, "")
	for namespace, want := range namespaces {
		if diff := cmp.Diff(want, roleIn(out, namespace)); diff != "" {
			t.Errorf("%s: Role in %s (-program +chart):\n%s", name, namespace, diff)
		}
	}
	if diff := cmp.Diff(cluster, as[rbacv1.ClusterRole](t, out, "ClusterRole", "multicloud-ccm").Rules); diff != "" {
		t.Errorf("%s: ClusterRole (-program +chart):\n%s", name, diff)
	}
	role := as[rbacv1.Role](t, out, "Role", "multicloud-ccm")
	if diff := cmp.Diff(namespaced, role.Rules); diff != "" {
		t.Errorf("%s: Role (-program +chart):\n%s", name, diff)
	}
	if role.Namespace != "kube-system" {
		t.Errorf("the Role is in %s", role.Namespace)
	}
}

// What one controller needs in other namespaces is there only while it runs, with an account that may use it.
func TestRolesElsewhere(t *testing.T) {
	const on = "controllers: {kubeletServingCertificate: {enabled: true}}"
	for _, test := range []struct {
		name   string
		values []string
		want   []string
	}{
		{"off", nil, nil},
		{"on", []string{on}, []string{"default", "kube-public"}},
		{"the lease is in one of them", []string{on, "leaderElection: {resourceNamespace: default}"}, []string{"default", "kube-public"}},
		{"a dry run", []string{on, "safety: {mode: dry-run}"}, nil},
		{"rights are given by others", []string{on, "{rbac: {create: false}, serviceAccount: {create: false, name: mine}}"}, nil},
	} {
		out := mustRender(t, release{namespace: "ccm", values: append([]string{minimal("sim")}, test.values...)})
		var got []string
		for _, object := range out.objects {
			if object.GetName() != "multicloud-ccm-elsewhere" || object.GetKind() != "RoleBinding" {
				continue
			}
			var binding rbacv1.RoleBinding
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &binding); err != nil {
				t.Fatal(err)
			}
			if binding.RoleRef.Name != binding.Name || len(binding.Subjects) != 1 || binding.Subjects[0].Namespace != "ccm" {
				t.Errorf("%s: %+v", test.name, binding)
			}
			got = append(got, binding.Namespace)
		}
		if slices.Sort(got); !slices.Equal(got, test.want) {
			t.Errorf("%s: bound in %v, want %v", test.name, got, test.want)
		}
	}
}

// roleIn returns the rules that the account has in another namespace than that of the lease.
func roleIn(out output, namespace string) (rules []rbacv1.PolicyRule) {
	const name = "multicloud-ccm-elsewhere"
	bound := false
	for _, object := range out.objects {
		if object.GetNamespace() != namespace || object.GetName() != name {
			continue
		}
		var role rbacv1.Role
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
			return nil
		}
		bound = bound || object.GetKind() == "RoleBinding"
		rules = append(rules, role.Rules...)
	}
	if !bound {
		return nil
	}
	return rules
}

// permissions are what the program needs to run some controllers: in the whole cluster, and by namespace, "" for that of the lease.
func permissions(lease string, running []string) (cluster []rbacv1.PolicyRule, namespaced map[string][]rbacv1.PolicyRule) {
	namespaced = map[string][]rbacv1.PolicyRule{}
	for _, g := range rbac.Rules(lease) {
		needed := g.Controllers == nil || slices.ContainsFunc(g.Controllers, func(c string) bool { return slices.Contains(running, c) })
		if !needed {
			continue
		}
		rule := rbacv1.PolicyRule{APIGroups: []string{g.Group}, Resources: []string{g.Resource}, ResourceNames: g.Names, Verbs: g.Verbs}
		if g.Namespaced {
			namespaced[g.Namespace] = append(namespaced[g.Namespace], rule)
		} else {
			cluster = append(cluster, rule)
		}
	}
	return cluster, namespaced
}

// The account is bound wherever the chart is installed, and what Kubernetes has only in
// kube-system is bound there.
func TestBindingsInAnotherNamespace(t *testing.T) {
	out := mustRender(t, release{namespace: "ccm", values: []string{minimal("sim"), "leaderElection: {resourceNamespace: leases}"}})
	for name, want := range map[string]string{"multicloud-ccm": "leases", "multicloud-ccm-auth-reader": "kube-system"} {
		binding := as[rbacv1.RoleBinding](t, out, "RoleBinding", name)
		if binding.Namespace != want || binding.Subjects[0].Namespace != "ccm" {
			t.Errorf("%s is in %s for an account in %s, want %s and ccm", name, binding.Namespace, binding.Subjects[0].Namespace, want)
		}
	}
	if namespace := out.find("Deployment", "").GetNamespace(); namespace != "ccm" {
		t.Errorf("the Deployment is in %s", namespace)
	}
	out = mustRender(t, release{namespace: "ccm", values: []string{minimal("sim"), "namespaceOverride: other"}})
	for _, object := range out.objects {
		if object.GetNamespace() == "ccm" {
			t.Errorf("namespaceOverride does not move %s %s", object.GetKind(), object.GetName())
		}
	}
}

// The command of the how-to gives the rights of the controller that is off by default to the account that the manifests without helm run as.
func TestRightsOfKubeletCertificatesWithoutHelm(t *testing.T) {
	read := func(path string) string {
		content, err := os.ReadFile(filepath.Join(root(t), path))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	command := regexp.MustCompile(`(?m)^sed '(.+)' \\\n  (\S+) \| kubectl apply -f -$`).FindStringSubmatch(read("docs/how-to/kubelet-certificates.md"))
	if command == nil {
		t.Fatal("the how-to has no command for the rights")
	}
	changed, err := exec.CommandContext(t.Context(), "sed", command[1], filepath.Join(root(t), command[2])).Output()
	if err != nil {
		t.Fatal(err)
	}
	var subjects []rbacv1.Subject
	for text := range strings.SplitSeq(string(changed), "\n---\n") {
		var binding rbacv1.ClusterRoleBinding // a RoleBinding has the same fields
		if err := yaml.Unmarshal([]byte(text), &binding); err != nil {
			t.Fatal(err)
		}
		subjects = append(subjects, binding.Subjects...)
	}
	const account = "multicloud-ccm"
	if len(subjects) < 3 || slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool { return s.Name != account || s.Namespace != "kube-system" }) {
		t.Errorf("subjects %v", subjects)
	}
	for _, d := range descriptors() {
		if !strings.Contains(read("deploy/"+d.Name+".yaml"), "serviceAccountName: "+account+"\n") {
			t.Errorf("deploy/%s.yaml runs as another account than %s", d.Name, account)
		}
	}
}

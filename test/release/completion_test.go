package release_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// completionShells are those that the packages have scripts for and that run here.
var completionShells = []struct{ name, needs, debianPackage string }{
	{"bash", "/usr/share/bash-completion/bash_completion", "bash-completion"},
	{"fish", "fish", "fish"},
	{"zsh", "zsh", "zsh"},
}

// program is what the tests run, or a build of it.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CCM_BINARY"); path != "" {
		return path
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	path, err := ccm.Build(ctx, ccm.BuildOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// completed is what can follow at the end of some lines.
var completed = map[string][]string{
	"cloud-controller-manager doc":                      {"doctor"},
	"cloud-controller-manager explain ":                 {"node", "service"},
	"cloud-controller-manager plan ":                    {"all", "firewall", "nodes", "routes", "service"},
	"cloud-controller-manager doctor --cloud-provi":     {"--cloud-provider"},
	"cloud-controller-manager completion ":              {"bash", "fish", "powershell", "zsh"},
	"cloud-controller-manager --cloud-provider=":        {"aws", "digitalocean", "gce", "hcloud", "openstack", "sim"},
	"cloud-controller-manager plan --cloud-provider d":  {"digitalocean"},
	"cloud-controller-manager adopt --from=":            {"aws", "digitalocean", "gce", "hcloud", "openstack"},
	"cloud-controller-manager doctor -o ":               {"json", "junit", "yaml"},
	"cloud-controller-manager plan --adoption=":         {"any", "own", "unowned"},
	"cloud-controller-manager plan --color ":            {"always", "auto", "never"},
	"cloud-controller-manager doctor --context ":        {"admin"},
	"cloud-controller-manager plan -n ":                 {"default", "kube-system"},
	"cloud-controller-manager explain node ":            {"control-2", "worker-1"},
	"cloud-controller-manager explain no work":          {"worker-1"},
	"cloud-controller-manager explain service ":         {"default/web"},
	"cloud-controller-manager plan svc default/":        {"default/web"},
	"cloud-controller-manager plan service -n default ": {"web"},
}

// notOffered are words that a place of a line does not take.
var notOffered = map[string][]string{
	"cloud-controller-manager doctor -o ":       {"always"},
	"cloud-controller-manager explain service ": {"default/kubernetes"}, // of another type
	"cloud-controller-manager plan nodes ":      {"worker-1"},           // all of them
	"cloud-controller-manager adopt --from=":    {"sim"},                // replaces nobody
}

// startCluster starts an API server that knows some Nodes and Services, and returns its kubeconfig.
func startCluster(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	cp, err := controlplane.Start(ctx, controlplane.Options{Controllers: controlplane.NoControllers, Progress: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cp.Stop(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"control-2", "worker-1"} {
		if _, err := cp.Client().CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}},
	}}
	if _, err := cp.Client().CoreV1().Services(metav1.NamespaceDefault).Create(ctx, svc, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return cp.AdminKubeconfig()
}

// The shells themselves read the scripts of the packages, and offer what can follow.
func TestShellsComplete(t *testing.T) {
	binary, bin := program(t), t.TempDir()
	t.Setenv("KUBECONFIG", startCluster(t))
	if err := os.Symlink(binary, filepath.Join(bin, "cloud-controller-manager")); err != nil {
		t.Fatal(err)
	}
	for _, shell := range completionShells {
		t.Run(shell.name, func(t *testing.T) {
			_, err := exec.LookPath(shell.needs)
			if filepath.IsAbs(shell.needs) { // a file that bash reads
				_, err = os.Stat(shell.needs)
			}
			if err != nil {
				t.Skipf("%s is missing: apt-get install %s", shell.needs, shell.debianPackage)
			}
			content, err := exec.CommandContext(t.Context(), binary, "completion", shell.name).Output()
			if err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(t.TempDir(), "completion")
			if err := os.WriteFile(script, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for line, wants := range completed {
				offered := offers(t, bin, shell.name, script, line)
				for _, want := range wants {
					if !slices.Contains(offered, want) {
						t.Errorf("%q: it offers %q, without %s", line, offered, want)
					}
				}
			}
			for line, words := range notOffered {
				offered := offers(t, bin, shell.name, script, line)
				for _, word := range words {
					if slices.Contains(offered, word) {
						t.Errorf("%q: it offers %q, with %s", line, offered, word)
					}
				}
			}
		})
	}
}

// offers are the words that a shell shows at the end of a line.
func offers(t *testing.T, bin, shell, script, line string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell, filepath.Join("testdata", "complete."+shell), script, line)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", line, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r != '-' && r != '/' && (r < '0' || r > '9') && (r < 'a' || r > 'z') })
}

// kubectl asks a program of this name what can follow its plugin's.
func TestKubectlCompletes(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program(t), filepath.Join(bin, "kubectl-ccm")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "release", "kubectl_complete-ccm"), "explain", "")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), "node\nservice\n:") {
		t.Errorf("after `kubectl ccm explain` kubectl offers %q: %v", out, err)
	}
}

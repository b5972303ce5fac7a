package doctor_test

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// secretOf is the n-th secret: random enough to be one, and nothing else.
func secretOf(n int) string { return fmt.Sprintf("Zq%02dvX7rT3kLm%02d", n, n) }

// secrets is how many secretOf are in TestBundle.
const secrets = 36

// TestBundle puts secrets of every kind into every place that the doctor reads, or could read, and
// looks for them in the archive, which has everything else that a maintainer needs.
func TestBundle(t *testing.T) {
	w := newWorld(t)
	core := w.admin().CoreV1()
	s := secretOf
	_, err := core.Secrets("kube-system").Create(w.ctx(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "cloud"}, StringData: map[string]string{"token": s(0)}}, metav1.CreateOptions{})
	w.must(err)
	_, err = core.ConfigMaps("kube-system").Create(w.ctx(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "cloud"}, Data: map[string]string{"cloud.conf": "password=" + s(1)}}, metav1.CreateOptions{})
	w.must(err)
	t.Cleanup(func() {
		_ = core.Secrets("kube-system").Delete(w.ctx(), "cloud", metav1.DeleteOptions{})
		_ = core.ConfigMaps("kube-system").Delete(w.ctx(), "cloud", metav1.DeleteOptions{})
	})
	w.must(w.ApplyManifest(w.ctx(), []byte(fmt.Sprintf(leaky, s(2), s(3), s(4), s(5), s(6), s(7)))))
	t.Cleanup(func() {
		_ = w.admin().AppsV1().Deployments("kube-system").Delete(w.ctx(), "openstack-cloud-controller-manager", metav1.DeleteOptions{})
	})
	w.logs(map[string]string{"false": now(), "true": before()})
	w.manager(func(p *corev1.Pod) {
		p.Spec.NodeName = talkative
		p.Annotations = map[string]string{"vault.example.com/token": s(8)}
		p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "HTTPS_PROXY", Value: "http://user:" + s(9) + "@proxy:3128"}, {Name: "ANYTHING", Value: s(10)}}
		p.Spec.Containers[0].Args = []string{"--cloud-provider=digitalocean", "--odd=" + s(11)}
	}, func(p *corev1.Pod) {
		running(p)
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Ready: true, LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Message: "Authorization: Bearer " + s(12) + " was refused by https://admin:" + s(13) + "@api.example.com/v2",
		}}}}
	})
	w.patchNode(w.droplets[0].Name, `{"metadata":{"annotations":{"example.com/join":"`+s(14)+`"}}}`, `{"metadata":{"annotations":{"example.com/join":null}}}`)
	w.condition(w.droplets[0].Name, corev1.NodeCondition{Type: "Odd", Status: corev1.ConditionTrue, Reason: "Odd", Message: "password: " + s(15)})
	w.service("leaky", func(svc *corev1.Service) {
		svc.Annotations = map[string]string{"example.com/note": s(16), "kubectl.kubernetes.io/last-applied-configuration": `{"x":"` + s(17) + `"}`}
	})
	_, err = core.Events("default").Create(w.ctx(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "leaky"}, Type: corev1.EventTypeWarning, Reason: "CloudFailure", LastTimestamp: metav1.Now(),
		InvolvedObject: corev1.ObjectReference{Kind: "Service", Namespace: "default", Name: "leaky"},
		Message:        "GET https://api.example.com/?X-Amz-Signature=" + s(18) + " with secret_key=" + s(19) + " and eyJhbGciOi." + s(20) + ".x",
	}, metav1.CreateOptions{})
	w.must(err)
	t.Cleanup(func() { _ = core.Events("default").Delete(w.ctx(), "leaky", metav1.DeleteOptions{}) })

	path := filepath.Join(t.TempDir(), "bundle.tar.gz")
	w.Cloud.SetToken(s(21), "default")
	env := append(given(t, t.TempDir()), "DO_ACCESS_TOKEN="+s(21))
	code, out, errOut := w.command(visit{env: env}, "doctor", "bundle", "--patience=1ms", "-f", path)
	if code != 0 {
		t.Fatalf("code %d: %s%s", code, out, errOut)
	}
	files := unpacked(t, path)
	for name, content := range files {
		for n := range secrets {
			if at := strings.Index(strings.ToUpper(content), strings.ToUpper(s(n))); at >= 0 {
				t.Errorf("secret %d is in %s: %q", n, name, content[max(0, at-120):at+len(s(n))])
			}
		}
	}
	for name, parts := range map[string][]string{
		"report.txt": {"API server reachable", "checks:"}, "report.json": {`"id": "node-address-unknown"`}, "version.json": {"goVersion"}, "providers.json": {"digitalocean"},
		"nodes.json": {w.droplets[0].Name, "digitalocean://"}, "services.json": {`"web"`, `"leaky"`, "example.com/note"}, "leases.json": {"holderIdentity"},
		"pods.json": {"--cloud-provider=digitalocean", "HTTPS_PROXY", "--odd=[hidden]", "api.example.com"}, "events.txt": {"CloudFailure"},
		"workloads.json":                 {"openstack-cloud-controller-manager", "--cloud-provider=openstack", "OS_PASSWORD"},
		"logs/multicloud-ccm-0-main.txt": {"the first line", "the last line"}, "logs/multicloud-ccm-0-main-previous.txt": {"the end of the one before"},
		"logs/README.txt": {"multicloud-ccm-0-main: ", " bytes"},
	} {
		for _, part := range parts {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s does not have %q:\n%.2000s", name, part, files[name])
			}
		}
	}
}

// given are variables and files with credentials of all clouds.
func given(t *testing.T, dir string) []string {
	t.Helper()
	s := secretOf
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("secure.yaml", "clouds: {one: {auth: {application_credential_secret: "+s(22)+"}}}\n")
	clouds := file("clouds.yaml", "clouds:\n  one:\n    auth: {auth_url: 'https://keystone.example.com', username: me, password: '"+s(23)+"'}\n")
	account := file("key.json", `{"type":"service_account","private_key_id":"`+s(24)+`","private_key":"-----BEGIN PRIVATE KEY-----\n`+s(25)+`\n-----END PRIVATE KEY-----\n"}`)
	return []string{
		"OS_CLIENT_CONFIG_FILE=" + clouds, "AWS_ACCESS_KEY_ID=" + s(26), "AWS_SECRET_ACCESS_KEY=" + s(27), "AWS_SESSION_TOKEN=" + s(28),
		"AWS_WEB_IDENTITY_TOKEN_FILE=" + file("token", s(29)+"\n"), "GOOGLE_APPLICATION_CREDENTIALS=" + account,
		`GCE_CREDENTIALS_JSON={"type":"external_account","client_secret":"` + s(30) + `"}`,
	}
}

// now and before are logs: of what given has in any place, and of what only its form betrays.
func now() string {
	s := secretOf
	return "the first line\n" +
		"keystone said no to " + s(22) + " and to " + s(23) + "\n" +
		"key " + s(24) + " does not match -----BEGIN PRIVATE KEY-----\\n" + s(25) + "\\n-----END PRIVATE KEY-----\\n of the account\n" +
		"signed by " + s(26) + " with " + s(27) + " and " + s(28) + "; asked with " + s(29) + " and " + s(30) + "\n" +
		"curl -H 'Authorization: Bearer " + s(31) + "' https://me:" + s(32) + "@api.example.com/v2\n" +
		"the last line\n"
}

func before() string {
	s := secretOf
	return "request headers {\"X-Auth-Token\":[\"" + s(33) + "\"]}\n" +
		"AKIA" + strings.ToUpper(s(34)) + " is not a key\n" +
		"the secret was " + s(35) + s(35) + s(35) + "\n" +
		"the end of the one before\n"
}

// talkative is a Node with a kubelet that has logs.
const talkative = "talkative"

// logs joins a Node whose kubelet answers for the logs of containers, those of the one before with "true".
func (w *world) logs(of map[string]string) {
	w.t.Helper()
	kubelet := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(out, of[cmp.Or(r.URL.Query().Get("previous"), "false")])
	}))
	w.t.Cleanup(kubelet.Close)
	address, err := netip.ParseAddrPort(kubelet.Listener.Addr().String())
	w.must(err)
	w.join(controlplane.NodeOptions{Name: talkative, ProviderID: "elsewhere://1", Initialized: true, Ready: true})
	nodes := w.admin().CoreV1().Nodes()
	node, err := nodes.Get(w.ctx(), talkative, metav1.GetOptions{})
	w.must(err)
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address.Addr().String()}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(address.Port())
	_, err = nodes.UpdateStatus(w.ctx(), node, metav1.UpdateOptions{})
	w.must(err)
}

// leaky is a workload with secrets in its flags, environment, script, annotations and labels.
const leaky = `apiVersion: apps/v1
kind: Deployment
metadata: {namespace: kube-system, name: openstack-cloud-controller-manager, annotations: {example.com/secret: %q}}
spec:
  replicas: 0
  selector: {matchLabels: {app: leaky}}
  template:
    metadata: {labels: {app: leaky}, annotations: {example.com/password: %q}}
    spec:
      containers:
      - name: openstack-cloud-controller-manager
        image: registry.k8s.io/provider-os/openstack-cloud-controller-manager:v1.36.0
        command: [/bin/openstack-cloud-controller-manager, --cloud-provider=openstack, "--password=%s", --token, %q]
        args: [sh, -c, "OS_TOKEN=1; run %s"]
        env: [{name: OS_PASSWORD, value: %q}]
`

func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	tape := tar.NewReader(zipped)
	files := map[string]string{}
	for {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tape)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(header.Name, "doctor/")] = string(content)
	}
}

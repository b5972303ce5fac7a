// Package gce_test tests Nodes and routes of Google Cloud through the real thing: Nodes on a real
// kube-apiserver, the real binary with its own ServiceAccount and an account that has nothing but the
// roles of config/iam, and a strict emulator of the Compute API.
//
// CCM_BINARY names a binary to test in the place of one built with the race detector.
package gce_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/providers/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

const (
	project = "test-project"
	account = "ccm@test-project.iam.gserviceaccount.com"
	// patience is how long a test waits for one thing; nothing takes half of it on a machine
	// that has nothing else to do.
	patience = 3 * time.Minute
)

// quick makes a Node old enough at once, shortens the proof that its machine is gone, and looks
// after Nodes more often.
var quick = []string{
	"--node-deletion-grace=1s", "--node-deletion-confirm-gap=2s", "--node-monitor-period=500ms", "--node-status-update-frequency=5s",
}

// site is a cluster with a cloud and a CCM.
type site struct {
	*controlplane.ControlPlane
	t          *testing.T
	cloud      *emulator.Server
	dir        string
	binary     string
	kubeconfig string
	env        []string
	flags      []string
	process    *ccm.Process
}

// open starts everything but the CCM, beside the other test, which waits most of the time as this one does. conf is
// added to gce.conf.
func open(t *testing.T, options emulator.Options, conf string) *site {
	t.Helper()
	t.Parallel()
	s := &site{t: t, dir: t.TempDir(), cloud: emulator.New(options), flags: quick}
	t.Cleanup(s.cloud.Close)
	var err error
	if s.binary = os.Getenv("CCM_BINARY"); s.binary == "" {
		s.binary, err = ccm.Build(s.within(15*time.Minute), ccm.BuildOptions{Dir: s.dir, Race: true})
		s.must(err)
	}
	s.ControlPlane, err = controlplane.Start(s.within(15*time.Minute), controlplane.Options{Progress: os.Stderr, Controllers: controlplane.NoControllers})
	s.must(err)
	t.Cleanup(func() { _ = s.Stop() })
	s.kubeconfig, err = lab.Authorize(s.within(patience), s.ControlPlane)
	s.must(err)
	s.configure(conf)
	return s
}

// methods are what the permissions of the roles allow.
func methods() (all []string) {
	for _, role := range gce.Roles() {
		for _, permission := range role.Permissions {
			method := strings.TrimPrefix(permission, "compute.")
			all = append(all, method, strings.Replace(method, ".list", ".aggregatedList", 1), strings.Replace(method, ".create", ".insert", 1))
		}
	}
	return all
}

// configure writes gce.conf and the key of an account that has the roles.
func (s *site) configure(conf string) {
	s.t.Helper()
	url, err := s.cloud.Listen("127.0.0.1:0")
	s.must(err)
	s.cloud.Grant(account, project, methods()...)
	key, err := s.cloud.ServiceAccountKey(account)
	s.must(err)
	s.write("key.json", string(key))
	s.write("gce.conf", "[Global]\nproject-id = "+project+"\nmultizone = true\nnode-tags = a\napi-endpoint = "+url+"/compute/v1/\n"+conf)
	s.env = []string{"GCE_CREDENTIALS_JSON_FILE=" + s.path("key.json"), "GCE_METADATA_HOST=127.0.0.1:1"}
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, content string) {
	s.t.Helper()
	s.must(os.WriteFile(s.path(name), []byte(content), 0o600))
}

// start starts the CCM. With the test it is stopped, and its log is searched for races and the key.
func (s *site) start() {
	s.t.Helper()
	var err error
	s.process, err = ccm.Start(ccm.Options{
		Binary: s.binary, Kubeconfig: s.kubeconfig, Provider: "gce", Env: s.env, Dir: s.dir, Name: "gce",
		Certificate: s.ServingCertificate(),
		Args:        append([]string{"--cloud-config=" + s.path("gce.conf")}, s.flags...),
	})
	s.must(err)
	s.t.Cleanup(func() {
		s.must(s.process.Stop(s.within(patience)))
		s.must(lab.RaceReports(s.process.Log()))
		if strings.Contains(s.process.Log(), "PRIVATE KEY") {
			s.t.Error("the key is in the log")
		}
		if s.t.Failed() {
			s.t.Logf("end of the ccm's log:\n%s", s.process.Tail())
		}
	})
	s.must(s.process.Healthy(s.within(patience)))
}

// doctor runs the program's check-up.
func (s *site) doctor(env ...string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.within(patience), s.binary, "doctor", "--cloud-provider=gce", "--kubeconfig="+s.kubeconfig, "--cloud-config="+s.path("gce.conf"))
	cmd.Env = append(append(os.Environ(), s.env...), append(env, "COLUMNS=1000")...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// within returns a context for one wait.
func (s *site) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), d, fmt.Errorf("not within %s", d))
	s.t.Cleanup(cancel)
	return ctx
}

// machine is where a machine is in the emulator.
func machine(zone, name string) string {
	return "projects/" + project + "/zones/" + zone + "/instances/" + name
}

func (s *site) join(options ...controlplane.NodeOptions) {
	s.t.Helper()
	s.must(s.JoinNodes(s.within(patience), options))
}

func (s *site) node(name string, check func(*corev1.Node) error) *corev1.Node {
	s.t.Helper()
	node, err := s.WaitNode(s.within(patience), name, check)
	s.must(err)
	return node
}

// stays fails the test when a Node is gone within d.
func (s *site) stays(d time.Duration, names ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var missing string
	err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		for _, name := range names {
			if _, err := s.Client().CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
				missing = name
				return nil
			}
		}
		return errors.New("all are there")
	})
	if err == nil {
		s.t.Fatalf("node %s is gone", missing)
	}
}

func gone(node *corev1.Node) error {
	if node != nil {
		return fmt.Errorf("node %s is still there", node.Name)
	}
	return nil
}

// is is met by an initialised Node with this provider-ID and these addresses.
func is(providerID, zone string, addresses ...string) func(*corev1.Node) error {
	return func(node *corev1.Node) error {
		if node == nil {
			return fmt.Errorf("there is no such node")
		}
		var seen []string
		for _, a := range node.Status.Addresses {
			if a.Type != corev1.NodeHostName {
				seen = append(seen, string(a.Type)+" "+a.Address)
			}
		}
		got, err := json.Marshal([]any{node.Spec.ProviderID, node.Labels[corev1.LabelTopologyZone], seen, tainted(node, controlplane.UninitializedTaint)})
		want, _ := json.Marshal([]any{providerID, zone, addresses, false})
		if err == nil && string(got) != string(want) {
			err = fmt.Errorf("node %s is %s, want %s", node.Name, got, want)
		}
		return err
	}
}

func tainted(node *corev1.Node, key string) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == key {
			return true
		}
	}
	return false
}

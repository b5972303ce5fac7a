package static_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

const (
	// head begins every inventory.
	head = "apiVersion: static.multicloud-ccm.io/v1\nkind: Inventory\n"

	// What the process says of its file.
	hasChanged = "The inventory has changed"
	isWrong    = "The inventory is wrong"
	isMended   = "The inventory is without mistakes again"
)

// file is an inventory in the file of --cloud-config.
type file struct {
	*site
	path string
}

// file writes an inventory.
func (s *site) file(text string) *file {
	s.Helper()
	f := &file{s, filepath.Join(s.TempDir(), "inventory.yaml")}
	f.write(text)
	return f
}

// write puts another inventory in the place of the one before, at once, as the kubelet does with a ConfigMap.
func (f *file) write(text string) {
	f.Helper()
	next := f.path + ".next"
	f.must(os.WriteFile(next, []byte(text), 0o600))
	f.must(os.Rename(next, f.path))
}

// start starts a CCM that reads the file.
func (f *file) start(args ...string) {
	f.Helper()
	f.site.start(nil, append([]string{"--cloud-config=" + f.path}, args...)...)
}

// replace is write, and waits until the process has read it.
func (f *file) replace(text string) {
	f.Helper()
	before := f.said(hasChanged)
	f.write(text)
	f.eventually(func() error {
		if f.said(hasChanged) == before {
			return errors.New("the process has not read its inventory again")
		}
		return nil
	})
}

// said counts the lines of the process's log with a text.
func (s *site) said(text string) int { return strings.Count(s.process.Log(), text) }

// command runs a sub-command with the file.
func (f *file) command(args ...string) (code int, stdout, stderr string) {
	f.Helper()
	cmd := exec.CommandContext(f.within(), f.Binary(), append(args, "--cloud-provider="+f.Provider(), "--kubeconfig="+f.Kubeconfig(), "--cloud-config="+f.path)...)
	cmd.Env = append(f.Environment(nil), "PATH="+os.Getenv("PATH"), "HOME="+f.Dir(), "COLUMNS=1000", ccm.NoRaceSleep)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		f.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), ccm.WithoutRaceNote(errOut.String())
}

// scraper is an account that may read metrics, as a Prometheus would have.
const scraper = "prometheus"

// scrape returns what reads the process's metrics as a Prometheus does.
func (s *site) scrape() func() (string, error) {
	s.Helper()
	ctx, accounts := s.within(), s.Client().CoreV1().ServiceAccounts(metav1.NamespaceDefault)
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: scraper}}, metav1.CreateOptions{})
	s.mustOrExists(err)
	_, err = s.Client().RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: scraper},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:monitoring"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceDefault, Name: scraper}},
	}, metav1.CreateOptions{})
	s.mustOrExists(err)
	answer, err := accounts.CreateToken(ctx, scraper, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	s.must(err)
	return func() (string, error) { return s.process.Get(s.within(), "/metrics", answer.Status.Token) }
}

func (s *site) mustOrExists(err error) {
	s.Helper()
	if !apierrors.IsAlreadyExists(err) {
		s.must(err)
	}
}

// fileWrong waits until the metric about the inventory has a value.
func (s *site) fileWrong(scrape func() (string, error), want int) {
	s.Helper()
	s.eventually(func() error {
		text, err := scrape()
		line := fmt.Sprintf("ccm_inventory_file_wrong{cloud=\"static\"} %d\n", want)
		if err == nil && !strings.Contains(text, line) {
			err = fmt.Errorf("the metrics have no line %q", line)
		}
		return err
	})
}

// events are those of one reason about a Node.
func (s *site) events(node, reason string) []corev1.Event {
	s.Helper()
	all, err := s.Client().CoreV1().Events(metav1.NamespaceDefault).List(context.Background(), metav1.ListOptions{
		FieldSelector: "involvedObject.kind=Node,reason=" + reason + ",involvedObject.name=" + node,
	})
	s.must(err)
	return all.Items
}

package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

const (
	// Release is the name of the release and so of its workload.
	Release = "multicloud-ccm"
	// Namespace is that of the release.
	Namespace = "kube-system"
	// Selector selects the pods of the release, without that of `helm test`.
	Selector = "app.kubernetes.io/name=multicloud-ccm,app.kubernetes.io/instance=" + Release
)

// Helm is the command-line tool with a cluster to use it on.
type Helm struct {
	root, kubeconfig string
}

// NewHelm returns the tool that `make helm` builds. An error says what has to be made first.
func NewHelm(kubeconfig string) (*Helm, error) {
	root, err := ccm.Root()
	if err != nil {
		return nil, err
	}
	h := &Helm{root: root, kubeconfig: kubeconfig}
	if _, err := os.Stat(h.Path()); err != nil {
		return nil, fmt.Errorf("finding helm, run `make helm`: %w", err)
	}
	return h, nil
}

// Path returns where the program is.
func (h *Helm) Path() string { return filepath.Join(h.root, "bin", "helm") }

// Chart returns where the chart is.
func (h *Helm) Chart() string { return filepath.Join(h.root, "charts", "multicloud-ccm") }

// Run runs helm in the release's namespace and returns what it prints. The error quotes it.
func (h *Helm) Run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, h.Path(), append(args, "--namespace", Namespace, "--kubeconfig", h.kubeconfig)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), errors.Join(fmt.Errorf("running helm %s: %w", strings.Join(args, " "), err), errors.New(string(out)))
	}
	return string(out), nil
}

// Install installs the chart for a cloud, with more arguments such as --wait.
func (h *Helm) Install(ctx context.Context, c Cloud, args ...string) (string, error) {
	return h.Run(ctx, append(append([]string{"install", Release, h.Chart()}, c.Arguments()...), args...)...)
}

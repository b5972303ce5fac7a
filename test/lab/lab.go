// Package lab puts the parts of a system test together: a real control plane, a test cloud
// and the real binary, which talks to the API server with its own ServiceAccount and only
// the permissions of config/rbac.
package lab

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

const (
	// Namespace is that of config/rbac.
	Namespace = "kube-system"
	// ServiceAccount is that of config/rbac.
	ServiceAccount = "cloud-controller-manager"
)

// Options say what a lab consists of.
type Options struct {
	ControlPlane controlplane.Options
	// Cloud is the test cloud, which is closed with the lab.
	Cloud testcloud.Cloud
	// Binary is the path of a built binary; "" builds one with the race detector, because
	// the system tests are where the whole program runs concurrently.
	Binary string
}

// Lab is a cluster, a cloud and a binary.
type Lab struct {
	*controlplane.ControlPlane
	Cloud testcloud.Cloud

	binary     string
	kubeconfig string
	dir        string
	// given is the binary that the caller brought, "" for none.
	given string

	plain func() (string, error) // makes the binary of PlainBinary, once
}

// Start builds what is missing and starts the control plane, but no CCM.
func Start(ctx context.Context, o Options) (*Lab, error) {
	l := &Lab{binary: o.Binary, given: o.Binary, Cloud: o.Cloud}
	l.plain = sync.OnceValues(l.makePlain)
	if err := l.start(ctx, o); err != nil {
		l.Stop()
		return nil, err
	}
	return l, nil
}

func (l *Lab) start(ctx context.Context, o Options) (err error) {
	if l.dir, err = os.MkdirTemp("", "lab-"); err != nil {
		return fmt.Errorf("making the folder of the lab: %w", err)
	}
	if l.binary == "" {
		if l.binary, err = ccm.Build(ctx, ccm.BuildOptions{Dir: l.dir, Race: true}); err != nil {
			return err
		}
	}
	if l.ControlPlane, err = controlplane.Start(ctx, o.ControlPlane); err != nil {
		return err
	}
	l.kubeconfig, err = Authorize(ctx, l.ControlPlane)
	return err
}

// Authorize gives the CCM's ServiceAccount the permissions of config/rbac and returns the
// path of a kubeconfig that uses it.
func Authorize(ctx context.Context, cp *controlplane.ControlPlane) (string, error) {
	root, err := ccm.Root()
	if err != nil {
		return "", err
	}
	manifest, err := os.ReadFile(filepath.Join(root, "config", "rbac", "cloud-controller-manager.yaml"))
	if err != nil {
		return "", fmt.Errorf("reading the rbac manifest: %w", err)
	}
	if err := cp.ApplyManifest(ctx, manifest); err != nil {
		return "", err
	}
	return cp.ServiceAccountKubeconfig(ctx, Namespace, ServiceAccount)
}

// Stop stops everything that Start started and removes the lab's folder.
func (l *Lab) Stop() {
	if l.ControlPlane != nil {
		_ = l.ControlPlane.Stop()
	}
	if err := l.Cloud.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the test cloud:", err)
	}
	_ = os.RemoveAll(l.dir)
}

// Provider returns the value of --cloud-provider.
func (l *Lab) Provider() string { return l.Cloud.Facts().Provider }

// Binary returns the path of the binary under test.
func (l *Lab) Binary() string { return l.binary }

// Dir returns the lab's folder, which goes with it.
func (l *Lab) Dir() string { return l.dir }

// Kubeconfig returns the path of the ServiceAccount's kubeconfig.
func (l *Lab) Kubeconfig() string { return l.kubeconfig }

// CCMOptions change how a CCM is started.
type CCMOptions struct {
	Name string
	// Env replaces or adds environment variables.
	Env map[string]string
	// Args are appended.
	Args []string
	// Plain starts a binary without the race detector. It is for tests that kill one process after the other.
	Plain bool
	// OwnCertificate has the binary make a certificate to serve with, as in a cluster. Otherwise it serves with the
	// API server's, because making one costs tests time.
	OwnCertificate bool
}

// StartCCM starts a CCM for the test cloud. Its safety margins are those of a real cluster
// except where Args say otherwise.
func (l *Lab) StartCCM(o CCMOptions) (*ccm.Process, error) {
	binary := l.binary
	if o.Plain {
		var err error
		if binary, err = l.PlainBinary(); err != nil {
			return nil, err
		}
	}
	var certificate controlplane.CertificateFiles
	if !o.OwnCertificate {
		certificate = l.ServingCertificate()
	}
	return ccm.Start(ccm.Options{
		Binary: binary, Kubeconfig: l.kubeconfig, Provider: l.Provider(), Certificate: certificate,
		Env: l.Environment(o.Env), Args: append(l.Cloud.Args(), o.Args...), Dir: l.dir, Name: o.Name,
	})
}

// Environment is that of a process which is in the test cloud, with those that are given in the
// place of the cloud's own.
func (l *Lab) Environment(own map[string]string) []string {
	env := map[string]string{}
	maps.Copy(env, l.Cloud.Env())
	maps.Copy(env, own)
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// RaceReports returns the first report of the race detector in a log that is about us.
// Kubernetes' libraries v0.37.2 have three of their own: serviceCache.allServices of k8s.io/cloud-provider reads
// what the workers write, without their lock; at --v=9 client-go writes down when it dialled, which goes on
// when the request has another connection already and is being logged; and SecureServingInfo.Serve of
// k8s.io/apiserver sets fields, by itself and through http2.ConfigureServer, after it has started the
// controller that copies the configuration.
func RaceReports(log string) error {
	for report := range strings.SplitSeq(log, "==================") {
		if strings.Contains(report, "WARNING: DATA RACE") && !upstreams(report) {
			return fmt.Errorf("the race detector reports: %s", report[:min(len(report), 4000)])
		}
	}
	return nil
}

// upstreams reports whether both accesses of a race happen in the same of these libraries.
func upstreams(report string) bool {
	return within(report, "k8s.io/cloud-provider/controllers/service.") || within(report, "k8s.io/client-go/transport.(*debuggingRoundTripper).") ||
		strings.Contains(report, "(*DynamicServingCertificateController).syncCerts()") &&
			within(report, "k8s.io/apiserver/pkg/server.(*SecureServingInfo).tlsConfig(", "golang.org/x/net/http2.configureServer(", "crypto/tls.(*Config).Clone(")
}

// within reports whether both accesses of a race happen in functions whose names begin like one of these.
func within(report string, functions ...string) bool {
	accesses := 0
	lines := strings.Split(report, "\n")
	for i, line := range lines[:max(0, len(lines)-1)] {
		if !strings.Contains(line, " by goroutine ") && !strings.Contains(line, " by main goroutine") {
			continue
		}
		begins := func(prefix string) bool { return strings.HasPrefix(strings.TrimSpace(lines[i+1]), prefix) }
		if !slices.ContainsFunc(functions, begins) {
			return false
		}
		accesses++
	}
	return accesses == 2
}

// Progress is where long steps of tests report.
func Progress() io.Writer { return os.Stderr }

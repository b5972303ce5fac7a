package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// readyTimeout bounds the wait for one start, in case ctx has no deadline. A
// start takes a few seconds on a machine that is not overloaded.
const readyTimeout = 2 * time.Minute

// ControlPlane is a running control plane. Its methods are safe for
// concurrent use.
type ControlPlane struct {
	opts     Options
	binaries Binaries
	dir      string

	ca          *authority
	admin       credential
	adminPath   string
	apiPort     *port
	managerPort *port
	client      kubernetes.Interface

	mu                sync.Mutex // guards the processes, which come and go
	etcd              *process
	apiServer         *process
	controllerManager *process
}

// Start builds what is missing and returns a control plane that is ready to
// use. ctx bounds the start only; the control plane runs until Stop. After an
// error nothing is left running, and the error quotes the log of the program
// that failed.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	opts = opts.withDefaults()
	names := []string{etcd, apiServer}
	if len(opts.Controllers) > 0 {
		names = append(names, controllerManager)
	}
	binaries, err := build(ctx, opts, names...)
	if err != nil {
		return nil, err
	}
	cp := &ControlPlane{opts: opts, binaries: binaries}
	if err := cp.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the control plane: %w", err), cp.Stop())
	}
	return cp, nil
}

func (cp *ControlPlane) start(ctx context.Context) error {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, step := range []func() error{
		cp.makeDir,
		cp.reservePorts,
		cp.writeCredentials,
		cp.writeAuditPolicy,
		func() error { return cp.startEtcd(ctx) },
		func() error { return cp.StartAPIServer(ctx) },
		func() error { return cp.startControllerManager(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Fprintf(cp.opts.Progress, "control plane ready in %.1f s\n", time.Since(started).Seconds())
	return nil
}

// Stop ends all programs and removes the directory, unless Options.KeepDir is
// set. Stopping twice does nothing more. The error is about the directory.
func (cp *ControlPlane) Stop() error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.controllerManager.stop()
	cp.apiServer.kill() // asked kindly, it would wait for every watch to end
	cp.etcd.stop()
	cp.apiPort.release()
	cp.managerPort.release()
	cp.apiPort, cp.managerPort = nil, nil
	if cp.opts.KeepDir || cp.dir == "" {
		return nil
	}
	if err := os.RemoveAll(cp.dir); err != nil {
		return fmt.Errorf("remove the control plane's directory: %w", err)
	}
	return nil
}

// makeDir uses a short name, because paths of Unix sockets are limited to
// about a hundred bytes.
func (cp *ControlPlane) makeDir() (err error) {
	if cp.dir, err = os.MkdirTemp("", "mccm-"); err != nil {
		return fmt.Errorf("make the control plane's directory: %w", err)
	}
	return nil
}

func (cp *ControlPlane) reservePorts() (err error) {
	if cp.apiPort, err = reservePort(); err != nil {
		return err
	}
	cp.managerPort, err = reservePort()
	return err
}

// writeCredentials makes all keys and certificates and the kubeconfigs of the
// admin and of kube-controller-manager.
func (cp *ControlPlane) writeCredentials() (err error) {
	if cp.ca, err = newAuthority(); err != nil {
		return err
	}
	if cp.admin, err = cp.ca.client("kubernetes-admin", "system:masters"); err != nil {
		return err
	}
	manager, err := cp.ca.client("system:kube-controller-manager")
	if err != nil {
		return err
	}
	addresses, err := serviceAddresses(cp.opts.ServiceCIDR)
	if err != nil {
		return err
	}
	server, err := cp.ca.server(append(addresses, advertiseAddress())...)
	if err != nil {
		return err
	}
	signing, err := newSigningKey()
	if err != nil {
		return err
	}
	if cp.client, err = kubernetes.NewForConfig(cp.AdminConfig()); err != nil {
		return fmt.Errorf("make the admin's client: %w", err)
	}
	cp.adminPath, err = cp.writeKubeconfig("admin", certificateUser(cp.admin))
	_, managerErr := cp.writeKubeconfig("kube-controller-manager", certificateUser(manager))
	return errors.Join(err, managerErr,
		server.save(cp.dir, "server"),
		cp.admin.save(cp.dir, "admin"),
		writeFile(filepath.Join(cp.dir, "ca.crt"), cp.ca.pem),
		writeFile(filepath.Join(cp.dir, "service-account.key"), signing))
}

func certificateUser(c credential) *clientcmdapi.AuthInfo {
	return &clientcmdapi.AuthInfo{ClientCertificateData: c.cert, ClientKeyData: c.key}
}

// AdminConfig returns a new client configuration for an admin in the group
// system:masters, without a limit on requests.
func (cp *ControlPlane) AdminConfig() *rest.Config {
	return &rest.Config{
		Host:      cp.URL(),
		QPS:       -1,
		UserAgent: "controlplane-admin",
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   cp.ca.pem,
			CertData: cp.admin.cert,
			KeyData:  cp.admin.key,
		},
	}
}

// AdminKubeconfig returns the path of a kubeconfig for the same admin.
func (cp *ControlPlane) AdminKubeconfig() string { return cp.adminPath }

// Client returns the admin's client.
func (cp *ControlPlane) Client() kubernetes.Interface { return cp.client }

// Binaries returns the paths of the programs.
func (cp *ControlPlane) Binaries() Binaries { return cp.binaries }

// Dir returns the directory with the logs (<program>.log), keys, kubeconfigs
// and data of the control plane.
func (cp *ControlPlane) Dir() string { return cp.dir }

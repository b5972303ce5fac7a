package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
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

	ca        *authority
	admin     credential
	adminPath string
	apiPort   *port
	// localPorts are those of the programs that only this machine asks.
	localPorts []*port
	client     kubernetes.Interface

	mu                sync.Mutex // guards the processes, which come and go
	etcd              database
	apiServer         *process.Process
	controllerManager *process.Process
	scheduler         *process.Process
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
	if opts.Scheduler {
		names = append(names, scheduler)
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
		cp.reserveAPIPort,
		cp.writeCredentials,
		cp.writeAuditPolicy,
		cp.copyData,
		func() error { return cp.etcd.start(ctx, cp.binaries.Etcd) },
		func() error { return cp.StartAPIServer(ctx) },
		func() error { return cp.startControllerManager(ctx) },
		func() error { return cp.startScheduler(ctx) },
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
	cp.scheduler.Stop()
	cp.controllerManager.Stop()
	cp.apiServer.Kill() // asked kindly, it would wait for every watch to end
	cp.etcd.process.Stop()
	cp.apiPort.release()
	for _, p := range cp.localPorts {
		p.release()
	}
	cp.apiPort, cp.localPorts = nil, nil
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
	if cp.opts.Dir != "" {
		cp.dir, err = cp.opts.Dir, os.Mkdir(cp.opts.Dir, 0o700)
	} else {
		cp.dir, err = os.MkdirTemp("", "mccm-")
	}
	if err != nil {
		cp.dir = "" // not ours to remove
		return fmt.Errorf("make the control plane's directory: %w", err)
	}
	cp.etcd.dir = cp.dir
	return nil
}

func (cp *ControlPlane) reserveAPIPort() (err error) {
	cp.apiPort, err = reservePort(cp.opts.Address)
	return err
}

// reserveLocalPort keeps a port on 127.0.0.1 until Stop.
func (cp *ControlPlane) reserveLocalPort() (*port, error) {
	p, err := reservePort(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	if err == nil {
		cp.localPorts = append(cp.localPorts, p)
	}
	return p, err
}

// writeCredentials makes all keys and certificates and the admin's kubeconfig.
func (cp *ControlPlane) writeCredentials() (err error) {
	if cp.ca, err = newAuthority(); err != nil {
		return err
	}
	if cp.admin, err = cp.ca.client("kubernetes-admin", "system:masters"); err != nil {
		return err
	}
	addresses, err := serviceAddresses(cp.opts.ServiceCIDR)
	if err != nil {
		return err
	}
	server, err := cp.ca.server(append(addresses, cp.opts.Address, advertiseAddress(cp.opts.Address))...)
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
	return errors.Join(err,
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

// ServingCertificate returns the files that the API server serves with. Other servers on this machine may use them:
// the certificate is for the loopback addresses too.
func (cp *ControlPlane) ServingCertificate() CertificateFiles {
	return CertificateFiles{Certificate: filepath.Join(cp.dir, "server.crt"), Key: filepath.Join(cp.dir, "server.key")}
}

// Client returns the admin's client.
func (cp *ControlPlane) Client() kubernetes.Interface { return cp.client }

// Binaries returns the paths of the programs.
func (cp *ControlPlane) Binaries() Binaries { return cp.binaries }

// Dir returns the directory with the logs (<program>.log), keys, kubeconfigs
// and data of the control plane.
func (cp *ControlPlane) Dir() string { return cp.dir }

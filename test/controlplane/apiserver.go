package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// issuer is the issuer and the audience of ServiceAccount tokens.
const issuer = "https://kubernetes.default.svc"

// URL returns the address of the API server. It stays the same for the life
// of the control plane.
func (cp *ControlPlane) URL() string { return cp.apiPort.url() }

// RestartAPIServer crashes the API server and starts it again, and returns
// when it is ready. Watches break, objects and tokens remain.
func (cp *ControlPlane) RestartAPIServer(ctx context.Context) error {
	cp.StopAPIServer()
	return cp.StartAPIServer(ctx)
}

// StopAPIServer makes the API server go away as in a crash: connections break,
// and its port refuses new ones until StartAPIServer. It does nothing when the
// server is down.
func (cp *ControlPlane) StopAPIServer() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.apiServer.Kill()
}

// StartAPIServer starts the API server after StopAPIServer, and returns when
// it is ready. It does nothing when the server runs.
func (cp *ControlPlane) StartAPIServer(ctx context.Context) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.apiServer.Running() {
		return nil
	}
	p, err := process.Start(process.Spec{Dir: cp.dir, Path: cp.binaries.APIServer, Args: cp.apiServerArgs()})
	if err != nil {
		return err
	}
	cp.apiServer = p
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return WaitReady(ctx, p, cp.apiServerReady)
}

// FreezeAPIServer makes the API server hang: connections stay open and are accepted, and nothing
// is answered until ThawAPIServer.
func (cp *ControlPlane) FreezeAPIServer() { cp.signalAPIServer(syscall.SIGSTOP) }

// ThawAPIServer ends what FreezeAPIServer began.
func (cp *ControlPlane) ThawAPIServer() { cp.signalAPIServer(syscall.SIGCONT) }

func (cp *ControlPlane) signalAPIServer(s syscall.Signal) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.apiServer.Running() {
		cp.apiServer.Signal(s)
	}
}

// apiServerReady returns nil when the API server is ready and has made the
// namespaces that everybody expects, which it does just after it is ready.
func (cp *ControlPlane) apiServerReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(cp.AdminConfig())
	if err != nil {
		return fmt.Errorf("make a client for probes: %w", err)
	}
	defer client.CloseIdleConnections()
	if err := getOK(ctx, client, cp.URL()+"/readyz"); err != nil {
		return err
	}
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if err := getOK(ctx, client, cp.URL()+"/api/v1/namespaces/"+name); err != nil {
			return err
		}
	}
	return nil
}

func (cp *ControlPlane) apiServerArgs() []string {
	file := func(name string) string { return filepath.Join(cp.dir, name) }
	args := []string{
		"--etcd-servers=" + cp.etcd.url(),
		"--bind-address=" + cp.opts.Address.String(),
		fmt.Sprintf("--secure-port=%d", cp.apiPort.number),
		"--permit-port-sharing=true",
		"--advertise-address=" + advertiseAddress(cp.opts.Address).String(),
		"--service-cluster-ip-range=" + cp.opts.ServiceCIDR,
		"--tls-cert-file=" + file("server.crt"),
		"--tls-private-key-file=" + file("server.key"),
		"--client-ca-file=" + file("ca.crt"),
		// As every installer configures it: programs with a secure port read it.
		"--requestheader-client-ca-file=" + file("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--kubelet-client-certificate=" + file("admin.crt"),
		"--kubelet-client-key=" + file("admin.key"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + file("service-account.key"),
		"--service-account-signing-key-file=" + file("service-account.key"),
		"--allow-privileged=true",
		// Tests measure the clients' limits, not the server's.
		"--enable-priority-and-fairness=false",
		"--max-requests-inflight=0",
		"--max-mutating-requests-inflight=0",
	}
	if cp.opts.Audit != nil {
		args = append(args,
			"--audit-policy-file="+cp.auditPolicyPath(),
			"--audit-log-path="+cp.auditLogPath(),
			"--audit-log-mode=blocking", // complete when the client has its answer
			"--audit-log-maxsize=0")     // one file, never rotated
	}
	return append(args, cp.opts.APIServerArgs...)
}

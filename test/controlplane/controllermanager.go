package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// startControllerManager runs kube-controller-manager with the wanted
// controllers, each under its own ServiceAccount. It does nothing when none
// is wanted.
func (cp *ControlPlane) startControllerManager(ctx context.Context) error {
	if len(cp.opts.Controllers) == 0 {
		return nil
	}
	port, err := cp.reserveLocalPort()
	if err != nil {
		return err
	}
	kubeconfig, err := cp.ClientKubeconfig(controllerManager, "system:"+controllerManager)
	if err != nil {
		return err
	}
	p, err := process.Start(process.Spec{Dir: cp.dir, Path: cp.binaries.ControllerManager, Args: cp.controllerManagerArgs(kubeconfig, port)})
	if err != nil {
		return err
	}
	cp.controllerManager = p
	return cp.waitHealthy(ctx, p, port.url()+"/healthz")
}

// waitHealthy waits until an HTTPS server with the control plane's certificate
// answers the admin's GET of url with 200.
func (cp *ControlPlane) waitHealthy(ctx context.Context, p *process.Process, url string) error {
	client, err := rest.HTTPClientFor(cp.AdminConfig())
	if err != nil {
		return fmt.Errorf("make a client for probes: %w", err)
	}
	defer client.CloseIdleConnections()
	return WaitReady(ctx, p, func(ctx context.Context) error { return getOK(ctx, client, url) })
}

func (cp *ControlPlane) controllerManagerArgs(kubeconfig string, p *port) []string {
	file := func(name string) string { return filepath.Join(cp.dir, name) }
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.number),
		"--permit-port-sharing=true",
		"--tls-cert-file=" + file("server.crt"),
		"--tls-private-key-file=" + file("server.key"),
		"--controllers=" + strings.Join(cp.opts.Controllers, ","),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + file("service-account.key"),
		"--root-ca-file=" + file("ca.crt"),
		"--cloud-provider=external",
		"--allocate-node-cidrs=true", // by node-ipam-controller, when it runs
		"--cluster-cidr=" + cp.opts.ClusterCIDR,
		"--leader-elect=false",
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
	}
	return append(args, cp.opts.ControllerManagerArgs...)
}

package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// startControllerManager runs kube-controller-manager with the wanted
// controllers, each under its own ServiceAccount. It does nothing when none
// is wanted.
func (cp *ControlPlane) startControllerManager(ctx context.Context) error {
	if len(cp.opts.Controllers) == 0 {
		return nil
	}
	process, err := startProcess(cp.dir, cp.binaries.ControllerManager, cp.controllerManagerArgs()...)
	if err != nil {
		return err
	}
	cp.controllerManager = process
	client, err := rest.HTTPClientFor(cp.AdminConfig())
	if err != nil {
		return fmt.Errorf("make a client for probes: %w", err)
	}
	defer client.CloseIdleConnections()
	return process.waitReady(ctx, func(ctx context.Context) error {
		return getOK(ctx, client, cp.managerPort.url()+"/healthz")
	})
}

func (cp *ControlPlane) controllerManagerArgs() []string {
	file := func(name string) string { return filepath.Join(cp.dir, name) }
	kubeconfig := file("kube-controller-manager.kubeconfig")
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", cp.managerPort.number),
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

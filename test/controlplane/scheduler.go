package controlplane

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// startScheduler runs kube-scheduler when it is wanted.
func (cp *ControlPlane) startScheduler(ctx context.Context) error {
	if !cp.opts.Scheduler {
		return nil
	}
	port, err := cp.reserveLocalPort()
	if err != nil {
		return err
	}
	kubeconfig, err := cp.ClientKubeconfig(scheduler, "system:"+scheduler)
	if err != nil {
		return err
	}
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port.number),
		"--permit-port-sharing=true",
		"--tls-cert-file=" + filepath.Join(cp.dir, "server.crt"),
		"--tls-private-key-file=" + filepath.Join(cp.dir, "server.key"),
		"--leader-elect=false",
	}
	p, err := process.Start(process.Spec{
		Dir: cp.dir, Path: cp.binaries.Scheduler, Args: append(args, cp.opts.SchedulerArgs...),
	})
	if err != nil {
		return err
	}
	cp.scheduler = p
	return cp.waitHealthy(ctx, p, port.url()+"/healthz")
}

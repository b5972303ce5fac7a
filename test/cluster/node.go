package cluster

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// Node is a machine of the cluster.
type Node struct {
	name    string
	address netip.Addr
	cgroup  string
	// dir has the node's /var/lib and /var/log, and the logs of its programs.
	dir string
	ns  namespace
	// programs are what was started in the node, in that order.
	programs []*process.Process
}

// Name returns the name of the node, "node-1" for the first.
func (n *Node) Name() string { return n.name }

// Address returns the address of the node, which this machine and all nodes can reach.
func (n *Node) Address() netip.Addr { return n.address }

// Run runs a program in the node and returns its standard output. The error quotes the rest.
func (n *Node) Run(ctx context.Context, args ...string) (string, error) {
	return n.ns.run(ctx, nil, args...)
}

// Stop makes the node go away as in a power cut: kubelet, kube-proxy, containerd and all
// containers end at once.
func (n *Node) Stop() { n.ns.holder.Kill() }

// startNode makes the namespaces of a node and starts its programs. The kubelet registers
// the node when it gets to it.
func (c *Cluster) startNode(ctx context.Context, n *Node) (err error) {
	for _, dir := range []string{n.lib("containerd"), n.lib("cni/net.d"), n.lib("kubelet"), n.lib("kube-proxy"), filepath.Join(n.dir, "log")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making a folder of %s: %w", n.name, err)
		}
	}
	if err := makeCgroups(n.cgroup); err != nil {
		return err
	}
	n.ns.flags = []string{"-m", "-n", "-p", "-u", "-i"}
	n.ns.holder, err = process.Start(process.Spec{Name: "node", Dir: n.dir, Path: c.pausePath(), Namespaces: process.Machine})
	if err != nil {
		return err
	}
	if err := c.plug(ctx, n); err != nil {
		return err
	}
	if err := n.setUp(ctx, c.slot); err != nil {
		return err
	}
	if c.plane != nil {
		if err := c.routeBack(ctx, n); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context, *Node) error{c.startContainerd, c.startKubelet, c.startKubeProxy} {
		if err := step(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// lib returns where the machine sees a path of the node's /var/lib.
func (n *Node) lib(path string) string { return filepath.Join(n.dir, "lib", path) }

//go:embed config/node.sh
var nodeScript string

func (n *Node) setUp(ctx context.Context, s *slot) error {
	_, err := n.ns.run(ctx, strings.NewReader(nodeScript), "env",
		"NODE="+n.name, "DIR="+n.dir, "GATEWAY="+s.gateway().String(),
		fmt.Sprintf("ADDRESS=%s/%d", n.address, s.network().Bits()), "sh", "-s")
	return err
}

// start starts a program of the node that stays.
func (n *Node) start(name, path string, args ...string) (*process.Process, error) {
	p, err := n.ns.start(n.dir, name, append([]string{path}, args...)...)
	if err == nil {
		n.programs = append(n.programs, p)
	}
	return p, err
}

// startContainerd returns when containerd answers and has its first images.
func (c *Cluster) startContainerd(ctx context.Context, n *Node) error {
	dir, err := plugins()
	if err != nil {
		return err
	}
	path, err := exec.LookPath("containerd")
	if err != nil {
		return fmt.Errorf("finding containerd: %w", err)
	}
	snapshotter := snapshotter(n.dir)
	err = writeConfig(n.lib("containerd/config.toml"), "containerd.toml", map[string]string{
		"PAUSE_IMAGE": pauseImage, "CNI_PLUGINS": dir, "SNAPSHOTTER": snapshotter,
	})
	if err != nil {
		return err
	}
	p, err := n.start("containerd", path, "--config", "/var/lib/containerd/config.toml")
	if err != nil {
		return err
	}
	err = controlplane.WaitReady(ctx, p, func(ctx context.Context) error {
		_, err := n.Run(ctx, "ctr", "version")
		return err
	})
	if err != nil {
		return err
	}
	for name, path := range c.images() {
		if err := n.loadImage(ctx, name, path); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) startKubelet(ctx context.Context, n *Node) error {
	err := writeConfig(n.lib("kubelet/config.yaml"), "kubelet.yaml", map[string]string{"CGROUP": n.cgroup, "DNS": c.podDNS()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(n.lib("kubelet/ca.crt"), c.CA(), 0o600); err != nil {
		return fmt.Errorf("writing the certificate authority: %w", err)
	}
	if err := os.WriteFile(n.lib("kubelet/resolv.conf"), []byte("nameserver "+c.Gateway().String()+"\n"), 0o644); err != nil {
		return fmt.Errorf("writing resolv.conf: %w", err)
	}
	if err := c.writeKubeconfig(n.lib("kubelet/kubeconfig"), "kubelet-"+n.name, "system:node:"+n.name, "system:nodes"); err != nil {
		return err
	}
	args := []string{
		"--config=/var/lib/kubelet/config.yaml",
		"--kubeconfig=/var/lib/kubelet/kubeconfig",
		"--cloud-provider=external",
		"--node-ip=" + n.address.String(),
	}
	_, err = n.start("kubelet", c.Binaries().Kubelet, append(args, c.opts.KubeletArgs...)...)
	return err
}

func (c *Cluster) startKubeProxy(_ context.Context, n *Node) error {
	err := writeConfig(n.lib("kube-proxy/config.yaml"), "kube-proxy.yaml", map[string]string{"POD_RANGE": podRange})
	if err != nil {
		return err
	}
	if err := c.writeKubeconfig(n.lib("kube-proxy/kubeconfig"), "kube-proxy-"+n.name, "system:kube-proxy"); err != nil {
		return err
	}
	_, err = n.start("kube-proxy", c.Binaries().KubeProxy, "--config=/var/lib/kube-proxy/config.yaml")
	return err
}

// writeKubeconfig writes a kubeconfig for a new client certificate.
func (c *Cluster) writeKubeconfig(path, name, user string, groups ...string) error {
	issued, err := c.ClientKubeconfig(name, user, groups...)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(issued)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig of %s: %w", name, err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig of %s: %w", name, err)
	}
	return nil
}

// tails returns the last lines of the log of every program.
func (n *Node) tails() string {
	var b strings.Builder
	for _, p := range n.programs {
		fmt.Fprintf(&b, "==> %s on %s\n%s\n", p.Name(), n.name, p.Tail())
	}
	return b.String()
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// Cluster is a running cluster. The methods of its control plane are its own.
type Cluster struct {
	*controlplane.ControlPlane

	opts    Options
	slot    *slot
	hub     namespace
	clients namespace    // without a holder when there is no data plane
	plane   *plane.Plane // nil too
	// resolvers are the nodes' and, with Options.DNS, the pods'.
	resolvers []io.Closer
	nodes     []*Node
}

// Start builds what is missing and starts a cluster. It returns when all nodes have
// registered and, unless Options.NoPodNetwork, pods have a network; nodes become Ready some
// seconds later. ctx bounds the start only: the cluster runs until Stop, or until this
// process ends, however it does. After an error nothing is left running.
func Start(ctx context.Context, opts Options) (*Cluster, error) {
	if err := Missing(); err != nil {
		return nil, fmt.Errorf("starting a cluster: %w", err)
	}
	if opts.Nodes < 0 || opts.Nodes > maxNodes {
		return nil, fmt.Errorf("starting a cluster: %d nodes, but there can be 1 to %d", opts.Nodes, maxNodes)
	}
	opts = opts.withDefaults()
	slot, err := takeSlot(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{opts: opts, slot: slot}
	if err := c.start(ctx); err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			err = context.Cause(ctx) // what the programs logged has nothing to do with it
		}
		//nolint:contextcheck // cleaning up goes on after ctx's end
		return nil, errors.Join(fmt.Errorf("starting a cluster: %w", err), c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if _, err := controlplane.BuildNode(ctx, c.opts.ControlPlane); err != nil {
		return err
	}
	began := time.Now()
	if err := os.MkdirAll(c.imageDir(), 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	if err := c.buildImages(ctx); err != nil {
		return err
	}
	if err := c.startSwitch(ctx); err != nil {
		return err
	}
	steps := []func(context.Context) error{c.startResolver, c.startControlPlane, c.startServiceDNS, c.startNodes}
	if c.opts.Balancers {
		steps = append([]func(context.Context) error{c.startPlane}, steps...)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if !c.opts.NoPodNetwork {
		if err := c.AddPodNetwork(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.opts.Progress, "%d nodes joined %.1f s after the start\n", len(c.nodes), time.Since(began).Seconds())
	return nil
}

func (c *Cluster) startControlPlane(ctx context.Context) (err error) {
	opts := c.opts.ControlPlane
	opts.Dir, opts.Address = filepath.Join(c.slot.dir(), "control-plane"), c.slot.gateway()
	c.ControlPlane, err = controlplane.Start(ctx, opts)
	return err
}

func (c *Cluster) startNodes(ctx context.Context) error {
	for i := range c.opts.Nodes {
		name := nodeName(i)
		c.nodes = append(c.nodes, &Node{
			name: name, address: c.slot.nodeAddress(i), cgroup: c.slot.cgroup(name), dir: filepath.Join(c.slot.dir(), name),
		})
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, n := range c.nodes {
		group.Go(func() error {
			if err := c.startNode(ctx, n); err != nil {
				return fmt.Errorf("starting %s: %w", n.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// Stop ends everything and removes what it left on this machine. Stopping twice does nothing
// more.
func (c *Cluster) Stop() error {
	if c.slot == nil {
		return nil
	}
	for _, n := range c.nodes {
		n.Stop()
	}
	var problem error
	if c.ControlPlane != nil {
		problem = c.ControlPlane.Stop()
	}
	for _, resolver := range c.resolvers {
		problem = errors.Join(problem, resolver.Close())
	}
	c.clients.holder.Kill()
	c.hub.holder.Kill()
	if !c.opts.KeepDir {
		problem = errors.Join(problem, c.slot.clean(context.Background()))
	}
	c.slot.release()
	c.slot = nil
	return problem
}

// Nodes returns the nodes, stopped ones too.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// Dir returns the folder with all logs.
func (c *Cluster) Dir() string { return c.slot.dir() }

// Tails returns the last lines of the log of every program of every node.
func (c *Cluster) Tails() string {
	var b strings.Builder
	for _, n := range c.nodes {
		b.WriteString(n.tails())
	}
	return b.String()
}

func (c *Cluster) imageDir() string { return filepath.Join(c.slot.dir(), "images") }

// Gateway returns the address that this machine has in the network of the nodes.
func (c *Cluster) Gateway() netip.Addr { return c.slot.gateway() }

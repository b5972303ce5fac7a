package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// poolSize is how many machines are replaced at once.
const poolSize = 10

// replacedName is the Service whose load balancer gets new targets.
const replacedName = "replaced"

// replaceAll measures, in a cluster of its own with few Nodes, until a load balancer has new machines as targets that have taken
// the place of all others at once. Nobody announced that, so the Nodes of the old ones are held.
func (r *run) replaceAll(ctx context.Context) error {
	if r.options.Services == 0 {
		return nil
	}
	if err := r.smallCluster(ctx); err != nil {
		return err
	}
	// Otherwise the nodes would be too young to be asked for.
	p, err := r.start(replacementProcess, "--node-deletion-grace=1s")
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := within(ctx, p, 5*time.Minute)
	defer cancel()
	old, err := r.lab.Cloud.Seed(ctx, poolSize, testcloud.Machine{})
	if err != nil {
		return fmt.Errorf("making machines: %w", err)
	}
	if err := r.joinPool(ctx, old); err != nil {
		return err
	}
	if err := errors.Join(r.makeService(ctx, replacedName), r.untilTargets(ctx, old)); err != nil {
		return err
	}
	// A load balancer that is still being made has its targets before its address, and takes no other change meanwhile.
	if err := r.watch.signal.Until(ctx, func() bool { return r.watch.served(replacedName) }); err != nil {
		return fmt.Errorf("waiting for the Service's address: %w", err)
	}
	if err := errors.Join(r.lab.Cloud.Remove(ctx, old...), r.setReady(ctx, r.names, false)); err != nil {
		return fmt.Errorf("removing machines: %w", err)
	}
	m := r.now()
	replaced, err := r.lab.Cloud.Seed(ctx, poolSize, testcloud.Machine{})
	if err != nil {
		return fmt.Errorf("making machines: %w", err)
	}
	joined := time.Now() // to make machines takes the OpenStack lab seconds
	if err := errors.Join(r.joinPool(ctx, replaced), r.untilTargets(ctx, replaced)); err != nil {
		return err
	}
	r.result.ReplaceAll = Step{Calls: r.calls(m), Seconds: r.lastWrite().Sub(joined).Seconds()}
	r.result.NodesLost += 2*poolSize - r.watch.nodeCount()
	_, err = r.end(context.WithoutCancel(ctx), replacementProcess, p)
	return err
}

// lastWrite is when the last request was made that changed something. What follows is the cloud's own time.
func (r *run) lastWrite() (at time.Time) {
	for _, request := range r.lab.Cloud.Requests() {
		if traffic.Mutating(request.Method) && request.Route != r.facts.Login && request.Start.After(at) {
			at = request.Start
		}
	}
	return at
}

// smallCluster empties cluster and cloud.
func (r *run) smallCluster(ctx context.Context) error {
	if err := r.lab.Client().CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("deleting the nodes: %w", err)
	}
	r.names = nil
	if err := r.watch.signal.Until(ctx, func() bool { return r.watch.nodeCount() == 0 }); err != nil {
		return fmt.Errorf("deleting the nodes: %w", err)
	}
	if err := r.lab.Cloud.Clear(ctx); err != nil {
		return fmt.Errorf("clearing the cloud: %w", err)
	}
	r.lab.Cloud.SetLatency(latency)
	if r.options.Quota {
		r.lab.Cloud.SetQuota(published)
	}
	return nil
}

// joinPool joins the Nodes of machines, Ready.
func (r *run) joinPool(ctx context.Context, machines []testcloud.Machine) error {
	var nodes []controlplane.NodeOptions
	for _, m := range machines {
		node := m.Node()
		node.Ready = true
		nodes, r.names = append(nodes, node), append(r.names, m.Name)
	}
	return r.lab.JoinNodes(ctx, nodes)
}

// untilTargets waits until the load balancer has these machines as targets.
func (r *run) untilTargets(ctx context.Context, machines []testcloud.Machine) error {
	err := controlplane.Eventually(ctx, func(ctx context.Context) error {
		balancers, err := r.lab.Cloud.Balancers(ctx)
		if err != nil {
			return err
		}
		if len(balancers) != 1 {
			return fmt.Errorf("there are %d load balancers", len(balancers))
		}
		for _, m := range machines {
			if !slices.Contains(balancers[0].Targets, m.ID) {
				return fmt.Errorf("machine %s of %d is no target", m.Name, len(machines))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("waiting for targets: %w", err)
	}
	return nil
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// Takeover is what comes between the end of a leader and the first Node of the next one, which stood by.
type Takeover struct {
	// StoppedSeconds is from SIGTERM, KilledSeconds from kill -9.
	StoppedSeconds float64 `json:"stoppedSeconds"`
	KilledSeconds  float64 `json:"killedSeconds"`
}

const leaseName = "cloud-controller-manager"

// takeover measures one leader that is told to stop, then one that is killed.
func (r *run) takeover(ctx context.Context) error {
	var standby *ccm.Process
	defer func() {
		if standby != nil {
			standby.Kill()
		}
	}()
	for _, end := range []struct {
		name    string
		end     func(*ccm.Process) error
		seconds *float64
	}{
		{"stopped", func(p *ccm.Process) error { return p.Stop(ctx) }, &r.result.Takeover.StoppedSeconds},
		{"killed", func(p *ccm.Process) error { p.Kill(); return nil }, &r.result.Takeover.KilledSeconds},
	} {
		leader, err := r.leader(ctx, standby)
		if err != nil {
			return err
		}
		defer leader.Kill()
		if standby, err = r.standBy(ctx, end.name); err != nil {
			return err
		}
		began := time.Now()
		if err := end.end(leader); err != nil {
			return err
		}
		if *end.seconds, err = r.firstNode(ctx, began); err != nil {
			return fmt.Errorf("leader %s: %w", end.name, err)
		}
		if err := r.settle(ctx, 3*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// leader is the process that stood by, a new one at first.
func (r *run) leader(ctx context.Context, standby *ccm.Process) (*ccm.Process, error) {
	if standby != nil {
		return standby, nil
	}
	leases := r.lab.Client().CoordinationV1().Leases(lab.Namespace)
	p, err := r.start("leader", "--leader-elect=true")
	if err != nil {
		return nil, err
	}
	err = controlplane.Eventually(ctx, func(ctx context.Context) error {
		lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
		if err == nil && (lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "") {
			err = errors.New("nobody holds the lease")
		}
		return err
	})
	return p, errors.Join(err, r.settle(ctx, 3*time.Second))
}

// standBy starts a process that waits for the lease, and gives it the time to see the cluster.
func (r *run) standBy(ctx context.Context, name string) (*ccm.Process, error) {
	p, err := r.start("standby-"+name, "--leader-elect=true")
	if err != nil {
		return nil, err
	}
	return p, errors.Join(p.Healthy(ctx), pause(ctx, 10*time.Second))
}

// firstNode makes a Node wait for its cloud once more, and returns when it no longer does.
func (r *run) firstNode(ctx context.Context, since time.Time) (seconds float64, err error) {
	name := r.names[0]
	patch := fmt.Sprintf(`{"spec":{"taints":[{"key":%q,"value":"true","effect":%q}]}}`, controlplane.UninitializedTaint, corev1.TaintEffectNoSchedule)
	if _, err := r.lab.Client().CoreV1().Nodes().Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		return 0, fmt.Errorf("tainting a node: %w", err)
	}
	nodes := r.lab.Client().CoreV1().Nodes()
	err = controlplane.Eventually(ctx, func(ctx context.Context) error {
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err == nil && !initialised(node) {
			err = fmt.Errorf("node %s waits for its cloud", name)
		}
		return err
	})
	return time.Since(since).Seconds(), err
}

package instance

import (
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// braked reports whether the Node's deletion needs the brake's permission. Those do not that
// somebody announced, and those of a mass removal that was proved: neither is a mistake that
// nobody has thought of.
func (i *Inventory) braked(node *corev1.Node) bool {
	return !announced(node) && !i.mass.proved(string(node.UID), i.policy.MassWait)
}

// askBrake returns nil when the Node may be deleted, which is counted before.
func (i *Inventory) askBrake(ctx context.Context, node *corev1.Node) error {
	if !i.braked(node) {
		return i.refusal(i.brake.Refresh(ctx)) // nothing goes while the record cannot be read
	}
	_, err := i.deletions.ask(ctx, string(node.UID))
	return i.refusal(err)
}

// allow asks for a batch of Nodes together: each question is a write to the API server.
func (i *Inventory) allow(ctx context.Context, batch map[string]*pending[struct{}]) {
	allowed, err := i.brake.Allow(ctx, i.census.take(i).nodes, slices.Sorted(maps.Keys(batch))...)
	for _, uid := range allowed {
		batch[uid].settle(struct{}{}, nil)
	}
	for _, p := range batch {
		p.settle(struct{}{}, err)
	}
}

// refusal turns the brake's error into a verdict.
func (i *Inventory) refusal(err error) error {
	i.reportBrake()
	if err == nil {
		return nil
	}
	_, unknown := errors.AsType[*safety.StoreError](err)
	refused, ok := errors.AsType[*safety.BrakeError](err)
	switch {
	case unknown, ok && refused.Unreadable:
		return &refusal{verdictBrakeRecord, err}
	case ok:
		return &refusal{verdictBrake, err}
	default:
		return err
	}
}

func (i *Inventory) reportBrake() { i.report.brake(i.brake.Engaged() || i.mass.holds()) }

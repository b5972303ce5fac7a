package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// refusedTargets returns why another request has to follow soon, in which fewer machines become targets, nil where none has to.
func (r writer) refusedTargets(change cloud.Change, err error) error {
	refusals := cloud.RefusedTargets(err)
	if len(refusals) == 0 && isRefusal(err) {
		if targets := r.Memory.RefusedBy(change.Before.ID); targets != nil {
			targets.NoteUnrelated(time.Now())
		}
	}
	for _, one := range refusals {
		if one.Asked == nil && change.After != nil {
			one.Asked = slices.DeleteFunc(slices.Clone(change.After.Targets), func(id cloud.InstanceID) bool { return slices.Contains(change.Before.Balancer.Targets, id) })
		}
	}
	if len(refusals) == 0 || !r.noteRefused(change.Before.ID, refusals) {
		return nil
	}
	return &Pending{After: refused.TrialPause, Reason: "the cloud refuses some targets, the others are asked for without them"}
}

// isRefusal reports whether the cloud will say the same to the same request.
func isRefusal(err error) bool {
	class := cloud.FailureOf(err).Class
	return class == cloud.FailureInvalid || class == cloud.FailureQuota || class == cloud.FailureNotFound
}

// noteRefused learns from a request for a balancer that was refused, and reports whether another one has to follow soon.
func (r writer) noteRefused(id string, refusals []*cloud.TargetsRefused) (again bool) {
	targets := r.Memory.RefusedBy(id)
	if targets == nil {
		targets = &refused.Targets{}
	}
	if again = targets.Note(refusals, time.Now()); again {
		if r.Memory.Refused == nil || len(r.Memory.Refused.By) > mostRefusedBy {
			r.Memory.Refused = &state.RefusedTargets{By: map[string]*refused.Targets{}}
		}
		r.Memory.Refused.By[id] = targets
	}
	return again
}

// partly returns the error of a change, of which the cloud refuses a part. The others go on where that asks for nothing again.
func (r writer) partly(ctx context.Context, progress cloud.Progress, err error) error {
	err = r.failed(ctx, err)
	if _, waits := errors.AsType[*Pending](err); waits || !progress.Pending || !progress.GoesOn {
		return err
	}
	pending := problem.WaitFor(progress, "the cloud refuses a part of the change, and is working on the others")
	pending.Err = err
	return pending
}

// isUnready reports whether the kubelet of a Node that is offered does not report. The Nodes that are offered are not new ones when only
// their readiness has changed.
func (r writer) isUnready() bool {
	return slices.ContainsFunc(slices.Concat(r.nodes, r.manager.nodes.Nodes()), func(node *corev1.Node) bool { return !instance.Ready(node) })
}

// mostRefusedBy is of how many balancers of a Service it is remembered: one that serves, one beside it, and one before.
const mostRefusedBy = 3

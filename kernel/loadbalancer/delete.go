package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Delete removes the Service's balancer. It returns nil only when nothing of ours is left;
// *Pending means that the cloud is still at it.
//
//	disown  found    ours  kept  it
//	yes     -        -     -     does nothing
//	no      no       -     -     does nothing
//	no      yes      no    -     does nothing, with an event
//	no      yes      yes   yes   removes our tags
//	no      yes      yes   no    deletes it, and looks for more
//	no      orphans  -     yes   does nothing
//	no      orphans  -     no    deletes what is left of it
//
// It is kept where the annotation retain says so, or the cloud protects it from deletion.
//
// During a replacement a Service has two. With retain the one that never served is deleted, and
// what served is kept.
func (m *Manager) Delete(ctx context.Context, svc *corev1.Service) error {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return err
	}
	defer p.end()
	if p.Disowned() {
		p.forget()
		return nil
	}
	if err := p.lastChange(ctx); err != nil {
		return err
	}
	p.SetDeleting()
	d := deletion{p}
	if p.state.Removed {
		return d.confirm(ctx)
	}
	if rest := p.takeRest(); rest != nil && rest.Change.After == nil && !p.Retain {
		progress, err := p.step(ctx, rest)
		if !cloud.IsClass(err, cloud.FailureConflict) {
			return d.removed(ctx, rest.Change.Before, progress, err)
		}
	}
	return d.run(ctx)
}

// deletion is the run in which a Service gives its balancer up.
type deletion struct{ *pipeline }

func (p deletion) run(ctx context.Context) error {
	f, err := p.findOwned(ctx, p.observe)
	if err != nil {
		return p.failed(ctx, err)
	}
	p.say(f.Conflicts...)
	observed := f.Observed
	if !observed.Found {
		other, err := p.unfinished(ctx, cloud.Observed{ID: p.Recorded})
		switch {
		case err != nil:
			return p.failed(ctx, err)
		case other.Found && (!p.Retain || !p.served(other)):
			return p.remove(ctx, other)
		case other.Found:
			observed = other
		}
	}
	return p.giveUp(ctx, observed)
}

// giveUp releases or deletes the balancer of a Service that leaves.
func (p deletion) giveUp(ctx context.Context, observed cloud.Observed) error {
	if !observed.Found && (p.Retain || !observed.Orphans) {
		p.forget()
		return nil
	}
	if err := p.busy(observed); err != nil {
		return err
	}
	if !p.Retain && !observed.Protected {
		return p.remove(ctx, observed)
	}
	if err := p.releaseOther(ctx, observed); err != nil {
		return err
	}
	return p.release(ctx, observed)
}

// freeOwnershipTags are the ownership tags of a balancer that no Service has any more: none, or the cluster's alone
// where its name still holds the UID of the Service. Without that the name would say that it is
// another one's.
func (p deletion) freeOwnershipTags(observed cloud.Observed) []string {
	if !ownership.HoldsUID(observed.Balancer.Name) {
		return nil
	}
	in := p.policy.Complete(observed, nil)
	in.Owner = cloud.Owner{Cluster: in.Owner.Cluster, Cloud: in.Owner.Cloud}
	free, _, err := p.manager.cloud.Balancers.Normalize(in)
	if err != nil {
		return nil
	}
	return free.OwnershipTags
}

// release removes our ownership tags from the balancer and leaves it.
func (p deletion) release(ctx context.Context, observed cloud.Observed) error {
	after := observed.Balancer.Clone()
	after.OwnershipTags = p.freeOwnershipTags(observed)
	progress, err := p.write(ctx, p.policy.Decision(p.policy.Complete(observed, nil), observed, &after, difference.Of(observed.Balancer, after)))
	if err != nil {
		return err
	}
	if progress.Pending {
		return waitFor(progress, waiting)
	}
	text := "balancer " + observed.ID + " was kept"
	if observed.Protected && !p.Retain {
		text += ", because the cloud protects it from deletion: delete it by hand, or name it on another Service with " + annotation.Adopt.Name
	}
	p.say(problem.Warn(event.Retained, text))
	p.forget()
	return nil
}

// releaseOther ends a replacement that is under way when the Service goes and its balancer is kept: the
// other balancer is deleted if it never served, and else it is kept too.
func (p deletion) releaseOther(ctx context.Context, kept cloud.Observed) error {
	other, err := p.unfinished(ctx, kept)
	switch {
	case err != nil:
		return p.failed(ctx, err)
	case !other.Found:
		return nil
	}
	if err := p.busy(other); err != nil {
		return err
	}
	if p.served(other) {
		return p.release(ctx, other)
	}
	in := p.policy.Complete(other, nil)
	in.Beside = &kept // what both use stays
	progress, err := p.write(ctx, p.policy.Removal(in, other, "it never served, and the Service no longer wants it"))
	if err != nil {
		return err
	}
	return waitFor(progress, "the new balancer is being deleted")
}

// served reports whether a balancer of the replacement that is under way has served, or may have.
func (p deletion) served(o cloud.Observed) bool {
	return o.ID == p.Replacing.Of || owner.Uses(p.Service, p.IDAnnotation, o)
}

// remove deletes the balancer and returns nil once no other of ours is found either: a
// Service can have two when its id annotation was changed by hand. Where many are deleted together,
// one bulk list that began after the last of them confirms them all. Nobody looks again where the driver
// proves that nothing can be left.
func (p deletion) remove(ctx context.Context, observed cloud.Observed) error {
	progress, err := p.execute(ctx, p.policy.Removal(p.policy.Complete(observed, nil), observed, "the Service no longer wants it"))
	return p.removed(ctx, observed, progress, err)
}

// removed returns what a step of the deletion came to.
func (p deletion) removed(ctx context.Context, observed cloud.Observed, progress cloud.Progress, err error) error {
	if err = p.written(ctx, observed, err); err != nil {
		return err
	}
	if progress.Pending {
		if progress.Removed {
			p.state.Removal = p.state.Running
		}
		return p.going(progress)
	}
	if observed.Sole && len(observed.Duplicates) == 0 && progress.Again == 0 && p.Replacing == nil {
		p.forget()
		return nil
	}
	if p.state.Removed = true; p.manager.lists.WorthReading(p.Service.UID) {
		return &Pending{After: confirmAfter, Reason: "the balancer was deleted, and is looked for once more"}
	}
	return p.confirm(ctx)
}

// confirmAfter is how long other deletions are waited for, so that one list confirms all of them.
const confirmAfter = time.Second

// confirm looks for what is left once the cloud has acknowledged the deletion.
func (p deletion) confirm(ctx context.Context) error {
	p.Input.Removed = true
	p.state.Removed = false // unless this ends well, the next run begins anew, with the check of the credentials
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return p.failed(ctx, err)
	}
	other, err := p.unfinished(ctx, cloud.Observed{ID: cmp.Or(f.Observed.ID, p.Recorded)})
	switch {
	case err != nil:
		return p.failed(ctx, err)
	case f.Observed.Found || f.Observed.Orphans || other.Found:
		return p.going(cloud.Progress{})
	}
	p.forget()
	return nil
}

func (p deletion) going(progress cloud.Progress) error {
	return waitFor(progress, "the balancer is being deleted")
}

// unfinished returns the balancer that was being made to take the place of the observed one: a
// driver that finds it neither by id nor by name finds it by its ownership tags only. One that another
// Service uses is left.
func (p deletion) unfinished(ctx context.Context, observed cloud.Observed) (cloud.Observed, error) {
	if p.Replacing == nil || p.manager.cloud.Replacer == nil {
		return cloud.Observed{}, nil
	}
	other, err := p.findSuccessor(ctx, observed)
	if err == nil && other.Found && p.manager.owners.UsedByAnother(p.Request, other) {
		p.say(leftWarning(other.ID, owner.InUse))
		return cloud.Observed{}, nil
	}
	return other, err
}

// write makes a change that ends the Service's hold on the balancer. Where changes are not
// really made it fails, so that nobody believes the balancer gone.
func (p deletion) write(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	progress, err := p.execute(ctx, d)
	return progress, p.written(ctx, d.Change.Before, err)
}

// written returns why a change was not made, nil when it was.
func (p deletion) written(ctx context.Context, before cloud.Observed, err error) error {
	switch {
	case err != nil:
		return p.failed(ctx, err)
	case !p.live():
		return fmt.Errorf("balancer %s stays: mode %s changes nothing", before.ID, p.manager.executor.Mode())
	}
	return nil
}

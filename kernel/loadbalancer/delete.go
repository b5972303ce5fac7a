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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
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
	r, ctx, err := m.begin(ctx, svc, nil)
	if err != nil {
		return err
	}
	defer r.end()
	if r.Asked.Disowned {
		r.forget()
		return nil
	}
	if err := r.writer.lastChange(ctx); err != nil {
		return err
	}
	r.Asked.SetDeleting()
	if _, removed := r.Memory.Phase.(state.Removed); removed {
		return r.removal.confirmRemoval(ctx)
	}
	if rest := r.writer.takeRest(); rest != nil && rest.Change.After == nil && !r.Asked.Retain {
		progress, err := r.writer.step(ctx, rest)
		if !cloud.IsClass(err, cloud.FailureConflict) {
			return r.removal.afterRemoval(ctx, rest.Change.Before, progress, err)
		}
	}
	return r.removal.leave(ctx)
}

// leave gives up the balancer that the Service has, or the one that was to take its place.
func (r removal) leave(ctx context.Context) error {
	f, err := r.finder.findOwned(ctx, r.finder.observe)
	if err != nil {
		return r.failed(ctx, err)
	}
	r.say(f.Conflicts...)
	observed := f.Observed
	if !observed.Found {
		other, err := r.unfinished(ctx, cloud.Observed{ID: r.Asked.Recorded})
		switch {
		case err != nil:
			return r.failed(ctx, err)
		case other.Found && (!r.Asked.Retain || !r.served(other)):
			return r.remove(ctx, other)
		case other.Found:
			observed = other
		}
	}
	return r.giveUp(ctx, observed)
}

// giveUp releases or deletes the balancer of a Service that leaves.
func (r removal) giveUp(ctx context.Context, observed cloud.Observed) error {
	if !observed.Found && (r.Asked.Retain || !observed.Orphans) {
		r.forget()
		return nil
	}
	if err := r.writer.busy(observed); err != nil {
		return err
	}
	if !r.Asked.Retain && !observed.Protected {
		return r.remove(ctx, observed)
	}
	if err := r.releaseOther(ctx, observed); err != nil {
		return err
	}
	return r.release(ctx, observed)
}

// served reports whether a balancer of the replacement that is under way has served, or may have.
func (r removal) served(o cloud.Observed) bool {
	return o.ID == r.Asked.Replacing.Of || owner.Uses(r.Asked.Service, r.Asked.IDAnnotation, o)
}

// freeOwnershipTags are the ownership tags of a balancer that no Service has any more: none, or the cluster's alone
// where its name still holds the UID of the Service. Without that the name would say that it is
// another one's.
func (r removal) freeOwnershipTags(observed cloud.Observed) []string {
	if !ownership.HoldsUID(observed.Balancer.Name) {
		return nil
	}
	in := r.Complete(observed, nil)
	in.Owner = cloud.Owner{Cluster: in.Owner.Cluster, Cloud: in.Owner.Cloud}
	free, _, err := r.manager.cloud.Balancers.Normalize(in)
	if err != nil {
		return nil
	}
	return free.OwnershipTags
}

// release removes our ownership tags from the balancer and leaves it.
func (r removal) release(ctx context.Context, observed cloud.Observed) error {
	progress, err := r.giveAway(ctx, r.Release(observed, r.freeOwnershipTags(observed)))
	if err != nil {
		return err
	}
	if progress.Pending {
		return problem.WaitFor(progress, problem.Working)
	}
	text := "balancer " + observed.ID + " was kept"
	if observed.Protected && !r.Asked.Retain {
		text += ", because the cloud protects it from deletion: delete it by hand, or name it on another Service with " + annotation.Adopt.Name
	}
	r.say(problem.Warn(event.Retained, text))
	r.forget()
	return nil
}

// releaseOther ends a replacement that is under way when the Service goes and its balancer is kept: the
// other balancer is deleted if it never served, and else it is kept too.
func (r removal) releaseOther(ctx context.Context, kept cloud.Observed) error {
	other, err := r.unfinished(ctx, kept)
	switch {
	case err != nil:
		return r.failed(ctx, err)
	case !other.Found:
		return nil
	}
	if err := r.writer.busy(other); err != nil {
		return err
	}
	if r.served(other) {
		return r.release(ctx, other)
	}
	in := r.Complete(other, nil)
	in.Beside = &kept // what both use stays
	progress, err := r.giveAway(ctx, r.Removal(in, other, "it never served, and the Service no longer wants it"))
	if err != nil {
		return err
	}
	return problem.WaitFor(progress, "the new balancer is being deleted")
}

// remove deletes the balancer and returns nil once no other of ours is found either: a
// Service can have two when its id annotation was changed by hand. Where many are deleted together,
// one bulk list that began after the last of them confirms them all. Nobody looks again where the driver
// proves that nothing can be left.
func (r removal) remove(ctx context.Context, observed cloud.Observed) error {
	progress, err := r.writer.write(ctx, r.Removal(r.Complete(observed, nil), observed, "the Service no longer wants it"))
	return r.afterRemoval(ctx, observed, progress, err)
}

// afterRemoval returns what a step of the deletion came to.
func (r removal) afterRemoval(ctx context.Context, observed cloud.Observed, progress cloud.Progress, err error) error {
	if err = r.written(ctx, observed, err); err != nil {
		return err
	}
	if progress.Pending {
		if running, goesOn := r.Memory.Phase.(state.Running); goesOn && progress.Removed {
			running.Removes = true
			r.Memory.Phase = running
		}
		return r.going(progress)
	}
	if observed.Sole && len(observed.Duplicates) == 0 && progress.Again == 0 && r.Asked.Replacing == nil {
		r.forget()
		return nil
	}
	if r.Memory.Phase = (state.Removed{}); r.manager.lists.WorthReading(r.Asked.Service.UID) {
		return &Pending{After: confirmAfter, Reason: "the balancer was deleted, and is looked for once more"}
	}
	return r.confirmRemoval(ctx)
}

// confirmAfter is how long other deletions are waited for, so that one list confirms all of them.
const confirmAfter = time.Second

// confirmRemoval looks for what is left once the cloud has acknowledged the deletion.
func (r removal) confirmRemoval(ctx context.Context) error {
	r.Asked.Input.Removed = true
	r.Memory.Phase = nil // unless this ends well, the next run begins anew, with the check of the credentials
	f, err := r.finder.find(ctx, r.finder.observe)
	if err != nil {
		return r.failed(ctx, err)
	}
	other, err := r.unfinished(ctx, cloud.Observed{ID: cmp.Or(f.Observed.ID, r.Asked.Recorded)})
	switch {
	case err != nil:
		return r.failed(ctx, err)
	case f.Observed.Found || f.Observed.Orphans || other.Found:
		return r.going(cloud.Progress{})
	}
	r.forget()
	return nil
}

func (r removal) going(progress cloud.Progress) error {
	return problem.WaitFor(progress, "the balancer is being deleted")
}

// unfinished returns the balancer that was being made to take the place of the observed one: a
// driver that finds it neither by id nor by name finds it by its ownership tags only. One that another
// Service uses is left.
func (r removal) unfinished(ctx context.Context, observed cloud.Observed) (cloud.Observed, error) {
	if r.Asked.Replacing == nil || r.manager.cloud.Replacer == nil {
		return cloud.Observed{}, nil
	}
	other, err := r.finder.findSuccessor(ctx, observed)
	if err == nil && other.Found && r.manager.owners.UsedByAnother(r.Asked, other) {
		r.say(leftWarning(other.ID, owner.InUse))
		return cloud.Observed{}, nil
	}
	return other, err
}

// giveAway makes a change that ends the Service's hold on the balancer. Where changes are not
// really made it fails, so that nobody believes the balancer gone.
func (r removal) giveAway(ctx context.Context, d decide.Decision) (cloud.Progress, error) {
	progress, err := r.writer.write(ctx, d)
	return progress, r.written(ctx, d.Change().Before, err)
}

// written returns why a change was not made, nil when it was.
func (r removal) written(ctx context.Context, before cloud.Observed, err error) error {
	switch {
	case err != nil:
		return r.failed(ctx, err)
	case !r.Live:
		return fmt.Errorf("balancer %s stays: mode %s changes nothing", before.ID, r.manager.executor.Mode())
	}
	return nil
}

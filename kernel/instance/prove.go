package instance

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/batch"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// prover decides whether Nodes whose machines were not found may be deleted.
type prover struct {
	*state
	// deletions are the UIDs of Nodes that ask for the brake's permission.
	deletions batch.Batcher[string, struct{}]
	// retrying is held while a machine is read whose last read failed.
	retrying sync.Mutex
}

func newProver(s *state) *prover {
	p := &prover{state: s}
	p.deletions = batch.Batcher[string, struct{}]{Wait: s.policy.Coalesce, Answer: p.allow}
	return p
}

// decide takes the proof that a machine is gone one step further.
func (p *prover) decide(ctx context.Context, node *corev1.Node, id cloud.InstanceID) (exists bool, err error) {
	found, err := p.prove(ctx, node, id)
	if found {
		p.report.clear(node)
		return true, nil
	}
	if err == nil {
		p.report.count(metric.Verdicts, string(absence.Gone))
		return false, nil
	}
	if ctx.Err() != nil {
		return false, err
	}
	if d, ok := errors.AsType[*absence.Denial](err); ok {
		return false, p.held(node, id, d)
	}
	return false, p.held(node, id, &absence.Denial{Decision: absence.CloudFailure, Err: err})
}

// prove returns false and no error when the machine is proved gone and the Node may be
// deleted. What costs nothing is checked first. A not-found counts once the account was
// checked after it, and the probe comes before the second one: answers under wrong
// credentials do not add up, not even when they are changed and changed back meanwhile.
//
//	not-found, account → ConfirmGap → probe, list → not-found, account → brake → gone
func (p *prover) prove(ctx context.Context, node *corev1.Node, id cloud.InstanceID) (found bool, err error) {
	mass := p.denyMass(ctx, node)
	a, admitted := p.absences.Admit(keyOf(node, id), mass != nil)
	switch {
	case !admitted && p.cache.Lists().Refused != nil:
		return false, absence.Deny(absence.ListRefused, "the list of machines is incomplete or suspiciously short and is not believed; others are being confirmed one by one first")
	case !admitted:
		return false, absence.Deny(absence.Queued, "others are being confirmed first")
	case mass != nil && !a.First.IsZero():
		return false, mass
	}
	if d := p.credentials.failed(); d != nil {
		return false, d
	}
	if a.Confirmed() && p.braked(node) {
		if err := p.denial(p.brake.Check(ctx, p.nodes.count().total, string(node.UID))); err != nil {
			return false, err
		}
	}
	if p.absences.Due(a) {
		if found, err := p.retry(ctx, node, id, a); found || err != nil {
			return found, err
		}
		a, _ = p.absences.Get(keyOf(node, id))
	}
	if mass != nil {
		return false, mass
	}
	return false, p.conclude(ctx, node, id, a)
}

// conclude returns nil when what is known of the machine's absence is enough to delete the Node.
func (p *prover) conclude(ctx context.Context, node *corev1.Node, id cloud.InstanceID, a absence.Absence) error {
	if !a.Confirmed() || p.absences.Due(a) {
		return absence.Deny(absence.Unconfirmed, "the cloud says it has no such machine; it is asked again after %v", p.policy.ConfirmGap)
	}
	since := sinceAge(p.policy.ConfirmGap)
	if a.Last.After(since) {
		since = a.Last
	}
	if err := p.credentials.sameAccount(ctx, string(node.UID), id, since); err != nil {
		return p.credentials.distrust(err)
	}
	if now, open := p.absences.Get(keyOf(node, id)); !open || !now.Confirmed() {
		return absence.Deny(absence.Unconfirmed, "something showed the machine again, or its absence became doubtful, a moment ago")
	}
	return p.askBrake(ctx, node)
}

// confirm reads the machine once more.
func (p *prover) confirm(ctx context.Context, node *corev1.Node, id cloud.InstanceID, a absence.Absence) (found bool, err error) {
	if !a.First.IsZero() {
		since := cmp.Or(a.Last, a.First)
		if err := p.credentials.probe(ctx, node, id, since); err != nil {
			return false, p.credentials.distrust(err)
		}
		if found, err := p.recount(ctx, node, id, since); found || err != nil {
			return found, err
		}
	}
	started := time.Now()
	instances, err := p.reads.proofs.Ask(ctx, id)
	if err != nil {
		return false, p.unread(ctx, keyOf(node, id), err)
	}
	if len(instances) > 0 {
		return true, nil
	}
	answered := time.Now()
	if err := p.credentials.sameAccount(ctx, string(node.UID), id, answered); err != nil {
		return false, p.credentials.distrust(err)
	}
	p.absences.Note(keyOf(node, id), started, answered)
	return false, nil
}

// retry is confirm for a machine whose last direct read may have failed: then it waits for the end of the pause, and such
// reads go one after the other, while they leave enough for the proofs of others.
func (p *prover) retry(ctx context.Context, node *corev1.Node, id cloud.InstanceID, a absence.Absence) (found bool, err error) {
	if err := a.Failure(); err != nil {
		return false, err
	}
	if a.Failing() {
		if !p.retrying.TryLock() {
			return false, absence.Deny(absence.Queued, "%w", errNotItsTurn)
		}
		defer p.retrying.Unlock()
		if !p.budget.spare() {
			return false, absence.Deny(absence.Queued, "%w", errNotItsTurn)
		}
	}
	return p.confirm(ctx, node, id, a)
}

// unread returns the error of a direct read. A read that reached the cloud and failed is repeated after a pause. One that was
// postponed is not counted.
func (p *prover) unread(ctx context.Context, k absence.Key, err error) error {
	if _, postponed := errors.AsType[*absence.Denial](err); !postponed && ctx.Err() == nil {
		p.absences.Fail(k, err)
	}
	return err
}

// denyMass returns why the Node is held while too many machines are missing. It looks for a
// release, and for machines that are back.
func (p *prover) denyMass(ctx context.Context, node *corev1.Node) *absence.Denial {
	if announced(node) || !p.mass.Over() {
		return nil
	}
	if since := sinceAge(p.schedule.metadataAge(p.size())); !p.listedSince(since) && p.budget.room(p.budget.list()) {
		_ = p.lists.refresh(ctx, since) // a failure changes nothing
	}
	_ = p.brake.Refresh(ctx) // no more does this one
	if p.brake.Released(string(node.UID)) {
		return nil
	}
	d := p.mass.Deny(string(node.UID))
	p.reportBrake()
	return d
}

// recount is denyMass with a list that was started at since or later. The list may also show
// that the machine is there.
func (p *prover) recount(ctx context.Context, node *corev1.Node, id cloud.InstanceID, since time.Time) (found bool, err error) {
	if announced(node) || p.brake.Released(string(node.UID)) {
		return false, nil
	}
	if !p.listedSince(since) && !p.budget.room(p.budget.list()) {
		return false, absence.Deny(absence.Queued, "%w", errNotItsTurn)
	}
	if err := p.lists.refresh(ctx, since); err != nil {
		return false, absence.Deny(absence.CloudFailure, "%w", err)
	}
	if p.believed(node, id, since) != nil {
		return true, nil
	}
	if d := p.denyMass(ctx, node); d != nil {
		return false, d
	}
	return false, nil
}

// missing are the UIDs of the Nodes whose machines seem gone, of those that were not Ready at
// that time already: others came later, or their kubelets report. Nothing is known before a list.
func (p *prover) missing(at time.Time) (uids []string, known bool) {
	gone := map[string]bool{}
	for _, uid := range slices.Concat(p.mass.Missing(), p.absences.Nodes()) {
		gone[uid] = true
	}
	for _, node := range p.nodes.list() {
		if uid := string(node.UID); gone[uid] && unreadySince(node, at) {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids, !p.cache.Lists().Started.IsZero()
}

// braked reports whether the Node's deletion needs the brake's permission. Those do not that somebody
// announced, and those of a mass removal that was proved: neither is a mistake that nobody has thought of.
func (p *prover) braked(node *corev1.Node) bool {
	return !announced(node) && !p.mass.Proved(string(node.UID))
}

// askBrake returns nil when the Node may be deleted, which is counted before.
func (p *prover) askBrake(ctx context.Context, node *corev1.Node) error {
	if !p.braked(node) {
		return p.denial(p.brake.Refresh(ctx)) // nothing goes while the record cannot be read
	}
	_, err := p.deletions.Ask(ctx, string(node.UID))
	return p.denial(err)
}

// allow asks for a batch of Nodes together: each question is a write to the API server.
func (p *prover) allow(ctx context.Context, asked map[string]*batch.Question[struct{}]) {
	allowed, err := p.brake.Allow(ctx, p.nodes.count().total, slices.Sorted(maps.Keys(asked))...)
	for _, uid := range allowed {
		asked[uid].Answer(struct{}{}, nil)
	}
	for _, q := range asked {
		q.Answer(struct{}{}, err)
	}
}

// denial turns the brake's error into a decision.
func (p *prover) denial(err error) error {
	p.reportBrake()
	if err == nil {
		return nil
	}
	_, unknown := errors.AsType[*safety.StoreError](err)
	refused, ok := errors.AsType[*safety.BrakeError](err)
	switch {
	case unknown, ok && refused.Unreadable:
		return &absence.Denial{Decision: absence.BrakeRecord, Err: err}
	case ok:
		return &absence.Denial{Decision: absence.Brake, Err: err}
	default:
		return err
	}
}

package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// duplicates are second balancers of a Service, as two processes make them that work at once for
// a moment.
type duplicates struct {
	ids []string
	// since is when they were first seen beside the balancer that is kept.
	since time.Time
}

// duplicateWait is how long a second balancer is left, so that no other process works any more and
// the Service in the cache is the present one. A lease lasts a fraction of it.
const duplicateWait = time.Minute

// unconfirmed returns the id of the balancer that this process made and has not looked for in any
// list, "" when there is none.
func (p *pipeline) unconfirmed() string {
	if p.Spec.Ref.ID != "" || p.state.confirmed == p.state.created {
		return ""
	}
	return p.state.created
}

// confirm notes which of several balancers is the Service's: all processes come to the same one.
func (p *pipeline) confirm(observed cloud.Observed) {
	if p.state.created == "" {
		return
	}
	if slices.Contains(observed.Duplicates, p.state.created) {
		p.state.created = observed.ID
	}
	p.state.confirmed = p.state.created
}

// prune deletes second balancers of the Service, and returns when to look again, 0 for never. The
// one that the Service records and publishes is kept. Another one is deleted when
//
//	proof                        how it is known
//	nobody made it just now      it was seen duplicateWait ago
//	it is this Service's         it carries its UID and this cluster's id, and was read itself
//	nobody uses it               no Service records its id or publishes an address of it
//	it is the right account      trust
//
// All else is left, and said.
func (p *pipeline) prune(ctx context.Context, kept cloud.Observed, seen []string) (again time.Duration) {
	if p.Replacing != nil {
		p.state.duplicates = nil // one of both takes the place of the other
		return 0
	}
	d := p.state.note(seen, kept.ID)
	if d == nil || !p.live() {
		return 0
	}
	if p.Retain || p.Adopt != "" {
		p.state.duplicates = nil // it may be the one that its user left behind
		p.say(problem.Warn(event.DuplicateFound, fmt.Sprintf("%s carries this Service's marks beside %s, and is left, because the Service keeps or adopts its balancer", strings.Join(d.ids, ", "), kept.ID)))
		return 0
	}
	if len(seen) > 0 {
		p.say(problem.Warn(event.DuplicateFound, fmt.Sprintf("%s carries this Service's marks beside %s, which is kept; what is proved to be unused is deleted", strings.Join(d.ids, ", "), kept.ID)))
	}
	if p.Recorded != kept.ID || !status.Tells(&p.Request, kept) {
		d.since = time.Now()
	}
	if wait := d.wait(); wait > 0 {
		return wait
	}
	p.state.duplicates = nil
	for _, id := range d.ids {
		left, err := p.deleteDuplicate(ctx, kept, id)
		if err != nil {
			p.state.note([]string{id}, kept.ID)
			left, again = err.Error(), duplicateWait
		}
		if left != "" {
			p.say(leftWarning(id, left))
		}
	}
	return again
}

func leftWarning(id, why string) problem.Warning {
	return problem.Warn(event.DuplicateFound, fmt.Sprintf("balancer %s is left: %s", id, why))
}

// wait returns how long nothing may be deleted yet, 0 or less when it may.
func (d *duplicates) wait() time.Duration { return duplicateWait - time.Since(d.since) }

// note adds what was seen beside the balancer that is kept, and returns all second balancers, nil
// when there are none.
func (m *serviceState) note(seen []string, kept string) *duplicates {
	for _, id := range seen {
		if id == kept || m.duplicates != nil && slices.Contains(m.duplicates.ids, id) {
			continue
		}
		if m.duplicates == nil {
			m.duplicates = &duplicates{}
		}
		m.duplicates.ids, m.duplicates.since = append(m.duplicates.ids, id), time.Now()
	}
	return m.duplicates
}

// deleteDuplicate deletes a second balancer, and says why it does not. One that is gone is fine.
func (p *pipeline) deleteDuplicate(ctx context.Context, kept cloud.Observed, id string) (left string, err error) {
	spec := p.Spec
	spec.Ref.ID, spec.Deleting, spec.Refused = id, true, []string{kept.ID}
	observed, err := p.manager.cloud.Balancers.Observe(ctx, spec)
	switch {
	case err != nil:
		return "", err
	case !observed.Found || observed.ID != id:
		return "", nil
	case observed.State == cloud.BalancerPending:
		return "", &Pending{After: duplicateWait, Reason: waiting}
	}
	if left, err = p.doubt(ctx, kept, observed); left != "" || err != nil {
		return left, err
	}
	spec.Lookups, spec.Beside = observed.Lookups, &kept // what the Service has once stays
	d := p.decision(spec, observed, nil, []cloud.Operation{difference.Removal(observed, "the Service has balancer "+kept.ID+" too, which is kept")})
	switch progress, err := p.manager.executor.Apply(ctx, d.plan, d.change); {
	case err != nil:
		return "", err
	case progress.More:
		return "", &Pending{After: cmp.Or(progress.After, pollFirst), Reason: waiting}
	}
	p.manager.lists.Expire()
	p.manager.metrics.Add(metric.Duplicates, 1, p.manager.cloud.Name)
	p.say(problem.Warn(event.DuplicateFound, fmt.Sprintf("balancer %s was deleted: the Service has %s", id, kept.ID)))
	return "", nil
}

// doubt says why a second balancer is perhaps not the Service's alone, "" when it is. It is an error
// when that cannot be known. Addresses that the kept one has too prove nothing about this Service.
func (p *pipeline) doubt(ctx context.Context, kept, other cloud.Observed) (string, error) {
	us := p.Spec.Ref.Owner
	own := other
	own.Addresses = slices.DeleteFunc(slices.Clone(other.Addresses), func(a cloud.BalancerAddress) bool {
		return slices.ContainsFunc(kept.Addresses, func(k cloud.BalancerAddress) bool { return k.IP == a.IP })
	})
	switch {
	case us.UID == "" || other.Owner.UID != us.UID || other.Owner.Cluster != us.Cluster:
		return "its marks do not prove that it is this Service's" + byHand, nil
	case p.uses(p.Service, own) || p.other(func(svc *corev1.Service) bool { return p.uses(svc, other) }) != nil:
		return "a Service uses it" + byHand, nil
	}
	return "", p.manager.trust(ctx)
}

const byHand = "; delete it by hand when it is not needed"

// uses reports whether a Service records or publishes the balancer.
func (p *pipeline) uses(svc *corev1.Service, o cloud.Observed) bool {
	id := p.manager.cloud.Descriptor.IDAnnotation
	return status.Publishes(svc, o) || id != "" && svc.Annotations[id] == o.ID
}

package loadbalancer

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// judge decides whether the Service may have what was observed.
func (p *pipeline) judge(observed cloud.Observed) safety.Ownership {
	c := safety.Case{
		Service: p.Spec.Ref.Owner, Observed: observed, Named: p.Named(), Created: p.state.created,
		Published: status.Publishes(p.Service, p.unmistakable(observed)), Deleting: p.Spec.Deleting,
	}
	if observed.Found && observed.Owner.UID == "" {
		if holder := p.other(func(svc *corev1.Service) bool { return status.Publishes(svc, observed) }); holder != nil {
			c.Holder = cloud.Owner{Cluster: p.manager.clusterID, Namespace: holder.Namespace, Name: holder.Name, UID: string(holder.UID)}
		}
		c.Orphan = p.orphan(observed)
	}
	return p.manager.adoption.Judge(c)
}

// orphan reports whether the name of the balancer holds the UID of no Service of this cluster. What
// cannot be looked up is none: the list of all Services has to show this one at least.
func (p *pipeline) orphan(observed cloud.Observed) bool {
	all := p.manager.services()
	return safety.HoldsUID(observed.Balancer.Name) &&
		slices.ContainsFunc(all, func(svc *corev1.Service) bool { return svc.UID == p.Service.UID }) &&
		!slices.ContainsFunc(all, func(svc *corev1.Service) bool { return safety.DerivedName(string(svc.UID)) == observed.Balancer.Name })
}

// unmistakable returns the balancer without addresses that one of another cluster may have too: private
// ones, unless our cluster's mark is on it.
func (p *pipeline) unmistakable(observed cloud.Observed) cloud.Observed {
	if us := p.Spec.Ref.Owner.Cluster; us == "" || observed.Owner.Cluster != us {
		observed.Addresses = slices.DeleteFunc(slices.Clone(observed.Addresses), func(a cloud.BalancerAddress) bool {
			ip, err := netip.ParseAddr(a.IP)
			return err == nil && (!ip.Unmap().IsGlobalUnicast() || ip.Unmap().IsPrivate() || carriers.Contains(ip.Unmap()))
		})
	}
	return observed
}

// carriers is the network that is private to providers (RFC 6598).
var carriers = netip.MustParsePrefix("100.64.0.0/10")

// other returns the first other Service of the cluster that fits, nil when none does.
func (p *pipeline) other(fits func(*corev1.Service) bool) *corev1.Service {
	var found *corev1.Service
	for _, svc := range p.manager.services() {
		if svc.UID != p.Service.UID && (found == nil || key(svc) < key(found)) && fits(svc) {
			found = svc
		}
	}
	return found
}

func key(svc *corev1.Service) string { return svc.Namespace + "/" + svc.Name }

// notYours refuses an id. It says the same of a balancer that is somebody else's as of one that
// does not exist: ids can be guessed.
func (p *pipeline) notYours(id string) problem.Problem {
	field := p.manager.cloud.Descriptor.IDAnnotation
	if id == p.Adopt {
		field = annotation.Adopt.Name
	}
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{
		Field: field, Value: id,
		Want: "there is no load balancer with this id that the Service may use; remove the annotation, or ask an operator to allow it",
	})
}

// nameTaken refuses a name that somebody else's balancer has, where names are unique.
func (p *pipeline) nameTaken(name string) problem.Problem {
	return problem.Of(event.OwnershipConflict, &cloud.Invalid{
		Field: annotation.Name.Name, Value: name,
		Want: "a load balancer that the Service may not use has this name; choose another one, or ask an operator to allow it",
	})
}

// warnOwner tells the owner of a balancer that another Service wanted it. It does not say which
// one, unless both are in one namespace.
func (p *pipeline) warnOwner(verdict safety.Ownership, observed cloud.Observed) {
	if verdict.Standing != safety.Claimed {
		return
	}
	owner := p.other(func(svc *corev1.Service) bool { return p.owns(svc, verdict.Owner, observed) })
	if owner == nil || !p.manager.ownerWarnings.due(p.Service.UID, owner.UID) {
		return
	}
	who := "a Service of another namespace"
	if owner.Namespace == p.Service.Namespace {
		who = "Service " + p.Service.Name
	}
	object := event.Object{Kind: "Service", Namespace: owner.Namespace, Name: owner.Name, UID: string(owner.UID)}
	p.manager.events.Record(object, event.TakeoverRefused, fmt.Sprintf("%s named load balancer %s of this Service in an annotation; that was refused, nothing was changed", who, observed.ID))
	p.manager.metrics.Add(metric.TakeoversRefused, 1, p.manager.cloud.Name)
}

// owns reports whether a Service is the one that a balancer belongs to:
//
//	known of the owner      compared
//	its UID                 the UID
//	its name and cluster    the name, in this cluster
//	nothing                 the name of the balancer, which holds the UID
func (p *pipeline) owns(svc *corev1.Service, owner cloud.Owner, observed cloud.Observed) bool {
	switch {
	case owner.UID != "":
		return owner.UID == string(svc.UID)
	case owner.Name != "":
		return owner.String() == key(svc) && cmp.Or(owner.Cluster, p.manager.clusterID) == p.manager.clusterID
	}
	return observed.Balancer.Name == safety.DerivedName(string(svc.UID))
}

// warningEvery is how often a Service is told that a certain other one wanted its balancer.
const warningEvery = 10 * time.Minute

// ownerWarnings keep a Service that is refused again and again from filling the events of another one.
// The zero value is ready.
type ownerWarnings struct {
	mu   sync.Mutex
	last map[[2]types.UID]time.Time
}

// due reports whether the owner is to be told now.
func (w *ownerWarnings) due(asked, owner types.UID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, pair := time.Now(), [2]types.UID{asked, owner}
	if at, told := w.last[pair]; told && now.Sub(at) < warningEvery {
		return false
	}
	kept := map[[2]types.UID]time.Time{pair: now}
	for pair, at := range w.last {
		if now.Sub(at) < warningEvery {
			kept[pair] = at
		}
	}
	w.last = kept
	return true
}

// Package owner says whose a load balancer is, as far as the Services of the cluster tell it.
package owner

import (
	"cmp"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Owners tell whose a balancer is.
type Owners struct {
	// Services returns all Services of the cluster, from a cache.
	Services func() []*corev1.Service
	// Adoption says what may be taken over.
	Adoption safety.Adoption
}

// Judge decides whether the Service may have what was observed. Created is the id of the balancer that this process made, "" when it made none.
func (o Owners) Judge(r *request.Request, created string, observed cloud.Observed) safety.Ownership {
	us := r.Input.Owner
	c := safety.Case{
		Service: us, Observed: observed, Named: r.Named, Created: created,
		Published: status.Publishes(r.Service, unmistakable(us, observed)), Deleting: r.Input.Deleting,
	}
	if observed.Found && observed.Owner.UID == "" {
		if holder := o.other(r, func(svc *corev1.Service) bool { return status.Publishes(svc, observed) }); holder != nil {
			c.Holder = cloud.Owner{Cluster: us.Cluster, Namespace: holder.Namespace, Name: holder.Name, UID: string(holder.UID)}
		}
		c.Orphan = o.orphan(r, observed)
	}
	return o.Adoption.Judge(c)
}

// orphan reports whether the name of the balancer holds the UID of no Service of this cluster. What
// cannot be looked up is none: the list of all Services has to show this one at least.
func (o Owners) orphan(r *request.Request, observed cloud.Observed) bool {
	all := o.Services()
	return ownership.HoldsUID(observed.Balancer.Name) &&
		slices.ContainsFunc(all, func(svc *corev1.Service) bool { return svc.UID == r.Service.UID }) &&
		!slices.ContainsFunc(all, func(svc *corev1.Service) bool {
			return ownership.IsInName(observed.Balancer.Name, cloud.Owner{UID: string(svc.UID)})
		})
}

// unmistakable returns the balancer without addresses that one of another cluster may have too: private
// ones, unless our cluster's ownership tag is on it.
func unmistakable(us cloud.Owner, observed cloud.Observed) cloud.Observed {
	if !us.HasCluster(observed.Owner.Cluster) {
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
func (o Owners) other(r *request.Request, fits func(*corev1.Service) bool) *corev1.Service {
	var found *corev1.Service
	for _, svc := range o.Services() {
		if svc.UID != r.Service.UID && (found == nil || key(svc) < key(found)) && fits(svc) {
			found = svc
		}
	}
	return found
}

func key(svc *corev1.Service) string { return svc.Namespace + "/" + svc.Name }

// Doubt says why a second balancer is perhaps not the Service's alone, "" when it is. Addresses that the
// kept one has too prove nothing about this Service.
func (o Owners) Doubt(r *request.Request, kept, other cloud.Observed) string {
	us, own := r.Input.Owner, other
	own.Addresses = slices.DeleteFunc(slices.Clone(other.Addresses), func(a cloud.BalancerAddress) bool {
		return slices.ContainsFunc(kept.Addresses, func(k cloud.BalancerAddress) bool { return k.IP == a.IP })
	})
	switch {
	case !ownership.IsCertain(other.Owner, us):
		return "its ownership tags do not prove that it is this Service's" + byHand
	case Uses(r.Service, r.IDAnnotation, own) || o.UsedByAnother(r, other):
		return InUse
	case other.Protected:
		return "the cloud protects it from deletion" + byHand
	}
	return ""
}

const byHand = "; delete it by hand when it is not needed"

// InUse is why a balancer is left that a Service uses.
const InUse = "a Service uses it" + byHand

// UsedByAnother reports whether another Service records or publishes the balancer.
func (o Owners) UsedByAnother(r *request.Request, observed cloud.Observed) bool {
	return o.other(r, func(svc *corev1.Service) bool { return Uses(svc, r.IDAnnotation, observed) }) != nil
}

// Uses reports whether a Service records or publishes the balancer.
func Uses(svc *corev1.Service, idAnnotation string, o cloud.Observed) bool {
	return status.Publishes(svc, o) || idAnnotation != "" && svc.Annotations[idAnnotation] == o.ID
}

// OwnerOf returns the other Service that a balancer belongs to, nil when it is not known.
func (o Owners) OwnerOf(r *request.Request, owner cloud.Owner, observed cloud.Observed) *corev1.Service {
	return o.other(r, func(svc *corev1.Service) bool { return owns(svc, r.Input.Owner, owner, observed) })
}

// owns reports whether a Service is the one that a balancer belongs to:
//
//	known of the owner      compared
//	its UID                 the UID
//	its name and cluster    the name, in this cluster
//	nothing                 the name of the balancer, which holds the UID
func owns(svc *corev1.Service, asks, owner cloud.Owner, observed cloud.Observed) bool {
	us := cloud.Owner{Cluster: asks.Cluster, Former: asks.Former, Namespace: svc.Namespace, Name: svc.Name, UID: string(svc.UID)}
	if owner.UID == "" && owner.Name == "" {
		return ownership.IsInName(observed.Balancer.Name, us)
	}
	owner.Cluster = cmp.Or(owner.Cluster, us.Cluster)
	return ownership.Of(owner, us) == ownership.Ours
}

// Evidence lists what connects the balancer with the Service.
func Evidence(r *request.Request, o cloud.Observed) []string {
	if !o.Found {
		return nil
	}
	us := r.Input.Owner
	var all []string
	add := func(says string, holds bool) {
		if holds {
			all = append(all, says)
		}
	}
	add("its ownership tags have the UID of the Service", ownership.IsTagged(o.Owner, us))
	add("its ownership tags name the Service", o.Owner.Name == us.Name && o.Owner.Namespace == us.Namespace && us.Name != "")
	add("its ownership tags name the cluster "+o.Owner.Cluster, us.HasCluster(o.Owner.Cluster))
	add("its name holds the UID of the Service", o.Named || ownership.IsInName(o.Balancer.Name, us))
	add("an annotation of the Service has its id", slices.Contains(r.Named, o.ID))
	add("the status of the Service has one of its addresses", status.Publishes(r.Service, o))
	add("only its name led to it", o.ByName)
	add("the cloud lets several Services share it", o.Shared)
	return all
}

// Gone reports whether the cache shows by now that the Service gives its balancer up. A run may
// have waited for the deletion, after which nobody would delete what it makes or tags. A cache
// without any Service knows nothing.
func (o Owners) Gone(svc *corev1.Service) bool {
	all := o.Services()
	at := slices.IndexFunc(all, func(s *corev1.Service) bool { return s.UID == svc.UID })
	return len(all) > 0 && (at < 0 || request.IsDeleting(all[at]))
}

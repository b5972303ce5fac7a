package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// owned lists the balancers of the account with what their ownership tags say. It comes after the list of Services: what is deleted
// meanwhile has a Service in that, and what is made meanwhile is young.
func owned(ctx context.Context, f *facts) fact[[]cloud.OwnedBalancer] {
	if f.Cloud == nil || f.Cloud.OwnedLister == nil {
		return fact[[]cloud.OwnedBalancer]{}
	}
	list, err := f.Cloud.OwnedLister.ListOwned(ctx, f.us())
	if err != nil {
		return missing[[]cloud.OwnedBalancer](fmt.Errorf("the load balancers cannot be listed: %w", err))
	}
	return fact[[]cloud.OwnedBalancer]{value: list}
}

// us is the cluster as the owner that asks, with its former ids.
func (f *facts) us() cloud.Owner {
	return cloud.Owner{Cluster: f.Manager.ClusterID, Cloud: f.Cloud.Name, Former: cloud.NewFormerClusters(f.Manager.FormerClusterIDs...)}
}

// defaultClusterID is the --cluster-name of everybody who gives none.
const defaultClusterID = "kubernetes"

// isDefault reports whether the doctor was told nothing of the cluster: it may have another id than the default one.
func (f *facts) isDefault() bool { return f.ids() == strconv.Quote(defaultClusterID) }

// ids are the ids that the cluster has and had, as people read them.
func (f *facts) ids() string {
	text := strconv.Quote(f.Manager.ClusterID)
	for _, id := range f.us().Former.IDs() {
		text += " or " + strconv.Quote(id)
	}
	return text
}

// judgeOrphans looks for load balancers of this cluster whose Services are gone.
func judgeOrphans(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	switch {
	case !f.balances():
		return fine("%s", unbalanced(f))
	case f.sky.err != nil:
		return cannot(f.sky.unknown())
	case f.owned.err != nil:
		return cannot(f.owned.err)
	case f.Cloud.OwnedLister == nil:
		return fine("%s does not list load balancers with their Services: nothing was looked for", f.Cloud.Name)
	}
	var lines, ids []string
	for _, b := range f.owned.value {
		if text := f.orphan(b); text != "" {
			lines, ids = append(lines, text), append(ids, b.ID)
		}
	}
	many := plural(len(lines), "load balancer")
	switch id := f.Manager.ClusterID; {
	case len(lines) == 0:
		return fine("no load balancer with the cluster id %s is without its Service", f.ids())
	case len(f.services.value) == 0:
		return cannot(errors.New("the list of Services has not even that of the API server: it cannot be told which load balancers have none"))
	case id == defaultClusterID:
		return Outcome{Level: Skipped, Evidence: bounded(lines), Message: fmt.Sprintf("%s of Services that this cluster does not have: it cannot be told whether they are another cluster's, as the cluster id is the default %q", many, id)}
	default:
		return warning(many+" of Services that are gone: nobody looks after them, and they cost money", fmt.Sprintf(
			"delete it in the cloud by hand, unless another cluster has the cluster id %s too; or name it on a Service with %s: %s, and allow that with --adoption=%s=NAMESPACE/NAME (chart: safety.adoption)",
			f.ids(), annotation.Adopt.Name, ids[0], ids[0]), bounded(lines)...)
	}
}

// orphan says which Services a balancer of this cluster has lost, "" when it may be in use. The first row that fits decides:
//
//	the balancer                                                     an orphan
//	the cloud is deleting it, or it is young                         no
//	names no Service                                                 no
//	names a Service of another cluster, or of none                   no
//	names a Service that keeps it, or its name holds the UID of one  no
//	a Service that keeps one records or publishes it                 no
//	any other                                                        yes
func (f *facts) orphan(b cloud.OwnedBalancer) string {
	young := !b.Created.IsZero() && f.now.Sub(b.Created) < f.Patience
	if b.Deleting || young || len(b.Owners) == 0 || f.isUsed(b) {
		return ""
	}
	var lost []string
	for _, owner := range b.Owners {
		says := f.lost(owner)
		if says == "" {
			return ""
		}
		lost = append(lost, says)
	}
	var at []string
	for _, a := range b.Addresses {
		at = append(at, a.IP+a.Hostname)
	}
	text := b.ID
	if b.Name != b.ID {
		text += fmt.Sprintf(" %q", b.Name)
	}
	if len(at) > 0 {
		text += " at " + strings.Join(at, ", ")
	}
	return text + ": " + strings.Join(lost, "; ")
}

// lost says what became of the Service that an ownership tag names, "" when it keeps its balancer, or is another cluster's.
func (f *facts) lost(owner cloud.Owner) string {
	if !f.us().HasCluster(owner.Cluster) || owner.UID == "" && owner.Name == "" {
		return ""
	}
	name := owner.String()
	if owner.Name == "" {
		name = "with the UID " + owner.UID
	}
	if owner.Cluster != f.Manager.ClusterID {
		name += " of the former cluster id " + owner.Cluster
	}
	namesake := false
	for n := range f.services.value {
		svc := &f.services.value[n]
		named := svc.Namespace == owner.Namespace && svc.Name == owner.Name
		namesake = namesake || named
		switch same := string(svc.UID) == owner.UID || owner.UID == "" && named; {
		case same && f.keeps(svc):
			return ""
		case same:
			return "Service " + name + " asks for none any more, and has no finalizer"
		}
	}
	if namesake {
		return "Service " + name + " is another one by now, the UID was " + owner.UID
	}
	return "Service " + name + " is gone"
}

// isUsed reports whether a Service that keeps its balancer records or publishes this one, or has its UID in the name of it.
func (f *facts) isUsed(b cloud.OwnedBalancer) bool {
	return slices.ContainsFunc(f.services.value, func(svc corev1.Service) bool {
		return f.keeps(&svc) && (ownership.IsInName(b.Name, cloud.Owner{UID: string(svc.UID)}) || f.records(&svc, b) || publishes(&svc, b))
	})
}

// keeps reports whether somebody looks after the balancer of a Service: it asks for one, or its deletion waits.
func (f *facts) keeps(svc *corev1.Service) bool {
	return handover.SignsOf(f.Cloud).Wanted(svc) || servicehelper.HasLBFinalizer(svc)
}

// records reports whether an annotation of a Service has the id of a balancer. The record of a creation counts for nothing: whoever
// edits the Service can write it, and what was made for the Service says so in its tags.
func (f *facts) records(svc *corev1.Service, b cloud.OwnedBalancer) bool {
	values, _ := f.Cloud.Annotations.Parse(svc.Annotations)
	ids := []string{annotation.Adopt.In(values)}
	if name := f.Cloud.Descriptor.IDAnnotation; name != "" {
		ids = append(ids, svc.Annotations[name])
	}
	return slices.Contains(ids, b.ID)
}

// publishes reports whether the status of a Service has an address of a balancer. Host names count: nothing is done because of it.
func publishes(svc *corev1.Service, b cloud.OwnedBalancer) bool {
	return status.Publishes(svc, cloud.Observed{Addresses: b.Addresses}) || slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool {
		return i.Hostname != "" && slices.ContainsFunc(b.Addresses, func(a cloud.BalancerAddress) bool { return a.Hostname == i.Hostname })
	})
}

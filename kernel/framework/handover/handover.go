// Package handover says which Services are another controller's, and what of such a Service is ours all the same: the finalizer
// that the library for controllers of Services puts, and an address in the status. Both have one name for everybody.
package handover

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Signs are what tells Services of this cloud from those of other controllers. Those of no cloud are the zero value.
type Signs struct {
	idAnnotation string
	// others are the keys that hand a Service over.
	others annotation.Set
}

// SignsOf returns those of a cloud.
func SignsOf(c *run.Cloud) Signs {
	s := Signs{idAnnotation: c.Descriptor.IDAnnotation}
	for _, key := range c.Annotations {
		if len(key.OtherController) > 0 {
			s.others = append(s.others, key)
		}
	}
	return s
}

// Foreign reports whether the Service itself says that another controller serves it: by its loadBalancerClass, or by an annotation.
// A configured default of such an annotation does not count: it would give up the load balancers of all Services at once.
func (s Signs) Foreign(svc *corev1.Service) bool {
	if svc.Spec.LoadBalancerClass != nil {
		return true
	}
	if len(s.others) == 0 || svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return false
	}
	values, _ := s.others.Parse(svc.Annotations)
	return s.others.HandOver(values)
}

// Wanted reports whether the Service is served by us, or would be if it were not being deleted.
func (s Signs) Wanted(svc *corev1.Service) bool {
	return svc.Spec.Type == corev1.ServiceTypeLoadBalancer && !s.Foreign(svc)
}

// Proven reports whether the Service proves that the finalizer it has was put for a load balancer of ours. Only the cloud knows
// otherwise. Anybody can write an annotation, and one may be left of a load balancer that is long gone. It counts where nothing else
// is known.
//
//	the managed fields say that the finalizer  a creation or an id
//	was put by                                 is recorded          proven
//	controller managers of clouds              -                    yes
//	anybody else, also beside one              -                    no
//	nobody                                     yes                  yes
//	nobody                                     no                   no
func (s Signs) Proven(svc *corev1.Service) bool {
	if managers := FinalizerManagers(svc); len(managers) > 0 {
		return !slices.ContainsFunc(managers, func(name string) bool { return !isController(name) })
	}
	return creation.Of(svc) != nil || s.idAnnotation != "" && strings.TrimSpace(svc.Annotations[s.idAnnotation]) != ""
}

// Published reports whether controller managers of clouds alone wrote the address in the status of the Service.
func Published(svc *corev1.Service) bool {
	managers := managersOf(svc, ingressField)
	return len(svc.Status.LoadBalancer.Ingress) > 0 && len(managers) > 0 &&
		!slices.ContainsFunc(managers, func(name string) bool { return !isController(name) })
}

// isController reports whether a manager of fields is a controller manager of a cloud: this program, or one that was there before it.
// They serve the same Services, so that of two at a time one would be too many.
func isController(manager string) bool {
	return strings.HasSuffix("-"+manager, "-cloud-controller-manager") || manager == "kube-controller-manager"
}

// What managed fields call the finalizer, and the addresses in the status.
const (
	finalizerField = `v:\"` + servicehelper.LoadBalancerCleanupFinalizer + `\"`
	ingressField   = `"f:ingress"`
)

// FinalizerManagers are those who put the finalizer, by what the API server noted. They are sorted.
func FinalizerManagers(svc *corev1.Service) []string { return managersOf(svc, finalizerField) }

func managersOf(svc *corev1.Service, field string) (names []string) {
	for _, entry := range svc.ManagedFields {
		if entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), field) {
			names = append(names, entry.Manager)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Kept are the managed fields that this package reads, without the others, which are most of a Service's size.
func Kept(svc *corev1.Service) (kept []metav1.ManagedFieldsEntry) {
	for _, entry := range svc.ManagedFields {
		if entry.FieldsV1 == nil {
			continue
		}
		raw := entry.FieldsV1.GetRawString()
		fields := keptFields[[2]bool{strings.Contains(raw, finalizerField), strings.Contains(raw, ingressField)}]
		if fields != nil {
			kept = append(kept, metav1.ManagedFieldsEntry{Manager: entry.Manager, FieldsV1: fields})
		}
	}
	return kept
}

// keptFields are the two fields: the finalizer, and the addresses.
var keptFields = map[[2]bool]*metav1.FieldsV1{
	{true, false}: metav1.NewFieldsV1(`{"f:metadata":{"f:finalizers":{"` + finalizerField + `":{}}}}`),
	{false, true}: metav1.NewFieldsV1(`{"f:status":{"f:loadBalancer":{` + ingressField + `:{}}}}`),
	{true, true}:  metav1.NewFieldsV1(`{"f:metadata":{"f:finalizers":{"` + finalizerField + `":{}}},"f:status":{"f:loadBalancer":{` + ingressField + `:{}}}}`),
}

package doctor

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// held reports whether the controller manager takes the finalizer of a Service away by itself: it serves the Service, or what the Service
// says proves that the finalizer is its own. Without a cloud it is enough that the Service has no loadBalancerClass.
func (f *facts) held(svc *corev1.Service) bool {
	if !servicehelper.HasLBFinalizer(svc) {
		return false
	}
	if f.Cloud == nil {
		return svc.Spec.LoadBalancerClass == nil
	}
	signs := handover.SignsOf(f.Cloud)
	return signs.Wanted(svc) || signs.Proven(svc)
}

// unproven finds Services with a finalizer of which nothing but a load balancer in the cloud would prove that it is ours. That of another
// controller which has put it on a Service of its class is in order, unless the Service is deleted and hangs.
func unproven(f *facts, svc *corev1.Service) []string {
	if !servicehelper.HasLBFinalizer(svc) || f.held(svc) {
		return nil
	}
	managers := handover.FinalizerManagers(svc)
	hangs := svc.DeletionTimestamp != nil && f.now.Sub(svc.DeletionTimestamp.Time) >= f.Patience
	if len(managers) > 0 && svc.Spec.LoadBalancerClass != nil && !hangs {
		return nil
	}
	by := "nobody knows who put it there"
	if len(managers) > 0 {
		by = strings.Join(managers, " and ") + " put it there"
	}
	text := fmt.Sprintf("its finalizer %s is left, because nothing proves that it is ours: %s", servicehelper.LoadBalancerCleanupFinalizer, by)
	if hangs {
		text += fmt.Sprintf(", and the Service was deleted %s ago", f.now.Sub(svc.DeletionTimestamp.Time).Round(time.Second))
	}
	return []string{text}
}

package view

import (
	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// shown returns the Service as the controller sees it, nil when it does not. The copy of another controller's Service
// has no address: the controller would remove it.
func (v *Services) shown(svc *corev1.Service) *corev1.Service {
	foreign, finalizer := v.signs.Foreign(svc), servicehelper.HasLBFinalizer(svc)
	switch {
	case !finalizer && (foreign || svc.DeletionTimestamp != nil):
		return nil
	case !finalizer, v.signs.Wanted(svc):
		return svc
	case !v.finalizerIsOurs(svc):
		return nil
	case !foreign:
		return svc
	}
	leaving := *svc
	leaving.Spec.Type, leaving.Spec.LoadBalancerClass = corev1.ServiceTypeClusterIP, nil
	leaving.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	return &leaving
}

// notice remembers what the Service's next version may not show any more.
func (v *Services) notice(svc *corev1.Service) {
	if v.follower != nil && !servicehelper.HasLBFinalizer(svc) {
		v.follower.Released(svc.UID)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case !servicehelper.HasLBFinalizer(svc):
		delete(v.ours, svc.UID)
	case v.signs.Wanted(svc):
		v.ours[svc.UID] = true
	}
}

// handedOver tells the follower what is left of ours on a Service that we do not serve: an address, and a finalizer of which
// only the cloud knows whether it is ours.
func (v *Services) handedOver(svc *corev1.Service) {
	if v.follower == nil || v.signs.Wanted(svc) {
		return
	}
	if servicehelper.HasLBFinalizer(svc) && !v.finalizerIsOurs(svc) {
		v.follower.Prove(svc)
	}
	if v.signs.Foreign(svc) && svc.DeletionTimestamp == nil && handover.Published(svc) {
		v.follower.Withdraw(svc)
	}
}

func (v *Services) finalizerIsOurs(svc *corev1.Service) bool {
	v.mu.Lock()
	known := v.ours[svc.UID]
	v.mu.Unlock()
	return known || v.signs.Proven(svc) || v.follower != nil && v.follower.Holds(svc.UID)
}

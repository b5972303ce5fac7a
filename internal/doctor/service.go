package doctor

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// judgeServices looks for load balancers that are long in coming. Services with a
// loadBalancerClass are somebody else's, disowned ones nobody's.
func judgeServices(services []corev1.Service, keys annotation.Set, now time.Time) Report {
	const check = "load balancers"
	served := 0
	var waiting []string
	for _, svc := range services {
		values, _ := keys.Parse(svc.Annotations)
		switch {
		case svc.Spec.Type != corev1.ServiceTypeLoadBalancer || svc.Spec.LoadBalancerClass != nil || annotation.Disown.Bool(values):
		case len(svc.Status.LoadBalancer.Ingress) > 0:
			served++
		case now.Sub(svc.CreationTimestamp.Time) > patience:
			waiting = append(waiting, svc.Namespace+"/"+svc.Name)
		}
	}
	report := Report{{Check: check, Level: OK, Message: fmt.Sprintf("%d with an address", served)}}
	if len(waiting) > 0 {
		report = append(report, Finding{
			Check: check, Level: Failure, Message: names(waiting) + ": no address after " + patience.String(),
			Fix: "the reason is in the Service's events: kubectl describe service",
		})
	}
	return report
}

// judgeLeft looks for Services whose finalizer only a controller manager removes.
func judgeLeft(services []corev1.Service) Finding {
	const check = "load balancers"
	var left []string
	for _, svc := range services {
		if svc.Spec.LoadBalancerClass == nil && slices.Contains(svc.Finalizers, servicehelper.LoadBalancerCleanupFinalizer) {
			left = append(left, svc.Namespace+"/"+svc.Name)
		}
	}
	if len(left) == 0 {
		return Finding{Check: check, Level: OK, Message: "none is left behind"}
	}
	return Finding{
		Check: check, Level: Failure,
		Message: names(left) + ": left behind, their balancers cost money and are no longer updated, and deleting the Services hangs",
		Fix:     "delete the Services first, or uninstall with --no-hooks when another cloud controller manager takes over",
	}
}

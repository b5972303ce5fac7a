package doctor

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

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

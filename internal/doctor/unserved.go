package doctor

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// judgeUnserved looks for Services that ask for a load balancer where nobody here makes any. It is about clusters in which
// nothing is done about Services; for others there are the checks above.
func judgeUnserved(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	if f.balances() {
		return fine("the service controller runs")
	}
	var list []string
	for n := range f.services.value {
		if svc := &f.services.value[n]; unserved(f, svc) {
			list = append(list, serviceName(svc))
		}
	}
	if len(list) == 0 {
		return fine("no Service waits for a load balancer that nobody makes")
	}
	why, fix := notServing(f)
	return failure(fmt.Sprintf("%s of type LoadBalancer that nobody serves, because %s", plural(len(list), "Service"), why), fix, bounded(list)...)
}

// unserved reports whether a Service asks for a load balancer, and nothing shows that somebody makes it. The first row that fits
// decides:
//
//	the Service                                        unserved
//	is of another type, of a class, disowned, or       no
//	 is being deleted
//	says by an annotation that another one serves it   no
//	has an address                                     no
//	has a finalizer: who put it serves it              no
//	is young                                           not yet
//	any other                                          yes
func unserved(f *facts, svc *corev1.Service) bool {
	served := len(svc.Status.LoadBalancer.Ingress) > 0 || len(svc.Finalizers) > 0
	return f.wants(svc) && handover.SignsOf(f.Cloud).Wanted(svc) && !served && f.now.Sub(svc.CreationTimestamp.Time) > f.Patience
}

// notServing says why nothing is done about Services, and what would serve them.
func notServing(f *facts) (why, fix string) {
	const others = "a controller that makes load balancers without the cloud, such as MetalLB or kube-vip"
	switch can := f.Cloud.Descriptor.Capabilities; {
	case isOffline(f):
		return "with " + f.Cloud.Name + " others make load balancers", "install what serves them: MetalLB, kube-vip or Cilium; on k3s leave its ServiceLB on; or give them another type, such as NodePort"
	case !can.Balancers:
		return f.Cloud.Name + " has no load balancers in this program", fmt.Sprintf(
			"install what serves them: the cloud's own controller manager with its service controller alone (--controllers=service-lb-controller), or %s; or give them another type, such as NodePort", others)
	case f.Cloud.Balancers == nil:
		return "the configuration of " + f.Cloud.Name + " switches load balancers off", fmt.Sprintf("switch them on: %s has the setting; or install %s", settingsPage, others)
	}
	return "the service controller does not run", fmt.Sprintf("run it: --controllers=* (chart: controllers.service.enabled); or install %s", others)
}

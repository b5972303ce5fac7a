package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// rivals are controllers that give Services of type LoadBalancer addresses on their own: the
// managers under which they write, and what they are called.
var rivals = map[string]string{
	"k3s": "the ServiceLB of k3s", "rke2": "the ServiceLB of RKE2", "metallb-controller": "MetalLB", "kube-vip": "kube-vip", "kube-vip-cloud-provider": "kube-vip", "purelb": "PureLB", "cilium-operator": "Cilium's LB-IPAM",
	"cilium-operator-generic": "Cilium's LB-IPAM", "openelb-manager": "OpenELB",
}

// contested finds Services that another controller keeps from being served by us, or by anybody.
func contested(f *facts, svc *corev1.Service) []string {
	if svc.Spec.Type != corev1.ServiceTypeLoadBalancer || svc.DeletionTimestamp != nil {
		return nil
	}
	served := len(svc.Status.LoadBalancer.Ingress) > 0
	if class := svc.Spec.LoadBalancerClass; class != nil {
		if served || f.now.Sub(svc.CreationTimestamp.Time) < f.Patience {
			return nil
		}
		return []string{fmt.Sprintf("its loadBalancerClass %s belongs to another controller, which has not served it", *class)}
	}
	if !f.wants(svc) {
		return nil
	}
	if says := rival(svc); says != "" {
		return []string{says}
	}
	return f.conflict(svc)
}

// rival says which other controller wrote the status of a Service, "" when none did.
func rival(svc *corev1.Service) string {
	for _, entry := range svc.ManagedFields {
		name, known := rivals[entry.Manager]
		if known && entry.Subresource == "status" && entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), "f:loadBalancer") && len(svc.Status.LoadBalancer.Ingress) > 0 {
			return fmt.Sprintf("%s wrote its address %s", name, address(svc))
		}
	}
	return ""
}

// conflict says whose load balancer a Service asks for, where the plan knows that it is not its own, and that it has several.
func (f *facts) conflict(svc *corev1.Service) []string {
	for n := range f.events.value {
		e := &f.events.value[n]
		if e.Reason == event.DuplicateFound.Name && e.InvolvedObject.UID == svc.UID && f.now.Sub(inspect.EventTime(e)) < recent {
			return []string{e.Message}
		}
	}
	for _, cast := range f.forecasts {
		for _, w := range cast.entry.Warnings {
			if cast.service == svc && w.Reason == event.OwnershipConflict.Name {
				return []string{w.Message}
			}
		}
	}
	return nil
}

const (
	// recent is how old an event may be to be about now.
	recent = time.Hour
	// refusalText is what the kernel says of a change that the cloud refused for lack of rights.
	refusalText = "the cloud refuses the credentials"
)

func address(svc *corev1.Service) string {
	first := svc.Status.LoadBalancer.Ingress[0]
	return first.IP + first.Hostname
}

// judgeReadOnly looks for refusals of writes while reads succeed. Only what the controller manager said
// shows that: the doctor writes nothing.
func judgeReadOnly(f *facts) Outcome {
	if err := f.sky.unknown(); err != nil {
		return cannot(err)
	}
	if f.events.err != nil {
		return cannot(f.events.err)
	}
	var evidence []string
	for n := range f.events.value {
		e := &f.events.value[n]
		o := e.InvolvedObject
		if !strings.Contains(e.Message, refusalText) || f.now.Sub(inspect.EventTime(e)) >= recent {
			continue
		}
		switch {
		case o.Kind == "Service":
			evidence = append(evidence, fmt.Sprintf("Service %s/%s: %s: %s", o.Namespace, o.Name, e.Reason, e.Message))
		case e.Reason == "FailedToCreateRoute":
			evidence = append(evidence, fmt.Sprintf("Node %s: %s: %s", o.Name, e.Reason, e.Message))
		}
	}
	if len(evidence) > 0 {
		return failure("the credentials may read and not write", "", bounded(evidence)...)
	}
	return fine("no event says that the cloud refused a change")
}

// judgePorts looks for node ports that the cloud's firewall keeps shut.
func judgePorts(f *facts) Outcome {
	if f.events.err != nil {
		return cannot(f.events.err)
	}
	var evidence []string
	for n := range f.events.value {
		e := &f.events.value[n]
		if slices.Contains([]string{event.FirewallFull.Name, event.FirewallPortDenied.Name}, e.Reason) && f.now.Sub(inspect.EventTime(e)) < recent {
			evidence = append(evidence, fmt.Sprintf("Service %s/%s: %s: %s", e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Reason, e.Message))
		}
	}
	if len(evidence) > 0 {
		return failure("the cloud's firewall keeps ports of Services shut", "", bounded(evidence)...)
	}
	return fine("no event says that the firewall keeps a port shut")
}

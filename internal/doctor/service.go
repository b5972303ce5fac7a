package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	controllernames "k8s.io/cloud-provider/names"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// forecast is the plan of a Service that waits for an address, or of which a failure was recorded.
type forecast struct {
	service *corev1.Service
	entry   plan.Entry
}

// The most Services of either kind for which the cloud is asked: those that wait for an address, and those of which a failure was recorded.
const (
	mostForecasts = 2
	mostOverdue   = 5
)

// forecasts plans a few of these Services: the plan says what keeps them.
func forecasts(ctx context.Context, f *facts) []forecast {
	if f.Cloud == nil {
		return nil
	}
	waiting, _ := f.waitingForCloud()
	overdue := f.overdue()
	planned := slices.Concat(waiting[:min(len(waiting), mostForecasts)], overdue[:min(len(overdue), mostOverdue)])
	if len(planned) == 0 || f.sky.unknown() != nil || f.nodes.err != nil {
		return nil
	}
	inspector := f.inspector()
	var list []forecast
	for _, svc := range planned {
		list = append(list, forecast{svc, inspector.Service(ctx, svc)})
	}
	return list
}

// wants reports whether a Service asks us for a load balancer. Those with a loadBalancerClass are
// somebody else's, disowned ones nobody's.
func (f *facts) wants(svc *corev1.Service) bool {
	if svc.Spec.Type != corev1.ServiceTypeLoadBalancer || svc.Spec.LoadBalancerClass != nil || svc.DeletionTimestamp != nil {
		return false
	}
	values, _ := f.Cloud.Annotations.Parse(svc.Annotations)
	return !annotation.Disown.Bool(values)
}

// balances reports whether anything is done about Services.
func (f *facts) balances() bool { return f.runs(controllernames.ServiceLBController) }

// asking are the Services that ask us for a load balancer and fit.
func (f *facts) asking(fits func(*corev1.Service) bool) []*corev1.Service {
	var list []*corev1.Service
	if !f.balances() {
		return nil
	}
	for n := range f.services.value {
		if svc := &f.services.value[n]; f.wants(svc) && fits(svc) {
			list = append(list, svc)
		}
	}
	return list
}

// aboutServices makes a check of something that can be wrong with each Service by itself.
func aboutServices(level Level, what, well string, find func(*facts, *corev1.Service) []string) func(*facts) Outcome {
	return func(f *facts) Outcome {
		if err := f.servicesKnown(); err != nil {
			return cannot(err)
		}
		if !f.balances() {
			return fine("%s", unbalanced(f))
		}
		var found []string
		wrong := 0
		for n := range f.services.value {
			svc := &f.services.value[n]
			says := find(f, svc)
			if len(says) > 0 {
				wrong++
			}
			for _, line := range says {
				found = append(found, serviceName(svc)+": "+line)
			}
		}
		if wrong > 0 {
			return Outcome{Level: level, Message: plural(wrong, "Service") + " " + what, Evidence: bounded(found)}
		}
		return fine("%s", well)
	}
}

func (f *facts) servicesKnown() error {
	switch {
	case f.services.err != nil:
		return f.services.err
	case f.Cloud == nil:
		return fmt.Errorf("what is done for Services depends on the provider: %w", notStarted(&f.sky))
	}
	return nil
}

func first(all ...string) string {
	for _, text := range all {
		if text != "" {
			return text
		}
	}
	return ""
}

// lastWarning is the newest warning about an object that says what is wrong.
func (f *facts) lastWarning(kind, namespace, name string) string {
	newest := inspect.LatestEvent(f.events.value, func(e *corev1.Event) bool {
		o := e.InvolvedObject
		return o.Kind == kind && o.Namespace == namespace && o.Name == name && !strings.HasSuffix(e.Message, balancer.SaidElsewhere)
	})
	if newest == nil {
		return ""
	}
	return newest.Reason + ": " + newest.Message
}

// unsupported finds what a Service asks for and the cloud does not have.
func unsupported(f *facts, svc *corev1.Service) []string {
	if !f.wants(svc) {
		return nil
	}
	can := f.Cloud.Descriptor.Capabilities
	leavesOut := func(p corev1.ServicePort) bool {
		return slices.Contains(can.LeavesOut, cloud.ProtocolOf(string(p.Protocol)))
	}
	others := slices.ContainsFunc(svc.Spec.Ports, func(p corev1.ServicePort) bool { return !leavesOut(p) })
	var list []string
	if len(svc.Spec.LoadBalancerSourceRanges) > 0 && !can.SourceRanges {
		list = append(list, fmt.Sprintf("spec.loadBalancerSourceRanges is %s, and %s cannot restrict clients: %s", strings.Join(svc.Spec.LoadBalancerSourceRanges, ","), f.Cloud.Name, consequence(svc)))
	}
	for n, port := range svc.Spec.Ports {
		left := others && leavesOut(port)
		if !slices.Contains(can.Protocols, cloud.ProtocolOf(string(port.Protocol))) {
			so := consequence(svc)
			if left {
				so = "this port is left out"
			}
			list = append(list, fmt.Sprintf("spec.ports[%d].protocol is %s, and %s has %s: %s", n, port.Protocol, f.Cloud.Name, protocols(can.Protocols), so))
		}
		if can.NodePorts && port.NodePort == 0 && !left {
			list = append(list, fmt.Sprintf("spec.ports[%d] has no node port, which %s needs, as spec.allocateLoadBalancerNodePorts is false: %s", n, f.Cloud.Name, consequence(svc)))
		}
	}
	for _, p := range mistakesOf(f, svc).driver {
		if ofSpec(p) {
			list = append(list, p.Message)
		}
	}
	return list
}

// consequence is what a Service that asks for more than the cloud has comes to.
func consequence(svc *corev1.Service) string {
	if len(svc.Status.LoadBalancer.Ingress) > 0 {
		return "its load balancer stays as it is, and only follows the nodes"
	}
	return "it gets no load balancer"
}

func protocols(list []cloud.Protocol) string {
	var names []string
	for _, p := range list {
		names = append(names, string(p))
	}
	return strings.Join(names, " and ")
}

// stuck finds Services that are being deleted and whose finalizer nobody takes away.
func stuck(f *facts, svc *corev1.Service) []string {
	if svc.DeletionTimestamp == nil || f.now.Sub(svc.DeletionTimestamp.Time) < f.Patience || !f.held(svc) {
		return nil
	}
	return []string{fmt.Sprintf("deleted %s ago, and its finalizer %s is still there; %s", f.now.Sub(svc.DeletionTimestamp.Time).Round(time.Second),
		servicehelper.LoadBalancerCleanupFinalizer, first(f.lastWarning("Service", svc.Namespace, svc.Name), "no event says why"))}
}

// judgeLeft looks for Services whose finalizer only a controller manager removes.
func judgeLeft(f *facts) Outcome {
	if f.services.err != nil {
		return Outcome{Level: Failure, Message: f.services.err.Error(), Fix: "run it with the right to list services: as long as it is not known what is left, do not uninstall"}
	}
	var left []string
	for n := range f.services.value {
		svc := &f.services.value[n]
		if f.held(svc) || svc.Spec.LoadBalancerClass == nil && servicehelper.HasLBFinalizer(svc) {
			left = append(left, serviceName(svc))
		}
	}
	if len(left) == 0 {
		return fine("no load balancer is left behind")
	}
	return failure(names(left)+": left behind, their balancers cost money and are no longer updated, and deleting the Services hangs", "", bounded(left)...)
}

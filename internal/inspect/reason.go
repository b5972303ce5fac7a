package inspect

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// standing are the annotations that say whose a balancer is and whether it is touched at all, and
// not how it shall be. Without them the plan would be one for another balancer.
var standing = []string{
	annotation.Adopt.Name, annotation.Disown.Name, annotation.Retain.Name, annotation.AllowReplacement.Name,
}

// explained returns the operations, each with a reason. Which annotation or field of the Service
// a change is due to is found out by planning without it: what is different then, it was for.
func (i *Inspector) explained(ctx context.Context, svc *corev1.Service, operations []cloud.Operation) []cloud.Operation {
	operations = slices.Clone(operations)
	var open []int
	for n, op := range operations {
		switch {
		case op.Reason != "":
		case mayHaveSeveral(op):
			open = append(open, n)
		default:
			operations[n].Reason = simpleReason(op)
		}
	}
	if len(open) == 0 {
		return operations
	}
	for _, probe := range i.probes(svc) {
		forecast, err := i.balancers.Forecast(ctx, probe.without, i.targets())
		if err != nil && len(forecast.Plan.Operations) == 0 {
			continue // nothing can be learnt without it
		}
		for _, n := range open {
			if op := &operations[n]; op.Reason == "" && !has(forecast.Plan.Operations, *op) {
				op.Reason = probe.source
			}
		}
	}
	for _, n := range open {
		if op := &operations[n]; op.Reason == "" {
			op.Reason = unasked(*op)
		}
	}
	return operations
}

// probe is the Service without one thing it asks for.
type probe struct {
	source  string
	without *corev1.Service
}

// probes are all that the Service could ask for less.
func (i *Inspector) probes(svc *corev1.Service) []probe {
	var probes []probe
	add := func(source string, change func(*corev1.Service)) {
		without := svc.DeepCopy()
		change(without)
		probes = append(probes, probe{source, without})
	}
	for _, key := range i.cloud.Annotations {
		if slices.Contains(standing, key.Name) || key.Name == i.cloud.Descriptor.IDAnnotation {
			continue
		}
		for _, spelling := range slices.Compact(key.Spellings()) {
			if _, ok := svc.Annotations[spelling]; ok {
				add("annotation "+spelling, func(s *corev1.Service) { delete(s.Annotations, spelling) })
			}
		}
	}
	if len(svc.Spec.LoadBalancerSourceRanges) > 0 {
		add("spec.loadBalancerSourceRanges", func(s *corev1.Service) { s.Spec.LoadBalancerSourceRanges = nil })
	}
	if svc.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		add("spec.externalTrafficPolicy", func(s *corev1.Service) {
			s.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
		})
	}
	if svc.Spec.SessionAffinity == corev1.ServiceAffinityClientIP {
		add("spec.sessionAffinity", func(s *corev1.Service) { s.Spec.SessionAffinity = corev1.ServiceAffinityNone })
	}
	if svc.Spec.LoadBalancerIP != "" {
		add("spec.loadBalancerIP", func(s *corev1.Service) { s.Spec.LoadBalancerIP = "" })
	}
	return probes
}

// has reports whether the operations have one with the same effect.
func has(operations []cloud.Operation, op cloud.Operation) bool {
	return slices.ContainsFunc(operations, func(o cloud.Operation) bool {
		return o.Verb == op.Verb && o.Kind == op.Kind && o.Key == op.Key && o.Field == op.Field && o.After == op.After
	})
}

// mayHaveSeveral reports whether one of several things that a Service asks for may be the reason of an operation. What
// some drivers write into ownership tags is due to an annotation too, and still the tags are about the owner.
func mayHaveSeveral(op cloud.Operation) bool {
	shape := op.Kind == cloud.KindBalancer || op.Kind == cloud.KindListener
	return shape && op.Verb == cloud.Update && op.Field != cloud.FieldOwnershipTags
}

// unasked is the reason of an update for which the Service has no annotation and no field of its own.
func unasked(op cloud.Operation) string {
	if op.Kind == cloud.KindListener && slices.Contains([]string{"protocol", "targetProtocol", "targetPort"}, op.Field) {
		return "spec.ports says so, and nothing else on the Service"
	}
	return "the default: nothing on the Service asks for another value"
}

// simpleReason is that of an operation which can have one only.
func simpleReason(op cloud.Operation) string {
	switch {
	case op.Kind == cloud.KindTarget && op.Verb == cloud.Create:
		return "a node of the cluster that is none of its targets yet"
	case op.Kind == cloud.KindTarget:
		return "no node that balancers may use has this machine"
	case op.Kind == cloud.KindListener && op.Verb == cloud.Delete:
		return "spec.ports has no such port"
	case op.Kind == cloud.KindListener && op.Verb == cloud.Create:
		return "spec.ports has it"
	case op.Kind == cloud.KindBalancer && op.Verb == cloud.Create:
		return "the Service has no load balancer"
	case op.Field == cloud.FieldOwnershipTags:
		return "says whose it is"
	}
	return "the load balancer's plan has it"
}

package doctor

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// failures are the reasons of events which say that a load balancer is not as its Service asks.
var failures = []string{
	"SyncLoadBalancerFailed", "UpdateLoadBalancerFailed", // of k8s.io/cloud-provider
	event.InvalidConfiguration.Name, event.ImmutableChange.Name, event.ReplacementRefused.Name, event.OwnershipConflict.Name, event.CloudFailure.Name,
}

// overdue are Services with an address of which such an event was recorded a short time ago.
func (f *facts) overdue() []*corev1.Service {
	return f.asking(func(svc *corev1.Service) bool {
		return len(svc.Status.LoadBalancer.Ingress) > 0 && slices.ContainsFunc(f.events.value, func(e corev1.Event) bool {
			return e.InvolvedObject.UID == svc.UID && slices.Contains(failures, e.Reason) && f.now.Sub(inspect.EventTime(&e)) < recent
		})
	})
}

// judgeChanges looks at the plans of Services with an address: what is in a plan has not been done.
func judgeChanges(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	if f.events.err != nil {
		return cannot(f.events.err)
	}
	if !f.balances() {
		return fine("%s", unbalanced(f))
	}
	var list, evidence []string
	for _, cast := range f.forecasts {
		if undone := cast.undone(); undone != "" && len(cast.service.Status.LoadBalancer.Ingress) > 0 {
			list = append(list, serviceName(cast.service))
			evidence = append(evidence, serviceName(cast.service)+": "+undone)
			if says := f.lastWarning("Service", cast.service.Namespace, cast.service.Name); says != "" {
				evidence = append(evidence, serviceName(cast.service)+": event "+says)
			}
		}
	}
	if len(list) == 0 {
		return fine("no Service with a failure in the last hour waits for a change")
	}
	return failure(fmt.Sprintf("%s with an address, but not as asked for: %s", plural(len(list), "Service"), names(list)), "", bounded(evidence)...)
}

// undone is what keeps the load balancer of a Service from being as the Service asks, "" when it is.
func (c forecast) undone() string {
	if err := c.entry.Error; err != nil {
		return err.Message
	}
	for _, op := range c.entry.Operations {
		switch {
		case op.Blocked != "":
			return plan.Describe(op) + ": " + op.Blocked
		case op.Field != cloud.FieldOwnershipTags: // these follow --cluster-name, which the doctor may have been started without
			return "still to be done: " + plan.Describe(op)
		}
	}
	return ""
}

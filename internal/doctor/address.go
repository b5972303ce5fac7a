package doctor

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// waiting are Services that have had no address for long.
func (f *facts) waiting() []*corev1.Service {
	return f.asking(func(svc *corev1.Service) bool {
		return len(svc.Status.LoadBalancer.Ingress) == 0 && f.now.Sub(svc.CreationTimestamp.Time) > f.Patience
	})
}

// waitingForCloud are those of waiting that are served as soon as the cloud does, and those that ask for something that is refused.
func (f *facts) waitingForCloud() (waiting, refused []*corev1.Service) {
	for _, svc := range f.waiting() {
		if isRefused(f, svc) {
			refused = append(refused, svc)
		} else {
			waiting = append(waiting, svc)
		}
	}
	return waiting, refused
}

// judgeAddresses looks for load balancers that are long in coming, and says what the plan says.
func judgeAddresses(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	if !f.balances() {
		return fine("%s", unbalanced(f))
	}
	waiting, refused := f.waitingForCloud()
	if len(waiting) == 0 && len(refused) > 0 {
		return fine("%s", elsewhereTold(refused)[0])
	}
	if len(waiting) == 0 {
		served := f.asking(func(svc *corev1.Service) bool { return len(svc.Status.LoadBalancer.Ingress) > 0 })
		return fine("%d with an address", len(served))
	}
	var list, evidence, fixes []string
	for _, cast := range f.forecasts {
		if !slices.Contains(waiting, cast.service) {
			continue
		}
		says, advice := cast.says()
		evidence = append(evidence, serviceName(cast.service)+": "+says)
		fixes = append(fixes, advice)
	}
	for _, svc := range waiting {
		list = append(list, serviceName(svc))
		if says := f.lastWarning("Service", svc.Namespace, svc.Name); says != "" {
			evidence = append(evidence, serviceName(svc)+": event "+says)
		}
	}
	evidence = append(bounded(evidence), elsewhereTold(refused)...)
	fix := ""
	if len(unique(fixes...)) == 1 { // what is right for one Service may be wrong for another
		fix = fixes[0]
	}
	return failure(f.late(plural(len(waiting), "Service"), "without address")+": "+names(list), fix, evidence...)
}

// says is the first thing that keeps a Service from being served, and what to do about it.
func (c forecast) says() (text, fix string) {
	if err := c.entry.Error; err != nil {
		return err.Message, ""
	}
	for _, w := range c.entry.Warnings {
		if w.Reason != event.ConfigurationIgnored.Name && w.Reason != event.Unaffected.Name {
			return w.Reason + ": " + w.Message, ""
		}
	}
	for _, op := range c.entry.Operations {
		if op.Blocked != "" {
			return plan.Describe(op) + ": " + op.Blocked, ""
		}
	}
	if n := len(c.entry.Operations); n > 0 {
		return fmt.Sprintf("nothing speaks against it: %s to be done, the first to %s", plural(n, "step"), plan.Describe(c.entry.Operations[0])),
			"the controller manager has not done it: see whether it leads, and its log"
	}
	return "the load balancer is as it should be, and the cloud shows no address yet", "wait, and see the load balancer in the cloud"
}

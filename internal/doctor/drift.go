package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// The bounds of the search for drift: how many Services are planned, how many of them at a time, and for how long.
const (
	mostPlanned     = 500
	plannedTogether = 50
	planningTime    = 40 * time.Second
)

// drift is what the plans of Services with an address say.
type drift struct {
	// services is how many there are to be planned, planned how many of them were.
	services, planned int
	// unsettled is how many others have an address.
	unsettled int
	// differing have something left to be done, which is all that is left of their operations.
	differing []forecast
	// failed have an error and nothing to be done.
	failed []forecast
}

// drifted plans the Services with an address. Their load balancers are read from bulk lists where the cloud has them, and what
// was read of them a moment ago is not read again. When the cloud fails it is asked no further.
func drifted(ctx context.Context, f *facts) (d drift) {
	list := settled(f)
	d.services = len(list)
	d.unsettled = len(f.asking(func(svc *corev1.Service) bool { return len(svc.Status.LoadBalancer.Ingress) > 0 })) - len(list)
	if len(list) == 0 || f.sky.unknown() != nil || f.nodes.err != nil {
		return d
	}
	ctx, cancel := context.WithTimeout(ctx, planningTime)
	defer cancel()
	isExpected := expected(f)
	for batch := range slices.Chunk(list[:min(len(list), mostPlanned)], plannedTogether) {
		entries := f.inspector().Plans(ctx, batch)
		if ctx.Err() != nil {
			break
		}
		goOn := false
		for n, entry := range entries {
			entry.Operations = slices.DeleteFunc(entry.Operations, isExpected)
			goOn = d.add(forecast{batch[n], entry}) || goOn
		}
		if !goOn {
			break
		}
	}
	return d
}

// add counts a plan, and reports whether the cloud answered.
func (d *drift) add(c forecast) bool {
	d.planned++
	switch {
	case len(c.entry.Operations) > 0:
		d.differing = append(d.differing, c)
	case c.entry.Error != nil:
		d.failed = append(d.failed, c)
		return c.entry.Error.Class == cloud.FailureInvalid
	}
	return true
}

// settled are the Services whose load balancers ought to be as they ask: those with an address, but for those that
//
//	were changed less than the patience ago    the controller manager may be at it
//	have a balancer that the cloud works on    the same
//	service-change-missing names               they are named there
func settled(f *facts) []*corev1.Service {
	return f.asking(func(svc *corev1.Service) bool {
		return len(svc.Status.LoadBalancer.Ingress) > 0 && f.now.Sub(changed(svc)) > f.Patience &&
			!slices.Contains(f.clusters.pending, svc) &&
			!slices.ContainsFunc(f.forecasts, func(c forecast) bool { return c.service == svc && c.undone() != "" })
	})
}

// changed is when somebody last wrote the Service, but for its status.
func changed(svc *corev1.Service) time.Time {
	at := svc.CreationTimestamp.Time
	for _, entry := range svc.ManagedFields {
		if entry.Time != nil && entry.Subresource == "" && entry.Time.After(at) {
			at = entry.Time.Time
		}
	}
	return at
}

// expected returns which operations say nothing about drift:
//
//	a target is missing, and its Node joined     the controller manager may be at it
//	 less than the patience ago
//	a target is one too many, and its Node is    the plan does not know that Node: see facts.cluster
//	 there, though its machine is not known
//	ownership tags, when it is not known which   they follow the id
//	 id the cluster has
func expected(f *facts) func(cloud.Operation) bool {
	nodes := map[string]*corev1.Node{}
	for _, node := range f.nodes.value {
		if machine, known := f.sky.of[node.Name]; known {
			nodes[string(machine.ID)] = node
		} else if id, err := instance.ID(f.Cloud, node); err == nil {
			nodes[string(id)] = node
		}
	}
	return func(op cloud.Operation) bool {
		node := nodes[op.Key]
		switch {
		case op.Field == cloud.FieldOwnershipTags:
			return f.isDefault() && !f.Manager.Known
		case op.Kind != cloud.KindTarget || node == nil:
			return false
		case op.Verb == cloud.Create:
			return f.now.Sub(joined(node)) < f.Patience
		}
		_, known := f.sky.of[node.Name]
		return op.Verb == cloud.Delete && !known
	}
}

// joined is when a Node was last new: registered, or Ready again.
func joined(node *corev1.Node) time.Time {
	at := node.CreationTimestamp.Time
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.LastTransitionTime.After(at) {
			at = c.LastTransitionTime.Time
		}
	}
	return at
}

// judgeDrift says which load balancers differ from what the controller manager would make of them now. The first row that fits
// decides:
//
//	plans                                             outcome
//	something to be done, by a controller manager     failure
//	nothing but ownership tags to be written by it    warning
//	something to be done, by nobody yet               warning
//	some could not be made                            not known
//	any others                                        ok
func judgeDrift(f *facts) Outcome {
	if err := f.servicesKnown(); err != nil {
		return cannot(err)
	}
	if !f.balances() {
		return fine("%s", unbalanced(f))
	}
	if err := f.sky.unknown(); err != nil {
		return cannot(err)
	}
	if f.nodes.err != nil {
		return cannot(f.nodes.err)
	}
	d := f.drift
	switch {
	case len(d.differing) > 0:
		return d.outcome(f)
	case d.planned == 0 && d.services > 0:
		return cannot(fmt.Errorf("no plan was made within %s", planningTime))
	case len(d.failed) > 0 && len(f.clusters.conflicts) > 0 && f.isDefault():
		return cannot(errors.New("the load balancers that Services name may not be this cluster's, see service-cluster"))
	case len(d.failed) > 0:
		return cannot(fmt.Errorf("%s could not be planned: %s%s", plural(len(d.failed), "Service"), d.failed[0].failure(), d.rest()))
	case d.planned == 0:
		return fine("no load balancer to compare%s", d.rest())
	}
	return fine("%s as asked for%s", plural(d.planned, "load balancer"), d.rest())
}

// rest says how many Services were not looked at, "" when all were.
func (d drift) rest() (text string) {
	if left := d.services - d.planned; left > 0 {
		text = fmt.Sprintf("; not looked at: %d of %s, cloud-controller-manager plan looks at all", left, plural(d.services, "Service"))
	}
	if d.unsettled > 0 {
		text += fmt.Sprintf("; left out: %s, just changed, or with a change that the cloud works on or that service-change-missing names", plural(d.unsettled, "Service"))
	}
	return text
}

func (c forecast) failure() string {
	return serviceName(c.service) + ": " + clipped(c.entry.Error.Message)
}

// outcome names the Services whose load balancers differ.
func (d drift) outcome(f *facts) Outcome {
	var list, lines []string
	tagsOnly := true
	for _, c := range d.differing {
		list = append(list, serviceName(c.service))
		lines = append(lines, serviceName(c.service)+": "+firstOf(c.entry.Operations))
		tagsOnly = tagsOnly && !slices.ContainsFunc(c.entry.Operations, func(op cloud.Operation) bool { return op.Field != cloud.FieldOwnershipTags })
	}
	lines = bounded(lines)
	if len(d.failed) > 0 {
		lines = append(lines, fmt.Sprintf("%s could not be planned: %s", plural(len(d.failed), "Service"), d.failed[0].failure()))
	}
	o := Outcome{
		Level: Failure, Evidence: lines, Fix: repairs(f, d.differing),
		Message: fmt.Sprintf("%s with a load balancer that is not as asked for: %s%s", plural(len(list), "Service"), names(list), d.rest()),
	}
	if tagsOnly || f.Manager.DryRun || !f.Manager.Known {
		o.Level = Warning
	}
	return o
}

// repairs says who makes the changes that are left, and when.
func repairs(f *facts, differing []forecast) string {
	svc := differing[0].service
	for _, c := range differing {
		if !c.entry.Empty() {
			svc = c.service
			break
		}
	}
	steps := fmt.Sprintf("cloud-controller-manager plan service %s lists all steps", serviceName(svc))
	blocked := !slices.ContainsFunc(differing, func(c forecast) bool { return !c.entry.Empty() })
	switch period := f.Manager.Tuning.Reensure; {
	case blocked:
		return "as the plan says, nobody makes these changes: change the Service, or what keeps them; " + steps
	case f.Manager.DryRun:
		return "the controller manager only plans (--dry-run, in the chart safety.mode): let it act, or change it in the cloud by hand; " + steps
	case !f.Manager.Known:
		return "a controller manager makes these changes when it starts; " + steps
	default:
		return fmt.Sprintf("find out who changed it; it is repaired at the next comparison, of which there is one about every %s (--service-resync-period), or at once: kubectl annotate service %s -n %s --overwrite looked-at=\"$(date +%%s)\"; %s",
			period, svc.Name, svc.Namespace, steps)
	}
}

// mostSteps and mostText bound what is told of one Service.
const (
	mostSteps = 3
	mostText  = 300
)

// firstOf are the first operations of a plan, with what keeps them.
func firstOf(operations []cloud.Operation) string {
	var texts []string
	for _, op := range operations[:min(len(operations), mostSteps)] {
		text := plan.Describe(op)
		if op.Blocked != "" {
			text += ": " + op.Blocked
		}
		texts = append(texts, clipped(text))
	}
	if more := len(operations) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// clipped cuts a text that is too long for a line of evidence.
func clipped(text string) string {
	if letters := []rune(text); len(letters) > mostText {
		return string(letters[:mostText]) + "…"
	}
	return text
}

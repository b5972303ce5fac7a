package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// ExplainService says what is known of a Service: how each annotation was understood, whose the
// balancer is and by what evidence, what it listens on, which nodes are targets and why others are not, what went wrong
// last, and what is to be done. events are the Service's; eventsErr says why they are not known.
func (i *Inspector) ExplainService(ctx context.Context, svc *corev1.Service, events []corev1.Event, eventsErr error) Explanation {
	e := Explanation{Version: ExplanationVersion, Subject: subject(svc)}
	if !i.HasBalancers() || !concerned(svc) {
		e.section("Whose it is").add("owner", "nobody here", i.unconcerned(svc))
		return e
	}
	i.explainAnnotations(&e, svc)
	found, err := i.balancers.Explain(ctx, svc, i.targets())
	if err != nil {
		e.section("Load balancer").problem("found", "not known", event.Explained(err))
	} else {
		explainBalancer(&e, found, events)
		i.explainParts(&e, &found)
	}
	explainEvents(&e, events, eventsErr)
	explainPlan(&e, i.Service(ctx, svc))
	return e
}

// explainAnnotations lists the annotations that mean something here, and the defaults that the
// configuration sets.
func (i *Inspector) explainAnnotations(e *Explanation, svc *corev1.Service) {
	s := e.section("Annotations")
	values, problems := i.cloud.Annotations.Parse(svc.Annotations)
	wrong := map[string]annotation.Problem{}
	for _, p := range problems {
		wrong[p.Key] = p
	}
	known := map[string]bool{}
	for _, key := range i.cloud.Annotations {
		used := ""
		for _, spelling := range slices.Compact(key.Spellings()) {
			if given, ok := svc.Annotations[spelling]; ok {
				known[spelling] = true
				problem, bad := wrong[spelling]
				why, well := meaning(problem, bad, used)
				if why == "" {
					why = understood(key, spelling, values)
				}
				s.Facts = append(s.Facts, Fact{Name: spelling, Value: given, Why: why, Problem: !well})
				used = cmp.Or(used, spelling)
			}
		}
		if configured := i.cloud.Defaults[key.Name]; used == "" && configured != "" {
			s.add(key.Name, configured, "not set: the default of the configuration")
		}
	}
	for _, p := range problems {
		if !known[p.Key] {
			s.problem(p.Key, p.Value, "ignored: "+p.Why())
		}
	}
	if len(s.Facts) == 0 {
		s.add("none", "every setting has its default", "")
	}
}

// meaning says what is wrong with an annotation, or that an earlier spelling is used; "" when it
// counts by itself.
func meaning(problem annotation.Problem, bad bool, used string) (why string, well bool) {
	switch {
	case bad && used != "":
		return "ignored: " + used + " says something else and wins", false
	case bad && problem.CountsAs != "":
		return "counts as " + problem.CountsAs + ": " + problem.Why(), false
	case bad && problem.Warning:
		return "ignored: " + problem.Why(), false
	case bad:
		return "refused, and nothing but targets is changed: want " + problem.Want, false
	case used != "":
		return "the same as " + used, true
	}
	return "", true
}

// understood says as what a given annotation counts.
func understood(key annotation.Key, spelling string, values annotation.Values) string {
	value, given := values[key.Name]
	why := "counts as " + value
	if !given {
		why = "counts as not set"
	}
	if spelling != key.Name {
		why += "; another spelling of " + key.Name
	}
	if key.Default != "" {
		why += "; the default is " + key.Default
	}
	return why
}

// explainBalancer says which balancer it is, and whose.
func explainBalancer(e *Explanation, found loadbalancer.Explanation, events []corev1.Event) {
	s := e.section("Load balancer")
	for _, conflict := range found.Conflicts {
		s.problem("refused", conflict, "somebody else's, or nobody's that this Service may have")
	}
	o := found.Observed
	if !o.Found {
		s.add("found", "no", "neither by id, nor by ownership tag, nor by name")
		return
	}
	s.add("id", o.ID, "")
	s.add("name", o.Balancer.Name, "")
	switch o.State {
	case cloud.BalancerPending:
		s.problem("state", string(o.State), "the cloud is working on it"+pendingSince(events)+"; changes wait")
	case cloud.BalancerFailed:
		s.problem("state", string(o.State), o.Detail)
	default:
		s.add("state", string(o.State), o.Detail)
	}
	whose := "this Service's"
	if found.Standing.Standing != safety.Ours {
		whose = string(found.Standing.Standing) + " " + found.Standing.Owner.String()
	}
	s.add("whose", whose, strings.Join(found.Evidence, "; "))
	for _, a := range o.Addresses {
		if a.IP != "" {
			s.add("address", a.IP, "")
		}
		if a.Hostname != "" {
			s.add("address", a.Hostname, "")
		}
	}
	for _, id := range o.Duplicates {
		s.problem("duplicate", id, "it has this Service's ownership tags too")
	}
}

// finished are the reasons of events that say that a balancer is as it should be.
var finished = []string{"EnsuredLoadBalancer", "UpdatedLoadBalancer"}

// pendingSince says since when a balancer is not as it should be: since the first event after the last one
// that said so. It is "" when no event tells.
func pendingSince(events []corev1.Event) string {
	var done, first time.Time
	for _, event := range events {
		if slices.Contains(finished, event.Reason) && event.LastTimestamp.After(done) {
			done = event.LastTimestamp.Time
		}
	}
	for _, event := range events {
		if at := event.FirstTimestamp.Time; at.After(done) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if first.IsZero() {
		return ""
	}
	return " since " + first.UTC().Format("2006-01-02 15:04:05")
}

// explainParts says where the balancer listens and what its targets are. One that is not there has none: what it will have is what
// is to be done now.
func (i *Inspector) explainParts(e *Explanation, found *loadbalancer.Explanation) {
	if found.Observed.Found {
		explainListeners(e, &found.Observed.Balancer)
		i.explainTargets(e, found)
	}
}

// explainTargets says of every Node of the cluster whether it is a target of the balancer, and why not.
func (i *Inspector) explainTargets(e *Explanation, found *loadbalancer.Explanation) {
	s := e.section("Targets")
	roles := map[string]loadbalancer.NodeRole{}
	for _, r := range found.Nodes {
		roles[r.Node] = r
	}
	for _, node := range i.cluster.Nodes {
		r, handed := roles[node.Name]
		switch {
		case !handed:
			s.add(node.Name, "out", target.LeftOut(node, i.cloud.Concerns))
		case r.Target && r.Attached:
			s.add(node.Name, "in", strings.TrimSpace("machine "+string(r.Machine)+" "+r.Reason))
		case r.Target:
			s.problem(node.Name, "in, not attached yet", strings.TrimSpace("machine "+string(r.Machine)+" "+r.Reason))
		case r.Attached:
			s.problem(node.Name, "out, still attached", r.Reason)
		default:
			s.add(node.Name, "out", r.Reason)
		}
	}
	if found.Err != nil {
		s.problem("not read", "some machines", event.Explained(found.Err))
	}
}

// explainEvents lists what was last told about the Service, the latest first.
func explainEvents(e *Explanation, events []corev1.Event, err error) {
	s := e.section("Last events")
	if err != nil {
		s.add("not read", err.Error(), "they need permission to list events")
		return
	}
	// For each type of value, package slices has code of its own: 20 kB for one of this size.
	sort.Slice(events, func(a, b int) bool { return lastTime(events[a]).After(lastTime(events[b])) })
	for n, event := range events {
		const most = 10
		if n == most {
			break
		}
		s.Facts = append(s.Facts, Fact{Name: event.Reason, Value: event.Message, Why: happened(event), Problem: event.Type == corev1.EventTypeWarning})
	}
	if len(events) == 0 {
		s.add("none", "Kubernetes keeps events for an hour", "")
	}
}

// lastTime returns when an event happened last. Those of events.k8s.io that happened once have only EventTime.
func lastTime(event corev1.Event) time.Time {
	if event.LastTimestamp.IsZero() {
		return event.EventTime.Time
	}
	return event.LastTimestamp.Time
}

// happened says how often and when an event happened.
func happened(event corev1.Event) string {
	last := lastTime(event).UTC().Format("2006-01-02 15:04:05")
	if event.Count <= 1 {
		return "once, at " + last
	}
	return fmt.Sprintf("%d times since %s, last at %s", event.Count, event.FirstTimestamp.UTC().Format("15:04:05"), last)
}

package adopt

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Guide is the page about what is the same for every cloud, as a path of the repository.
const Guide = "docs/how-to/migrate.md"

// general is a difference that every cloud has.
type general struct {
	id, text, anchor string
}

// general differences.
var (
	foreign        = general{"node-of-another-cloud", "its provider-ID is none of this cloud's: it is never touched, and is no target of load balancers", "nodes-of-other-clouds"}
	optedOut       = general{"node-opted-out", "a label keeps cloud controllers away from it: it is never touched, and is no target of load balancers", "nodes-of-other-clouds"}
	unmanaged      = general{"node-without-provider-id", "it has no provider-ID and does not wait for one: it is a target of load balancers when exactly one machine has its name, and nothing else is done for it", "nodes-without-a-provider-id"}
	deleted        = general{"node-gone", "the cloud seems not to have its machine: here it is deleted with proof only, and many at once are held back", "nodes-whose-machine-is-gone"}
	uninitialised  = general{"node-waits", "it waits to be initialised: that is done here, in the way that is planned", "nodes-that-change"}
	nodeChanges    = general{"node-changes", "it has something else than its machine says: that is brought to what the machine says", "nodes-that-change"}
	changes        = general{"service-changes", "its load balancer is brought to what the plan says, and at any later time too", "services-whose-load-balancer-changes"}
	blocked        = general{"service-blocked", "the plan has a change that its load balancer cannot have: that stays as it is, and is said", "services-whose-load-balancer-changes"}
	refused        = general{"service-refused", "it asks for something impossible: it is refused with what would be right, and only its targets follow the nodes", "services-that-are-refused"}
	throughProxy   = general{"service-ip-mode", "its status gets ipMode Proxy: clients in the cluster reach it through the load balancer, as others do", "clients-in-the-cluster"}
	sharedChanges  = general{"shared-changes", "it is brought to what the plan says, and at any later time too", "services-whose-load-balancer-changes"}
	closedFirewall = general{"firewall-port-closed", "a port of the nodes themselves, such as SSH, is not opened whatever a Service asks for", "ports-of-the-nodes"}
)

// said are the differences that an event at the switch stands for.
var said = map[string]general{
	event.InstanceNotFound.Name:     {"node-machine-missing", "the cloud has no machine for it; while its kubelet reports it stays as it is", "nodes-whose-machine-is-gone"},
	event.OwnershipConflict.Name:    {"service-conflict", "it names a load balancer that it may not use: nothing is made or touched for it", "load-balancers-of-others"},
	event.WaitingForNodes.Name:      {"service-waits", "no Node can be a target yet: its load balancer is made when one can", "services-without-targets"},
	event.TargetsKept.Name:          {"targets-kept", "targets that no Node stands for stay until there is proof that they may go", "targets-that-stay"},
	event.TargetFoundByName.Name:    {"target-by-name", "a Node without provider-ID is a target by its name, and nothing else is done for that Node", "nodes-without-a-provider-id"},
	event.ConfigurationIgnored.Name: {"service-ignored", "something that it asks for has no effect, which is said", "settings-without-effect"},
	event.ImmutableChange.Name:      blocked,
	event.SourceRangesRefused.Name:  {"source-ranges-refused", "the cloud cannot keep other clients out: it is refused rather than open to everyone", "services-that-are-refused"},
}

func (g general) on(subject string) Difference {
	return Difference{Subject: subject, ID: g.id, Text: g.text, Link: Repository + Guide + "#" + g.anchor}
}

// ofNode says what is done otherwise for a Node.
func ofNode(n inspect.FoundNode, upstream cloud.Upstream) []Difference {
	var all []general
	deletes := func(op cloud.Operation) bool { return op.Verb == cloud.Delete }
	switch {
	case n.Owner == instance.Foreign:
		all = append(all, foreign)
	case n.Owner == instance.OptedOut:
		all = append(all, optedOut)
	case n.Owner == instance.Unmanaged:
		all = append(all, unmanaged)
	case slices.ContainsFunc(n.Entry.Operations, deletes):
		all = append(all, deleted)
	case instance.Uninitialized(n.Node):
		all = append(all, uninitialised)
	case !n.Entry.Empty():
		all = append(all, nodeChanges)
	}
	found := differences(n.Entry, all)
	for _, d := range upstream.Differences {
		if d.Node != nil && n.Owner != instance.Foreign && n.Owner != instance.OptedOut && d.Node(n.Node.Name, n.Node.Spec.ProviderID, n.Machine) {
			found = append(found, of(d, n.Entry.Subject, upstream))
		}
	}
	return found
}

// ofService says what is done otherwise for a Service.
func ofService(s inspect.FoundService, upstream cloud.Upstream) []Difference {
	var all []general
	unlikeOwnershipTags := func(op cloud.Operation) bool { return op.Field != cloud.FieldOwnershipTags && op.Blocked == "" }
	isBlocked := func(op cloud.Operation) bool { return op.Blocked != "" }
	if slices.ContainsFunc(s.Entry.Operations, unlikeOwnershipTags) {
		all = append(all, changes)
	}
	if slices.ContainsFunc(s.Entry.Operations, isBlocked) {
		all = append(all, blocked)
	}
	if s.Entry.Error != nil && s.Entry.Error.Class == cloud.FailureInvalid && len(s.Found.Conflicts) == 0 {
		all = append(all, refused)
	}
	if len(s.Found.Conflicts) > 0 {
		all = append(all, said[event.OwnershipConflict.Name])
	}
	if proxied(s) {
		all = append(all, throughProxy)
	}
	found := differences(s.Entry, all)
	for _, d := range upstream.Differences {
		if d.Service != nil && d.Service(s.Found.Input.Spec, s.Found.Observed) {
			found = append(found, of(d, "Service "+s.Service.Namespace+"/"+s.Service.Name, upstream))
		}
	}
	return found
}

// ofShared says what is done otherwise with routes or the firewall.
func ofShared(e plan.Entry) []Difference {
	var all []general
	if !e.Empty() {
		all = append(all, sharedChanges)
	}
	if slices.ContainsFunc(e.Warnings, func(w plan.Warning) bool { return w.Reason == event.FirewallPortDenied.Name }) {
		all = append(all, closedFirewall)
	}
	return differences(e, all)
}

// differences are those, and what the events of a subject stand for, each once.
func differences(e plan.Entry, all []general) []Difference {
	for _, w := range e.Warnings {
		if d, ok := said[w.Reason]; ok {
			all = append(all, d)
		}
	}
	var found []Difference
	for n, d := range all {
		if slices.Index(all, d) == n {
			found = append(found, d.on(e.Subject))
		}
	}
	return found
}

// proxied reports whether the status of the Service is going to say ipMode Proxy, and does not yet.
func proxied(s inspect.FoundService) bool {
	if s.Status == nil {
		return false
	}
	isProxy := func(i corev1.LoadBalancerIngress) bool {
		return i.IPMode != nil && *i.IPMode == corev1.LoadBalancerIPModeProxy
	}
	return slices.ContainsFunc(s.Status.Ingress, func(after corev1.LoadBalancerIngress) bool {
		return isProxy(after) && !slices.ContainsFunc(s.Service.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool {
			return i.IP == after.IP && isProxy(i)
		})
	})
}

func of(d cloud.Difference, subject string, upstream cloud.Upstream) Difference {
	return Difference{Subject: subject, ID: d.ID, Text: d.Text, Link: Repository + upstream.Guide + "#" + d.Anchor}
}

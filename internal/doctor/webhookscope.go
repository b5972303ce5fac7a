package doctor

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// question is what a webhook of either kind says of when it is asked.
type question struct {
	rules               []admissionv1.RuleWithOperations
	policy              *admissionv1.FailurePolicyType
	match               *admissionv1.MatchPolicyType
	namespaces, objects *metav1.LabelSelector
	conditions          []admissionv1.MatchCondition
}

// object is one that the controller manager writes, as far as selectors look at it.
type object struct {
	namespace string // "" for a Node
	labels    map[string]string
}

// writing is a resource that the controller manager writes, how, and which objects of it there are.
type writing struct {
	group, resource string
	operations      []admissionv1.OperationType
	objects         fact[[]object]
}

// writings are all that the controller manager writes.
func (f *facts) writings() []writing {
	const create, update, remove = admissionv1.Create, admissionv1.Update, admissionv1.Delete
	nodes, services := fact[[]object]{err: f.nodes.err}, fact[[]object]{err: f.services.err}
	events := fact[[]object]{value: []object{{namespace: metav1.NamespaceDefault}}, err: f.services.err} // those of Nodes
	for _, node := range f.nodes.value {
		nodes.value = append(nodes.value, object{labels: node.Labels})
	}
	for _, svc := range f.services.value {
		if svc.Spec.Type == corev1.ServiceTypeLoadBalancer {
			services.value = append(services.value, object{svc.Namespace, svc.Labels})
			events.value = append(events.value, object{namespace: svc.Namespace})
		}
	}
	leases := fact[[]object]{value: []object{{namespace: f.Lease.Namespace}}}
	return []writing{
		{"", "events", []admissionv1.OperationType{create, update}, events},
		{"coordination.k8s.io", "leases", []admissionv1.OperationType{create, update}, leases},
		{"", "nodes", []admissionv1.OperationType{update, remove}, nodes},
		{"", "nodes/status", []admissionv1.OperationType{update}, nodes},
		{"", "services", []admissionv1.OperationType{update}, services},
		{"", "services/status", []admissionv1.OperationType{update}, services},
	}
}

// asked returns what of the writings a webhook is asked about, and what it may be asked about as far as
// is known, with the reason of the doubt. It is asked about nothing when its failures are ignored.
func (q question) asked(all []writing, namespaces fact[map[string]labels.Set]) (sure, perhaps []string, doubt string) {
	if q.policy != nil && *q.policy == admissionv1.Ignore {
		return nil, nil, ""
	}
	for _, w := range all {
		if !slices.ContainsFunc(q.rules, func(rule admissionv1.RuleWithOperations) bool { return q.covers(rule, w) }) {
			continue
		}
		selected, err := q.selects(w, namespaces)
		switch {
		case err != nil:
			perhaps, doubt = append(perhaps, w.resource), err.Error()
		case selected && len(q.conditions) > 0:
			perhaps, doubt = append(perhaps, w.resource), "its matchConditions are not evaluated here"
		case selected:
			sure = append(sure, w.resource)
		}
	}
	return sure, perhaps, doubt
}

// covers reports whether a rule is about the resource and one of the operations.
func (q question) covers(rule admissionv1.RuleWithOperations, w writing) bool {
	const all = "*"
	has := func(list []string, wanted ...string) bool {
		return slices.ContainsFunc(wanted, func(one string) bool { return slices.Contains(list, one) })
	}
	operation := slices.ContainsFunc(rule.Operations, func(o admissionv1.OperationType) bool {
		return o == admissionv1.OperationAll || slices.Contains(w.operations, o)
	})
	whole, sub, isSub := strings.Cut(w.resource, "/")
	resources := []string{w.resource, "*/*"}
	if isSub {
		resources = append(resources, "*/"+sub, whole+"/*")
	} else {
		resources = append(resources, all)
	}
	// With the policy Equivalent, the default, a rule about another version is asked too.
	version := has(rule.APIVersions, "v1", all) || w.group != "" && (q.match == nil || *q.match == admissionv1.Equivalent)
	cluster := whole == "nodes"
	scope := rule.Scope == nil || *rule.Scope == admissionv1.AllScopes || (*rule.Scope == admissionv1.ClusterScope) == cluster
	return operation && version && scope && has(rule.APIGroups, w.group, all) && has(rule.Resources, resources...)
}

// selects reports whether the webhook's selectors take any of the objects. Without selectors they take
// those too that do not exist yet. A selector of namespaces does not look at Nodes.
func (q question) selects(w writing, namespaces fact[map[string]labels.Set]) (bool, error) {
	ofNamespaces, err := selector(q.namespaces)
	if err != nil {
		return false, err
	}
	ofObjects, err := selector(q.objects)
	if err != nil {
		return false, err
	}
	if whole, _, _ := strings.Cut(w.resource, "/"); whole == "nodes" {
		ofNamespaces = labels.Everything()
	}
	if ofNamespaces.Empty() && ofObjects.Empty() {
		return true, nil
	}
	if w.objects.err != nil {
		return false, w.objects.err
	}
	if !ofNamespaces.Empty() && namespaces.err != nil {
		return false, namespaces.err
	}
	return slices.ContainsFunc(w.objects.value, func(o object) bool {
		return ofObjects.Matches(labels.Set(o.labels)) && ofNamespaces.Matches(namespaces.value[o.namespace])
	}), nil
}

// selector returns one that takes everything where none is given, as the API server does.
func selector(given *metav1.LabelSelector) (labels.Selector, error) {
	if given == nil {
		return labels.Everything(), nil
	}
	s, err := metav1.LabelSelectorAsSelector(given)
	if err != nil {
		return nil, fmt.Errorf("its selector is not understood: %w", err)
	}
	return s, nil
}

// chooses reports whether a selector leaves anything out. The API server writes an empty one where none
// is given.
func chooses(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

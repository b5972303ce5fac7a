package doctor

import (
	"errors"
	"fmt"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func rule(group, operation string, resources ...string) admissionv1.RuleWithOperations {
	return admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.OperationType(operation)},
		Rule:       admissionv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: resources},
	}
}

// TestAsked has one Service in the namespace shop, one Node and a lease in kube-system.
func TestAsked(t *testing.T) {
	labelled := func(key, value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	named := func(name string) *metav1.LabelSelector { return labelled("kubernetes.io/metadata.name", name) }
	not := func(name string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpNotIn, Values: []string{name}}}}
	}
	whole := rule("*", "*", "*/*")
	of := func(rules ...admissionv1.RuleWithOperations) question { return question{rules: rules} }
	old := rule("coordination.k8s.io", "*", "leases")
	old.APIVersions = []string{"v1beta1"}
	namespaced := rule("", "UPDATE", "*")
	namespaced.Scope = ptr.To(admissionv1.NamespacedScope)
	f := &facts{Options: Options{Lease: types.NamespacedName{Namespace: "kube-system", Name: "ccm"}}}
	f.nodes.value = []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"pool": "one"}}}}
	f.services.value = []corev1.Service{service("web", time.Hour, func(s *corev1.Service) { s.Labels = map[string]string{"app": "web"} })}
	unread := &facts{}
	unread.nodes.err, unread.services.err = errors.New("Nodes not read"), errors.New("Services not read")
	known := map[string]labels.Set{}
	for _, name := range []string{"shop", "kube-system", "default"} {
		known[name] = labels.Set{"kubernetes.io/metadata.name": name}
	}
	for name, tt := range map[string]struct {
		question question
		facts    *facts
		without  bool // the namespaces are not known
		want     string
	}{
		"everything":                {of(whole), f, false, "[events leases nodes nodes/status services services/status] [] "},
		"failures are ignored":      {question{rules: of(whole).rules, policy: ptr.To(admissionv1.Ignore)}, f, false, "[] [] "},
		"ConfigMaps":                {of(rule("", "*", "configmaps")), f, false, "[] [] "},
		"new Nodes":                 {of(rule("", "CREATE", "nodes")), f, false, "[] [] "},
		"deleted Nodes":             {of(rule("", "DELETE", "nodes")), f, false, "[nodes] [] "},
		"deleted Services":          {of(rule("", "DELETE", "services")), f, false, "[] [] "},
		"statuses":                  {of(rule("", "UPDATE", "*/status")), f, false, "[nodes/status services/status] [] "},
		"parts of Services":         {of(rule("", "UPDATE", "services/*")), f, false, "[services/status] [] "},
		"no parts":                  {of(rule("", "UPDATE", "*")), f, false, "[events nodes services] [] "},
		"of namespaces":             {of(namespaced), f, false, "[events services] [] "},
		"another version":           {of(old), f, false, "[leases] [] "},
		"that version and no other": {question{rules: of(old).rules, match: ptr.To(admissionv1.Exact)}, f, false, "[] [] "},
		"the namespace":             {question{rules: of(whole).rules, namespaces: named("shop")}, f, false, "[events nodes nodes/status services services/status] [] "},
		"another namespace":         {question{rules: of(rule("", "*", "services")).rules, namespaces: named("other")}, f, false, "[] [] "},
		"all but kube-system":       {question{rules: of(rule("*", "*", "leases", "services")).rules, namespaces: not("kube-system")}, f, false, "[services] [] "},
		"the Service's label":       {question{rules: of(whole).rules, objects: labelled("app", "web")}, f, false, "[services services/status] [] "},
		"another label":             {question{rules: of(whole).rules, objects: labelled("app", "other")}, f, false, "[] [] "},
		"conditions":                {question{rules: of(rule("", "UPDATE", "nodes")).rules, conditions: []admissionv1.MatchCondition{{}}}, f, false, "[] [nodes] its matchConditions are not evaluated here"},
		"namespaces not read":       {question{rules: of(rule("", "*", "nodes", "services")).rules, namespaces: named("shop")}, f, true, "[nodes] [services] no namespaces"},
		"objects not read":          {question{rules: of(rule("", "*", "nodes")).rules, objects: labelled("a", "b")}, unread, false, "[] [nodes] Nodes not read"},
		"objects not of interest":   {of(rule("", "*", "nodes")), unread, false, "[nodes] [] "},
	} {
		namespaces := fact[map[string]labels.Set]{value: known}
		if tt.without {
			namespaces = missing[map[string]labels.Set](errors.New("no namespaces"))
		}
		sure, perhaps, doubt := tt.question.asked(tt.facts.writings(), namespaces)
		if got := fmt.Sprint(sure, " ", perhaps, " ", doubt); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// hook is an admission webhook that is asked about what the controller manager writes, and that
// refuses when it does not answer.
type hook struct {
	config, name string
	service      string // namespace/name
	// asked is what it is asked about, perhaps what it may be asked about; doubt says why that is not known.
	asked, perhaps []string
	doubt          string
	// dead says that its Service has no endpoint that is ready.
	dead bool
}

// hooks returns the webhooks that can stop the controller manager in what it writes.
func hooks(ctx context.Context, r *reader, writings []writing) fact[[]hook] {
	const group = "admissionregistration.k8s.io"
	api := r.client.AdmissionregistrationV1()
	mutating := read(ctx, r, right{"list", group, "mutatingwebhookconfigurations", "", ""}, func() (*admissionv1.MutatingWebhookConfigurationList, error) {
		return api.MutatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	})
	validating := read(ctx, r, right{"list", group, "validatingwebhookconfigurations", "", ""}, func() (*admissionv1.ValidatingWebhookConfigurationList, error) {
		return api.ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	})
	for _, err := range []error{mutating.err, validating.err} {
		if err != nil {
			return missing[[]hook](err)
		}
	}
	var all []candidate
	for _, c := range mutating.value.Items {
		for _, w := range c.Webhooks {
			q := question{w.Rules, w.FailurePolicy, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector, w.MatchConditions}
			all = append(all, candidate{c.Name, w.Name, w.ClientConfig.Service, q})
		}
	}
	for _, c := range validating.value.Items {
		for _, w := range c.Webhooks {
			q := question{w.Rules, w.FailurePolicy, w.MatchPolicy, w.NamespaceSelector, w.ObjectSelector, w.MatchConditions}
			all = append(all, candidate{c.Name, w.Name, w.ClientConfig.Service, q})
		}
	}
	return inTheWay(ctx, r, all, writings)
}

// candidate is a webhook of which nothing is known yet.
type candidate struct {
	config, name string
	service      *admissionv1.ServiceReference
	question     question
}

// inTheWay returns those that are asked about what is written. Of a URL it is not known here whether
// the API server reaches it.
func inTheWay(ctx context.Context, r *reader, all []candidate, writings []writing) fact[[]hook] {
	var namespaces fact[map[string]labels.Set]
	if slices.ContainsFunc(all, func(c candidate) bool { return chooses(c.question.namespaces) }) {
		namespaces = namespaceLabels(ctx, r)
	}
	var found []hook
	for _, c := range all {
		if c.service == nil {
			continue
		}
		h := hook{config: c.config, name: c.name, service: c.service.Namespace + "/" + c.service.Name}
		h.asked, h.perhaps, h.doubt = c.question.asked(writings, namespaces)
		if len(h.asked)+len(h.perhaps) == 0 {
			continue
		}
		if err := h.look(ctx, r); err != nil {
			return missing[[]hook](err)
		}
		found = append(found, h)
	}
	return fact[[]hook]{value: found}
}

// namespaceLabels returns the labels of all namespaces.
func namespaceLabels(ctx context.Context, r *reader) fact[map[string]labels.Set] {
	list := read(ctx, r, right{"list", "", "namespaces", "", ""}, func() (*corev1.NamespaceList, error) {
		return r.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	})
	if list.err != nil {
		return missing[map[string]labels.Set](list.err)
	}
	all := map[string]labels.Set{}
	for _, namespace := range list.value.Items {
		all[namespace.Name] = namespace.Labels
	}
	return fact[map[string]labels.Set]{value: all}
}

// look finds out whether anything serves the webhook.
func (h *hook) look(ctx context.Context, r *reader) error {
	namespace, name := splitName(h.service)
	slices := read(ctx, r, right{"list", "discovery.k8s.io", "endpointslices", namespace, ""}, func() (*discoveryv1.EndpointSliceList, error) {
		list, err := r.client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + name})
		if apierrors.IsNotFound(err) {
			return &discoveryv1.EndpointSliceList{}, nil
		}
		return list, err
	})
	if slices.err != nil {
		return slices.err
	}
	h.dead = true
	for _, slice := range slices.value.Items {
		for _, e := range slice.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				h.dead = false
			}
		}
	}
	return nil
}

func judgeHooks(f *facts) Outcome {
	if f.hooks.err != nil {
		return cannot(f.hooks.err)
	}
	var evidence, doubtful []string
	for _, h := range f.hooks.value {
		const without = "its Service %s has no endpoint that is ready"
		switch {
		case !h.dead:
		case len(h.asked) > 0:
			evidence = append(evidence, fmt.Sprintf("webhook %s of %s is asked about %s; "+without, h.name, h.config, strings.Join(h.asked, ", "), h.service))
		default:
			doubtful = append(doubtful, fmt.Sprintf("webhook %s of %s may be asked about %s (%s); "+without, h.name, h.config, strings.Join(h.perhaps, ", "), h.doubt, h.service))
		}
	}
	switch {
	case len(evidence) > 0:
		return failure("an admission webhook that does not answer refuses what the controller manager writes", "", bounded(append(evidence, doubtful...))...)
	case len(doubtful) > 0:
		return warning("an admission webhook that does not answer may refuse what the controller manager writes", "", bounded(doubtful)...)
	}
	return fine("no admission webhook stands in the way")
}

package doctor

import (
	"context"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hook is an admission webhook that is asked about what the controller manager writes, and that
// refuses when it does not answer.
type hook struct {
	kind, config, name string
	service            string // namespace/name, "" for a URL
	asked              []string
	// dead says that its Service has no endpoint that is ready.
	dead bool
}

// written are the resources that the controller manager writes, with their groups.
var written = map[string][]string{
	"":                    {"nodes", "nodes/status", "services", "services/status", "events"},
	"coordination.k8s.io": {"leases"},
}

// hooks returns the webhooks that can stop the controller manager.
func hooks(ctx context.Context, r *reader) fact[[]hook] {
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
	var found []hook
	for _, c := range mutating.value.Items {
		for _, w := range c.Webhooks {
			found = addHook(found, hook{kind: c.Kind, config: c.Name, name: w.Name, asked: asked(w.Rules, w.FailurePolicy)}, w.ClientConfig)
		}
	}
	for _, c := range validating.value.Items {
		for _, w := range c.Webhooks {
			found = addHook(found, hook{kind: c.Kind, config: c.Name, name: w.Name, asked: asked(w.Rules, w.FailurePolicy)}, w.ClientConfig)
		}
	}
	for n := range found {
		if err := found[n].look(ctx, r); err != nil {
			return missing[[]hook](err)
		}
	}
	return fact[[]hook]{value: found}
}

func addHook(found []hook, h hook, client admissionv1.WebhookClientConfig) []hook {
	if client.Service == nil || len(h.asked) == 0 {
		return found // of a URL it is not known here whether the API server reaches it
	}
	h.service = client.Service.Namespace + "/" + client.Service.Name
	return append(found, h)
}

// asked returns what of the things that the controller manager writes a webhook is asked about,
// nothing when it does not stand in the way.
func asked(rules []admissionv1.RuleWithOperations, policy *admissionv1.FailurePolicyType) []string {
	if policy != nil && *policy == admissionv1.Ignore {
		return nil
	}
	var list []string
	for _, rule := range rules {
		for group, resources := range written {
			if !slices.Contains(rule.APIGroups, group) && !slices.Contains(rule.APIGroups, "*") {
				continue
			}
			for _, resource := range resources {
				whole := slices.Contains(rule.Resources, "*/*") || slices.Contains(rule.Resources, "*") && !slices.Contains([]string{"nodes/status", "services/status"}, resource)
				if whole || slices.Contains(rule.Resources, resource) {
					list = append(list, resource)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
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
	var evidence []string
	for _, h := range f.hooks.value {
		if h.dead {
			evidence = append(evidence, fmt.Sprintf("webhook %s of %s is asked about %s; its Service %s has no endpoint that is ready", h.name, h.config, names(h.asked), h.service))
		}
	}
	if len(evidence) > 0 {
		return failure("an admission webhook that does not answer refuses what the controller manager writes", "", bounded(evidence)...)
	}
	return fine("no admission webhook stands in the way")
}

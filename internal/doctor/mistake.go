package doctor

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// mistakes are what keeps a Service from being served as it asks, as far as that needs no reading: what the kernel refuses, and
// what the driver does.
type mistakes struct{ kernel, driver []problem.Warning }

func mistakesOf(f *facts, svc *corev1.Service) (m mistakes) {
	asked := request.Read(svc, f.Cloud, request.Cluster{ID: f.Manager.ClusterID})
	m.kernel = asked.Problems
	if f.Cloud.Validator == nil {
		return m
	}
	if err := f.Cloud.Validator.Validate(asked.Input.Spec, len(svc.Status.LoadBalancer.Ingress) > 0); err != nil {
		m.driver = asked.Respell(problem.Unjoin(err))
	}
	return m
}

// isRefused reports whether a Service asks for something that is refused, whatever the cloud says.
func isRefused(f *facts, svc *corev1.Service) bool {
	m := mistakesOf(f, svc)
	return len(m.kernel)+len(m.driver) > 0
}

// ofSpec reports whether a problem is about the spec of a Service, and not about an annotation.
func ofSpec(p problem.Warning) bool {
	wrong, ok := errors.AsType[*cloud.Invalid](p.Err)
	return ok && strings.HasPrefix(wrong.Field, "spec.")
}

// mistyped finds annotations with values that are not possible, by themselves or with what else the Service asks for, and keys
// that nobody knows.
func mistyped(f *facts, svc *corev1.Service) []string {
	if !f.wants(svc) {
		return nil
	}
	_, problems := f.Cloud.Annotations.Parse(svc.Annotations)
	var list []string
	known := map[string]bool{}
	for _, p := range problems {
		known[p.Key] = true
		if p.Warning {
			list = append(list, "warning: "+p.Error())
		} else {
			list = append(list, p.Error())
		}
	}
	m := mistakesOf(f, svc)
	for _, p := range slices.Concat(m.kernel, m.driver) {
		wrong, ok := errors.AsType[*cloud.Invalid](p.Err)
		if !ofSpec(p) && (!ok || !known[wrong.Field]) {
			list = append(list, p.Message)
		}
	}
	return unique(list...)
}

// graver makes a warning about what Services ask for a failure where one of them is refused and has no address.
func graver(judge func(*facts) Outcome, find func(*facts, *corev1.Service) []string) func(*facts) Outcome {
	return func(f *facts) Outcome {
		o := judge(f)
		if o.Level == Warning && slices.ContainsFunc(f.waiting(), func(svc *corev1.Service) bool { return isRefused(f, svc) && len(find(f, svc)) > 0 }) {
			o.Level = Failure
		}
		return o
	}
}

// elsewhereTold says how many Services wait for an address and ask for something that is refused, as evidence.
func elsewhereTold(refused []*corev1.Service) []string {
	if len(refused) == 0 {
		return nil
	}
	return []string{plural(len(refused), "Service") + " without address: what they ask for is refused, see service-annotation-invalid and service-field-unsupported"}
}

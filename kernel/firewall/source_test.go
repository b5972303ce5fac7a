package firewall

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestNarrow(t *testing.T) {
	tests := []struct{ sources, ranges, want []string }{
		{everywhere(), nil, everywhere()},
		{everywhere(), []string{a}, []string{a}},
		{everywhere(), []string{a, c}, []string{a, c}},
		{everywhere(), []string{"0.0.0.0/0"}, []string{"0.0.0.0/0"}},
		{[]string{a}, []string{"10.1.0.0/16", b}, []string{"10.1.0.0/16"}},
		{[]string{"10.1.0.0/16"}, []string{a}, []string{"10.1.0.0/16"}},
		{[]string{a}, []string{b}, nil},
		{nil, []string{a}, nil},
	}
	for _, test := range tests {
		if got, err := narrow(test.sources, test.ranges); !slices.Equal(got, test.want) || err != nil {
			t.Errorf("narrow(%v, %v) = %v, %v; want %v", test.sources, test.ranges, got, err, test.want)
		}
	}
	if _, err := narrow([]string{"everyone"}, []string{a}); err == nil {
		t.Error("a source that is no network was narrowed")
	}
}

func TestSourceRanges(t *testing.T) {
	service := func(annotation string, ranges ...string) *corev1.Service {
		svc := &corev1.Service{Spec: corev1.ServiceSpec{LoadBalancerSourceRanges: ranges}}
		if annotation != "" {
			svc.Annotations = map[string]string{corev1.AnnotationLoadBalancerSourceRangesKey: annotation}
		}
		return svc
	}
	tests := map[string]struct {
		svc  *corev1.Service
		want []string
		bad  string // field of the *cloud.Invalid
	}{
		"none":           {service(""), nil, ""},
		"field":          {service("", "10.1.2.3/8", " 192.0.2.0/24 "), []string{a, b}, ""},
		"annotation":     {service("10.0.0.0/8, 192.0.2.0/24"), []string{a, b}, ""},
		"both":           {service(b, a), []string{a}, ""},
		"bad field":      {service("", a, "10.0.0.0"), nil, "spec.loadBalancerSourceRanges"},
		"bad annotation": {service("x"), nil, corev1.AnnotationLoadBalancerSourceRangesKey},
	}
	for name, test := range tests {
		got, err := sourceRanges(test.svc)
		invalid, ok := errors.AsType[*cloud.Invalid](err)
		if !slices.Equal(got, test.want) || ok != (test.bad != "") || ok && invalid.Field != test.bad {
			t.Errorf("%s: %v, %v; want %v, %q", name, got, err, test.want, test.bad)
		}
	}
}

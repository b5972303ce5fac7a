package service

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// usageWarnings are about what works, for balancers of either kind, but is hardly meant.
func usageWarnings(spec cloud.Spec) []cloud.Warning {
	var notes []cloud.Warning
	note := func(field, format string, args ...any) {
		notes = append(notes, cloud.Warning{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	certificates := option.Certificate.List(spec.Options)
	if len(certificates) == 0 && option.TLSPorts.Has(spec.Options) {
		note(option.TLSPorts.Name, "it has no effect without %s: no port terminates TLS", option.Certificate.Name)
	}
	for _, text := range option.TLSPorts.List(spec.Options) {
		if len(certificates) > 0 && text != "*" && !isPort(spec, text) {
			note(option.TLSPorts.Name, "%q is neither the number nor the name of a port, so it terminates no TLS", text)
		}
	}
	for _, text := range certificates {
		if !strings.HasPrefix(text, "arn:") {
			note(option.Certificate.Name, "%q is no ARN of a certificate", text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(option.ParseTags(option.Tags.In(spec.Options)))) {
		if tag.Reserved(key) {
			note(option.Tags.Name, "tag %q is not set: it says whose the balancer is", key)
		}
	}
	if nodes := spec.Lookups[balancer.LookupShut]; nodes != "" {
		note("spec.type", "no security group of %s can be opened to the balancer: exactly one has to be there, or have the cluster's tag", nodes)
	}
	return notes
}

func isPort(spec cloud.Spec, text string) bool {
	return slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool {
		return text == strconv.Itoa(p.Port) || p.Name != "" && strings.EqualFold(text, p.Name)
	})
}

package aws

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// usageWarnings are about what works, for balancers of either kind, but is hardly meant.
func usageWarnings(spec cloud.Spec) []cloud.Warning {
	var notes []cloud.Warning
	note := func(field, format string, args ...any) {
		notes = append(notes, cloud.Warning{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	certificates := keyCertificate.List(spec.Options)
	if len(certificates) == 0 && keyTLSPorts.Has(spec.Options) {
		note(keyTLSPorts.Name, "it has no effect without %s: no port terminates TLS", keyCertificate.Name)
	}
	for _, text := range keyTLSPorts.List(spec.Options) {
		if len(certificates) > 0 && text != "*" && !isPort(spec, text) {
			note(keyTLSPorts.Name, "%q is neither the number nor the name of a port, so it terminates no TLS", text)
		}
	}
	for _, text := range certificates {
		if !strings.HasPrefix(text, "arn:") {
			note(keyCertificate.Name, "%q is no ARN of a certificate", text)
		}
	}
	for _, key := range sortedKeys(parseTags(keyTags.In(spec.Options))) {
		if reserved(key) {
			note(keyTags.Name, "tag %q is not set: it says whose the balancer is", key)
		}
	}
	if nodes := spec.Lookups[lookupShut]; nodes != "" {
		note("spec.type", "no security group of %s can be opened to the balancer: exactly one has to be there, or have the cluster's tag", nodes)
	}
	return notes
}

func isPort(spec cloud.Spec, text string) bool {
	return slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool {
		return text == strconv.Itoa(p.Port) || p.Name != "" && strings.EqualFold(text, p.Name)
	})
}

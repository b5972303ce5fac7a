package aws

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// All clients there are.
const (
	everyone  = "0.0.0.0/0"
	everyone6 = "::/0"
)

// allowOf returns the networks that may connect, sorted.
func allowOf(spec cloud.Spec, dualStack bool) []string {
	var allow []string
	for _, prefix := range spec.SourceRanges {
		allow = append(allow, prefix.String())
	}
	switch {
	case len(allow) > 0:
	case dualStack:
		return []string{everyone, everyone6}
	default:
		return []string{everyone}
	}
	slices.Sort(allow)
	return allow
}

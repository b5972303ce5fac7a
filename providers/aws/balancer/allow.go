package balancer

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// All clients there are.
const (
	Everyone  = "0.0.0.0/0"
	everyone6 = "::/0"
)

// Allow returns the networks that may connect, sorted.
func Allow(spec cloud.Spec, dualStack bool) []string {
	var allow []string
	for _, prefix := range spec.SourceRanges {
		allow = append(allow, prefix.String())
	}
	switch {
	case len(allow) > 0:
	case dualStack:
		return []string{Everyone, everyone6}
	default:
		return []string{Everyone}
	}
	slices.Sort(allow)
	return allow
}

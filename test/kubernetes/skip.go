package kubernetes

import "strings"

// Skip is a spec that can't run on a cloud, and why.
type Skip struct {
	// Cloud is the provider. Spec is a part of the spec's name.
	Cloud, Spec string
	// Reason is one that a maintainer of the specs would accept.
	Reason string
}

// skips is the list. A spec that skips itself without being here fails the run, and one that is here and runs does too.
var skips = []Skip{}

// skipped returns why a spec is not run on a cloud, "" when it is.
func skipped(cloud string, spec Spec) string {
	for _, s := range skips {
		if s.Cloud == cloud && strings.Contains(spec.Name, s.Spec) {
			return s.Reason
		}
	}
	return ""
}

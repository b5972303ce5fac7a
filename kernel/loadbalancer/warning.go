package loadbalancer

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// warning is something to say on the Service.
type warning struct {
	reason  event.Reason
	message string
}

// longest is how many bytes a merged message may have. Longer events are cut off.
const longest = 1000

// merge makes one warning of all that have the same reason, so that a Service with five
// mistakes has one event, not five that push each other out. What does not fit into one
// event gets another.
func merge(warnings []warning) []warning {
	var merged []warning
	at := map[string]int{}
	for _, r := range warnings {
		i, seen := at[r.reason.Name]
		switch {
		case !seen || len(merged[i].message)+len("; ")+len(r.message) > longest && !said(merged, r):
			at[r.reason.Name] = len(merged)
			merged = append(merged, r)
		case !said(merged, r):
			merged[i].message += "; " + r.message
		}
	}
	return merged
}

// said reports whether the warning is part of one with the same reason.
func said(merged []warning, r warning) bool {
	return slices.ContainsFunc(merged, func(m warning) bool {
		return m.reason.Name == r.reason.Name && strings.Contains(m.message, r.message)
	})
}

// ofDriver turns the warnings of a driver into events. A reason that is not in the catalogue counts
// as the generic one.
func ofDriver(notes []cloud.Warning) []warning {
	var warnings []warning
	for _, note := range notes {
		reason := event.ConfigurationIgnored
		for _, known := range event.All() {
			if known.Name == note.Reason && known.On == "Service" {
				reason = known
			}
		}
		warnings = append(warnings, warning{reason, note.Field + ": " + note.Message})
	}
	return warnings
}

// ofProblems turns problems into warnings.
func ofProblems(problems []problem) []warning {
	var warnings []warning
	for _, p := range problems {
		warnings = append(warnings, warning{p.reason, p.err.Error()})
	}
	return warnings
}

// ofAnnotations sorts what is wrong with annotations into what is refused and what is only
// remarked on.
func ofAnnotations(found []annotation.Problem) (problems []problem, warnings []warning) {
	for _, p := range found {
		if p.Warning {
			warnings = append(warnings, warning{event.ConfigurationIgnored, p.Error()})
			continue
		}
		problems = append(problems, invalid(p.Key, p.Value, "want "+p.Want))
	}
	return problems, warnings
}

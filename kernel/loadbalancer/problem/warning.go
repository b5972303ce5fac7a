package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Warning is something to say on the Service.
type Warning struct {
	Reason  event.Reason
	Message string
	// Err is the problem that keeps the Service from being served as asked, nil where it is served in spite of it.
	Err error
}

// Warn returns a warning.
func Warn(reason event.Reason, message string) Warning {
	return Warning{Reason: reason, Message: message}
}

// longest is how many bytes a merged message may have. Longer events are cut off.
const longest = 1000

// Merge makes one warning of all that have the same reason, so that a Service with five
// mistakes has one event, not five that push each other out. What does not fit into one
// event gets another.
func Merge(warnings []Warning) []Warning {
	var merged []Warning
	at := map[string]int{}
	for _, r := range warnings {
		i, seen := at[r.Reason.Name]
		switch {
		case !seen || len(merged[i].Message)+len("; ")+len(r.Message) > longest && !said(merged, r):
			at[r.Reason.Name] = len(merged)
			merged = append(merged, r)
		case !said(merged, r):
			merged[i].Message += "; " + r.Message
		}
	}
	return merged
}

// said reports whether the warning is part of one with the same reason.
func said(merged []Warning, r Warning) bool {
	return slices.ContainsFunc(merged, func(m Warning) bool {
		return m.Reason.Name == r.Reason.Name && strings.Contains(m.Message, r.Message)
	})
}

// OfDriver turns the warnings of a driver into events. A reason that is not in the catalogue counts
// as the generic one.
func OfDriver(notes []cloud.Warning) []Warning {
	var warnings []Warning
	for _, note := range notes {
		reason := event.ConfigurationIgnored
		for _, known := range event.All() {
			if known.Name == note.Reason && known.On == "Service" {
				reason = known
			}
		}
		warnings = append(warnings, Warn(reason, note.Field+": "+note.Message))
	}
	return warnings
}

// OfAnnotations sorts what is wrong with annotations into what is refused and what has no effect.
func OfAnnotations(found []annotation.Problem) (problems, warnings []Warning) {
	for _, p := range found {
		if p.Warning {
			warnings = append(warnings, Warn(event.ConfigurationIgnored, p.Error()))
			continue
		}
		problems = append(problems, Invalid(p.Key, p.Value, "want "+p.Want))
	}
	return problems, warnings
}

// Failure says that the cloud failed.
func Failure(err error) Warning {
	return Warn(event.CloudFailure, fmt.Sprintf("%s: %v", cloud.FailureOf(err).Class, err))
}

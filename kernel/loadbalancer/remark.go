package loadbalancer

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// remark is something to say on the Service.
type remark struct {
	reason  event.Reason
	message string
}

// longest is how many bytes a merged message may have. Longer events are cut off.
const longest = 1000

// merge makes one remark of all that have the same reason, so that a Service with five
// mistakes has one event, not five that push each other out. What does not fit into one
// event gets another.
func merge(remarks []remark) []remark {
	var merged []remark
	at := map[string]int{}
	for _, r := range remarks {
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

// said reports whether the remark is part of one with the same reason.
func said(merged []remark, r remark) bool {
	return slices.ContainsFunc(merged, func(m remark) bool {
		return m.reason.Name == r.reason.Name && strings.Contains(m.message, r.message)
	})
}

// ofNotes turns a driver's notes into remarks. A reason that is not in the catalogue counts
// as the generic one.
func ofNotes(notes []cloud.Note) []remark {
	var remarks []remark
	for _, note := range notes {
		reason := event.ConfigurationIgnored
		for _, known := range event.All() {
			if known.Name == note.Reason && known.On == "Service" {
				reason = known
			}
		}
		remarks = append(remarks, remark{reason, note.Field + ": " + note.Message})
	}
	return remarks
}

// ofProblems turns problems into remarks.
func ofProblems(problems []problem) []remark {
	var remarks []remark
	for _, p := range problems {
		remarks = append(remarks, remark{p.reason, p.err.Error()})
	}
	return remarks
}

// ofAnnotations sorts what is wrong with annotations into what is refused and what is only
// remarked on.
func ofAnnotations(found []annotation.Problem) (problems []problem, remarks []remark) {
	for _, p := range found {
		if p.Warning {
			remarks = append(remarks, remark{event.ConfigurationIgnored, p.Error()})
			continue
		}
		problems = append(problems, invalid(p.Key, p.Value, "want "+p.Want))
	}
	return problems, remarks
}

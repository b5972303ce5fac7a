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

// text is a message of several parts, of which no more are repeated than an event holds. The zero value is empty.
type text struct {
	parts   []string
	length  int
	leftOut int
	cut     bool
}

const (
	// mostOfParts leaves room to say what is left out.
	mostOfParts = event.MostOfMessage - 200
	// mostOfPart leaves room to say that it is cut off.
	mostOfPart = mostOfParts - 50
)

// add adds a part, unless it is in the text already.
func (t *text) add(part string) {
	t.cut = t.cut || len(part) > mostOfPart
	part = cloud.Shorten(part, mostOfPart)
	length := len("; " + part)
	switch {
	case slices.Contains(t.parts, part):
	case len(t.parts) > 0 && t.length+length > mostOfParts:
		t.leftOut++
	default:
		t.parts, t.length = append(t.parts, part), t.length+length
	}
}

func (t *text) String() string {
	all := strings.Join(t.parts, "; ")
	if t.leftOut > 0 {
		all += fmt.Sprintf("; and %d more", t.leftOut)
	}
	return all
}

// Told returns what is said of a Service in events: one for each reason, so that a Service with five mistakes has one event, not five
// that push each other out. Where not all fits into one, it has the command that says all.
func Told(warnings []Warning, namespace, name string) []Warning {
	var told []Warning
	texts := map[string]*text{}
	for _, w := range warnings {
		if texts[w.Reason.Name] == nil {
			told, texts[w.Reason.Name] = append(told, w), &text{}
		}
		texts[w.Reason.Name].add(w.Message)
	}
	for i, w := range told {
		all := texts[w.Reason.Name]
		if told[i].Message = all.String(); all.leftOut > 0 || all.cut {
			told[i].Message += ": cloud-controller-manager explain service " + namespace + "/" + name
		}
	}
	return told
}

// Merge makes one warning of all that have the same reason, and several where they are long.
func Merge(warnings []Warning) []Warning {
	var merged []Warning
	at := map[string]int{}
	for _, r := range warnings {
		i, seen := at[r.Reason.Name]
		switch {
		case !seen || len(merged[i].Message)+len("; ")+len(r.Message) > event.MostOfMessage && !said(merged, r):
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
		p.Value, p.Want, p.Idle = cloud.Shorten(p.Value, cloud.MostOfValue), cloud.Shorten(p.Want, mostOfPart/2), cloud.Shorten(p.Idle, mostOfPart/2)
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

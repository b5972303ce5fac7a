package doctor

import (
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Scope is what a check is about.
type Scope string

// The scopes.
const (
	Install   Scope = "install"
	Nodes     Scope = "node"
	Services  Scope = "service"
	Uninstall Scope = "uninstall"
)

// Check is one question that the doctor asks.
type Check struct {
	// ID is stable: pipelines and documents name it.
	ID    string
	Scope Scope
	// Looks says what is looked at, and Fix what to do where an outcome does not say more.
	Looks, Fix string
	// judge returns the outcome. It only looks at the facts.
	judge func(*facts) Outcome
}

// page is where checks are documented, with a heading for each.
// settingsPage is where the pages of all providers are, with the settings of each.
const settingsPage = "https://github.com/multicloud-ccm/multicloud-ccm/tree/main/docs/reference/providers"

const page = "https://github.com/multicloud-ccm/multicloud-ccm/blob/main/docs/reference/doctor.md"

// Link is where the check is documented.
func (c Check) Link() string { return page + "#" + c.ID }

// outcome is that of the check, with its own fix where the outcome has none. A check that
// fails itself does not end the run.
func (c Check) outcome(f *facts) (o Outcome) {
	defer func() {
		if r := recover(); r != nil {
			o = Outcome{Level: Skipped, Message: fmt.Sprintf("the check itself failed, please report it: %v", r)}
		}
	}()
	o = c.judge(f).shortened()
	if o.Fix == "" && (o.Level == Warning || o.Level == Failure) {
		o.Fix = c.Fix
	}
	return o
}

// shortened returns the outcome with at most as much of each line as an event has: it may hold values that anybody has written.
func (o Outcome) shortened() Outcome {
	o.Message = cloud.Shorten(o.Message, event.MostOfMessage)
	o.Evidence = slices.Clone(o.Evidence)
	for n, line := range o.Evidence {
		o.Evidence[n] = cloud.Shorten(line, event.MostOfMessage)
	}
	return o
}

// Level is how bad an outcome is.
type Level string

// Levels. Skipped is the level of a check that could not be made, whose message says why.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Failure Level = "failure"
	Skipped Level = "skipped"
)

// Outcome is what a check ends in.
type Outcome struct {
	Level Level `json:"level"`
	// Message is the cause; of a check that is ok, what was seen.
	Message string `json:"message"`
	// Evidence are the facts that the message follows from.
	Evidence []string `json:"evidence,omitempty"`
	// Fix is what to do about it; "" when there is nothing to do.
	Fix string `json:"fix,omitempty"`
}

func fine(format string, args ...any) Outcome {
	return Outcome{Level: OK, Message: fmt.Sprintf(format, args...)}
}

func failure(message, fix string, evidence ...string) Outcome {
	return Outcome{Level: Failure, Message: message, Evidence: evidence, Fix: fix}
}

func warning(message, fix string, evidence ...string) Outcome {
	return Outcome{Level: Warning, Message: message, Evidence: evidence, Fix: fix}
}

// cannot is the outcome of a check whose facts are missing.
func cannot(err error) Outcome { return Outcome{Level: Skipped, Message: err.Error()} }

// mostEvidence bounds the lines of evidence.
const mostEvidence = 10

// bounded leaves out what nobody would read.
func bounded(lines []string) []string {
	if len(lines) <= mostEvidence {
		return lines
	}
	return append(lines[:mostEvidence:mostEvidence], fmt.Sprintf("and %d more", len(lines)-mostEvidence))
}

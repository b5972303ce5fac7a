// Package dryrun is what differs in a process that only plans: it prints plans, its writes to Kubernetes keep nothing, and
// its log says so.
package dryrun

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Printer prints what would be done where nothing may be: a plan again only after it changed,
// or was not there for a while. Subjects such as "routes" have several plans at a time.
type Printer struct {
	out io.Writer

	mu sync.Mutex
	// printed are the plans of each subject, by what they would do.
	printed map[string]map[string]*printedPlan
}

type printedPlan struct {
	text string
	// again says that it was made again since the last round.
	again bool
}

// NewPrinter returns a printer that writes there.
func NewPrinter(out io.Writer) *Printer {
	return &Printer{out: out, printed: map[string]map[string]*printedPlan{}}
}

// Round begins another look at a subject. Plans that the last one did not make are forgotten: there
// was nothing to do about them any more.
func (p *Printer) Round(subject string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.printed[subject], func(_ string, known *printedPlan) bool { return !known.again })
	for _, known := range p.printed[subject] {
		known.again = false
	}
	if len(p.printed[subject]) == 0 {
		delete(p.printed, subject)
	}
}

// Print prints a plan that is new.
func (p *Printer) Print(planned plan.Plan) {
	var text strings.Builder
	if err := planned.Text(&text); err != nil {
		klog.ErrorS(err, "Printing a plan failed")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if planned.Empty() {
		delete(p.printed, planned.Subject)
		return
	}
	known := p.known(planned)
	known.again = true
	if known.text == text.String() {
		return
	}
	known.text = text.String()
	if _, err := io.WriteString(p.out, text.String()); err != nil {
		klog.ErrorS(err, "Printing a plan failed")
	}
}

// known returns what was printed of a plan with these operations.
func (p *Printer) known(planned plan.Plan) *printedPlan {
	var operations strings.Builder
	for _, op := range planned.Operations {
		fmt.Fprintf(&operations, "%s %s %q\n", op.Verb, op.Kind, op.Key)
	}
	plans := p.printed[planned.Subject]
	if plans == nil {
		plans = map[string]*printedPlan{}
		p.printed[planned.Subject] = plans
	}
	if plans[operations.String()] == nil {
		plans[operations.String()] = &printedPlan{}
	}
	return plans[operations.String()]
}

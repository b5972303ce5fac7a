package framework

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// planPrinter prints what would be done where nothing may be: a plan again only after it changed,
// or was not there for a while. Subjects such as "routes" have several plans at a time.
type planPrinter struct {
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

func newPlanPrinter(out io.Writer) *planPrinter {
	return &planPrinter{out: out, printed: map[string]map[string]*printedPlan{}}
}

// round begins another look at a subject. Plans that the last one did not make are forgotten: there
// was nothing to do about them any more.
func (p *planPrinter) round(subject string) {
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

func (p *planPrinter) print(planned plan.Plan) {
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
func (p *planPrinter) known(planned plan.Plan) *printedPlan {
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

// planWords put upstream's words right in the log of a process that only plans.
var planWords = strings.NewReplacer(
	"Ensuring load balancer", "Planning load balancer", "Ensured load balancer", "Planned load balancer, and changed nothing",
	"EnsuringLoadBalancer", "PlanningLoadBalancer", "EnsuredLoadBalancer", "PlannedLoadBalancer",
	"Updating load balancer", "Planning an update of the load balancer", "Updated load balancer", "Planned an update of the load balancer, and changed nothing",
	"Successfully initialized node", "Planned, and changed nothing: would have initialized node", "Initializing node", "Planning node",
	"Deleting node", "Planning, and changing nothing: would delete node", "deleting node since", "would delete node since",
	"Adding finalizer", "Would add finalizer", "Removing finalizer", "Would remove finalizer", "Patching status", "Would patch status",
)

// planFilter is the filter of such a log.
type planFilter struct{}

var _ klog.LogFilter = planFilter{}

func (planFilter) Filter(args []any) []any { return planned(args) }

func (planFilter) FilterF(format string, args []any) (string, []any) {
	return planWords.Replace(format), planned(args)
}

func (planFilter) FilterS(message string, keysAndValues []any) (string, []any) {
	return planWords.Replace(message), planned(keysAndValues)
}

// planned returns the arguments with their texts put right. The caller keeps its own.
func planned(args []any) []any {
	all := make([]any, len(args))
	for n, arg := range args {
		if text, ok := arg.(string); ok {
			arg = planWords.Replace(text)
		}
		all[n] = arg
	}
	return all
}

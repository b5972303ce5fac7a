package framework

import (
	"io"
	"strings"
	"sync"

	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// planPrinter prints what would be done where nothing may be: a plan again only after it changed.
type planPrinter struct {
	out io.Writer

	mu      sync.Mutex
	printed map[string]string
}

func newPlanPrinter(out io.Writer) *planPrinter {
	return &planPrinter{out: out, printed: map[string]string{}}
}

func (p *planPrinter) print(planned plan.Plan) {
	var text strings.Builder
	if err := planned.Text(&text); err != nil {
		klog.ErrorS(err, "Printing a plan failed")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.printed[planned.Subject] == text.String() {
		return
	}
	p.printed[planned.Subject] = text.String()
	if _, err := io.WriteString(p.out, text.String()); err != nil {
		klog.ErrorS(err, "Printing a plan failed")
	}
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

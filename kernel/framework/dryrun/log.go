package dryrun

import (
	"strings"

	"k8s.io/klog/v2"
)

// words put upstream's words right in the log of a process that only plans.
var words = strings.NewReplacer(
	"Ensuring load balancer", "Planning load balancer", "Ensured load balancer", "Planned load balancer, and changed nothing",
	"EnsuringLoadBalancer", "PlanningLoadBalancer", "EnsuredLoadBalancer", "PlannedLoadBalancer",
	"Updating load balancer", "Planning an update of the load balancer", "Updated load balancer", "Planned an update of the load balancer, and changed nothing",
	"Successfully initialized node", "Planned, and changed nothing: would have initialized node", "Initializing node", "Planning node",
	"Deleting node", "Planning, and changing nothing: would delete node", "deleting node since", "would delete node since",
	"Adding finalizer", "Would add finalizer", "Removing finalizer", "Would remove finalizer", "Patching status", "Would patch status",
)

// LogFilter is the filter of such a log.
type LogFilter struct{}

var _ klog.LogFilter = LogFilter{}

// Filter implements [klog.LogFilter].
func (LogFilter) Filter(args []any) []any { return planned(args) }

// FilterF implements [klog.LogFilter].
func (LogFilter) FilterF(format string, args []any) (string, []any) {
	return words.Replace(format), planned(args)
}

// FilterS implements [klog.LogFilter].
func (LogFilter) FilterS(message string, keysAndValues []any) (string, []any) {
	return words.Replace(message), planned(keysAndValues)
}

// planned returns the arguments with their texts put right. The caller keeps its own.
func planned(args []any) []any {
	all := make([]any, len(args))
	for n, arg := range args {
		if text, ok := arg.(string); ok {
			arg = words.Replace(text)
		}
		all[n] = arg
	}
	return all
}

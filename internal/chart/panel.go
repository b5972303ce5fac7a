package chart

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Panel is one graph of the dashboard, or one value at its top.
type Panel struct {
	Title string
	// Doc says what it shows, and what to do about it.
	Doc    string
	Unit   string
	Legend string
	Expr   string
	// Stat says that it is the value of now. States are texts and colours of values, and Bad is from which value on it is red, where it has none.
	Stat   bool
	States []State
	Bad    int
}

// State is what a value of a panel means.
type State struct {
	Value        int
	Text, Colour string
}

// The series that the variables of the dashboard choose. Those of kube-state-metrics have the namespace of a Service.
const (
	ofCluster = `cluster=~"$cluster"`
	ofProgram = ofCluster + `,namespace=~"$namespace"`
	ofCloud   = ofProgram + `,cloud=~"$cloud"`
	// leaders are the processes of this program: others have leases too.
	leaders = `leader_election_master_status{` + ofProgram + `,name="` + leasePlaceholder + `"}`
)

// chosen are the series of a metric of the catalogue that the variables choose.
func chosen(d *metric.Definition, suffix string) string { return d.Name + suffix + "{" + ofCloud + "}" }

// rateOf is how often it happens in a second, by labels.
func rateOf(by string, d *metric.Definition, suffix string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s[5m]))", by, chosen(d, suffix))
}

// ninetieth is what a tenth exceeds.
func ninetieth(by string, d *metric.Definition) string {
	return fmt.Sprintf("histogram_quantile(0.9, %s)", rateOf(by+", le", d, "_bucket"))
}

// worst is the least or the most of all processes and clusters, by cloud.
func worst(function string, d *metric.Definition) string {
	return fmt.Sprintf("%s by (cloud) (%s)", function, chosen(d, ""))
}

// now are the values at the top, from what matters most.
func now() []Panel {
	waiting := `kube_node_spec_taint{` + ofCluster + `,key="node.cloudprovider.kubernetes.io/uninitialized"}`
	services := `kube_service_spec_type{` + ofCluster + `,type="LoadBalancer"}`
	addresses := `kube_service_status_load_balancer_ingress{` + ofCluster + `}`
	// Without kube-state-metrics there is no value, and not 0.
	zero := "0 * count(kube_node_info{" + ofCluster + "})"
	list := []Panel{
		{Title: "Leader", Unit: "short", Legend: "leaders", Expr: "sum(" + leaders + ")", States: []State{{0, "nobody leads", "red"}},
			Doc: "How many processes lead: one for each cluster. Without one Nodes and load balancers are not taken care of: alert CCMNoLeader."},
		{Title: "Cloud", Unit: "short", Legend: "{{cloud}}", Expr: worst("min", metric.CloudState), States: []State{{0, "down", "red"}, {1, "up", "green"}},
			Doc: "Whether the last call to the cloud succeeded. Nothing is deleted while it is down: alert CCMCloudDown."},
		{Title: "Nodes waiting", Unit: "short", Legend: "Nodes", Bad: 1, Expr: "count(max by (cluster, node) (" + waiting + ") == 1) or " + zero,
			Doc: "Nodes with the taint of new Nodes: they take no Pods until their machine is found. Their events name what was looked for. Of kube-state-metrics."},
		{Title: "Services without address", Unit: "short", Legend: "Services", Bad: 1,
			Expr: "count(max by (cluster, namespace, service) (" + services + ") unless on (cluster, namespace, service) max by (cluster, namespace, service) (" + addresses + ")) or " + zero,
			Doc:  "Services of type LoadBalancer that have no load balancer yet: cloud-controller-manager explain service says why. Of kube-state-metrics."},
		{Title: "Deletion brake", Unit: "short", Legend: "{{cloud}}", Expr: worst("max", metric.BrakeEngaged), States: []State{{0, "off", "green"}, {1, "holds Nodes", "red"}},
			Doc: "Whether more Nodes seem to be gone than may be deleted at once. They are held until it is proved, or an operator releases the brake: alert CCMDeletionBrake."},
	}
	for i := range list {
		list[i].Stat = true
	}
	return list
}

// Panels returns the values at the top of the dashboard, then its graphs.
func Panels() []Panel {
	return append(now(), []Panel{
		{Title: "Requests by code", Unit: "reqps", Legend: "{{cloud}} {{code}}", Expr: rateOf("cloud, code", metric.Requests, ""), Doc: "Requests to the cloud. 429 is one too many for its limit, \"error\" one without an answer."},
		{Title: "Requests by operation", Unit: "reqps", Legend: "{{cloud}} {{operation}}", Expr: rateOf("cloud, operation", metric.Requests, ""), Doc: "What the requests were for."},
		{Title: "Duration of requests, 90 %", Unit: "s", Legend: "{{cloud}} {{operation}}", Expr: ninetieth("cloud, operation", metric.RequestSeconds), Doc: "How long the cloud takes to answer nine of ten requests."},
		{Title: "Wait for the rate limit, 90 %", Unit: "s", Legend: "{{cloud}} {{api}} {{priority}}", Expr: ninetieth("cloud, api, priority", metric.LimiterWaitSeconds), Doc: "How long nine of ten requests wait before they are sent. Those that matter most go first: alert CCMRequestsWait."},
		{Title: "Requests left in the cloud's window", Unit: "short", Legend: "{{cloud}} {{api}}", Expr: "min by (cloud, api) (" + chosen(metric.RateRemaining, "") + ")", Doc: "What the cloud says is left of its limit. Others who use the account take of it too."},
		{Title: "Failed calls by class", Unit: "ops", Legend: "{{cloud}} {{class}}", Expr: rateOf("cloud, class", metric.CallFailures, ""), Doc: "The class decides what is tried again, and when."},
		{Title: "Machines in the list", Unit: "short", Legend: "{{cloud}}", Expr: worst("max", metric.SnapshotSize), Doc: "Machines in the last list that was believed."},
		{Title: "Age of the list when used", Unit: "s", Legend: "{{cloud}}", Expr: worst("max", metric.SnapshotAge), Doc: "An old list is read again before anything is concluded from it."},
		{Title: "Reads of the list by result", Unit: "ops", Legend: "{{cloud}} {{result}}", Expr: rateOf("cloud, result", metric.Refreshes, ""), Doc: "Lists that are incomplete or shrank suspiciously are not used: alert CCMSuspiciousInventory."},
		{Title: "Verdicts about missing machines", Unit: "ops", Legend: "{{cloud}} {{verdict}}", Expr: rateOf("cloud, verdict", metric.Verdicts, ""), Doc: "Nodes that may be deleted (gone), and why others are kept."},
		{Title: "Changes by result", Unit: "ops", Legend: "{{cloud}} {{kind}} {{verb}} {{result}}", Expr: rateOf("cloud, kind, verb, result", metric.Operations, ""), Doc: "Changes of the cloud: alert CCMOperationsFail."},
		{Title: "Drift repaired", Unit: "ops", Legend: "{{cloud}}", Expr: rateOf("cloud", metric.Drifts, ""), Doc: "Load balancers that somebody else changed, and that were brought back: alert CCMDrift."},
		{Title: "Work in queues", Unit: "short", Legend: "{{name}}", Expr: "sum by (name) (workqueue_depth{" + ofProgram + "})", Doc: "Nodes and Services that wait for a controller."},
		{Title: "Processes that lead", Unit: "short", Legend: "{{cluster}} {{pod}}", Expr: leaders, Doc: "1 for the process that leads, 0 for those that wait."},
	}...)
}

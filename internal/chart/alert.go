package chart

import (
	"bytes"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

const repository = "https://github.com/multicloud-ccm/multicloud-ccm"

// leasePlaceholder stands for the name of the lease, which the templates know.
const leasePlaceholder = "$LEASE"

// Alert is an alerting rule and its runbook.
type Alert struct {
	Name     string `json:"name"`
	Expr     string `json:"expr"`
	For      string `json:"for"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	// Runbook is what to do, in one line.
	Runbook string `json:"-"`
	URL     string `json:"runbookURL"`
}

// Alerts returns the alerts the chart ships.
func Alerts() []Alert {
	all := []Alert{
		{Name: "CCMNoLeader", For: "5m", Severity: "critical", Expr: noLeader(),
			Summary: "No cloud controller manager leads{{ with $labels.cluster }} in cluster {{ . }}{{ end }}: Nodes and load balancers are not taken care of.",
			Runbook: "Look at the Pods and their logs, then at who holds the lease: `kubectl -n kube-system get lease cloud-controller-manager -o yaml`. In a Prometheus of several clusters the label `cluster` tells them apart. A cluster that was taken down has the alert for a day."},
		{Name: "CCMCloudDown", For: "10m", Severity: "critical", Expr: metric.CloudState.Name + " == 0",
			Summary: "The API of {{ $labels.cloud }} does not answer, or refuses the credentials.",
			Runbook: "Nothing is deleted meanwhile. Check the cloud's status page and the credentials; a rotated Secret is used without a restart."},
		{Name: "CCMUnauthorized", For: "5m", Severity: "critical", Expr: failures("unauthorized", "5m") + " > 0",
			Summary: "{{ $labels.cloud }} refuses the credentials.",
			Runbook: "Check that the credentials in the Secret are valid and have the permissions of the provider's page."},
		{Name: "CCMThrottled", For: "15m", Severity: "warning",
			Expr:    fmt.Sprintf(`sum by (cloud, api) (rate(%[1]s{code="429"}[10m])) / sum by (cloud, api) (rate(%[1]s[10m])) > 0.05`, metric.Requests.Name),
			Summary: "{{ $labels.cloud }} answers more than 5 % of the requests with 429.",
			Runbook: "Something else uses the same account or token. Give the cluster a token of its own, or lower cloudAPI.qps."},
		{Name: "CCMRequestsWait", For: "15m", Severity: "warning",
			Expr:    fmt.Sprintf(`histogram_quantile(0.9, sum by (cloud, api, le) (rate(%s_bucket[10m]))) > 10`, metric.LimiterWaitSeconds.Name),
			Summary: "Requests to {{ $labels.cloud }} wait more than 10 s for the rate limit, or for a slow cloud.",
			Runbook: "The cluster asks for more than the cloud's limits allow; work is late, not lost. Have the limit raised, then set cloudAPI.qps. Where `ccm_cloud_request_duration_seconds` says that answers take seconds, the cloud is slow, and neither helps."},
		{Name: "CCMDeletionBrake", For: "1m", Severity: "critical", Expr: metric.BrakeEngaged.Name + " == 1",
			Summary: "More Nodes of {{ $labels.cloud }} seem to be gone than may be deleted at once; deletions are held back.",
			Runbook: "Compare the cloud's console with the events DeletionBrakeEngaged of the Nodes. When the machines are really gone, run `cloud-controller-manager release-brake`, or wait: see the times in docs/explanation/node-safety.md. When they are not, leave everything as it is: no Node is deleted, and a restart changes nothing about that; `safety.nodeDeletion.enabled=false` keeps all Nodes for as long as the cloud needs."},
		{Name: "CCMSuspiciousInventory", For: "0m", Severity: "warning",
			Expr:    fmt.Sprintf(`increase(%s{result="suspicious"}[15m]) > 0`, metric.Refreshes.Name),
			Summary: "The list of machines of {{ $labels.cloud }} shrank in a way that is not believed.",
			Runbook: "Check which project and region the credentials see. Lists that are not believed are not used, and Nodes are kept."},
		{Name: "CCMInventoryWrong", For: "5m", Severity: "warning", Expr: metric.InventoryFileWrong.Name + " == 1",
			Summary: "The inventory of {{ $labels.cloud }} has mistakes: new entries do not count.",
			Runbook: "Its last version without mistakes counts, and no Node changes. A restart would end at once, with every mistake in one message; the log has them too. `cloud-controller-manager doctor` names each with its place."},
		{Name: "CCMOperationsFail", For: "15m", Severity: "warning",
			Expr:    fmt.Sprintf(`sum by (cloud, kind) (rate(%s{result="failed"}[10m])) > 0`, metric.Operations.Name),
			Summary: "Changes of {{ $labels.kind }} on {{ $labels.cloud }} keep failing.",
			Runbook: "The events of the Service or Node say which field and why: `kubectl get events -A --field-selector type=Warning`."},
		{Name: "CCMFirewallFull", For: "15m", Severity: "warning", Expr: metric.FirewallLeftOut.Name + " > 0",
			Summary: "The firewall of {{ $labels.cloud }} has no room for {{ $value }} openings that Services need.",
			Runbook: "What is open stays open; free room goes to the oldest Service that waits. The event FirewallFull on each Service has the ports that stay closed: `kubectl get events -A --field-selector reason=FirewallFull`. Fewer node ports, or adjoining ones, need fewer rules; a ResourceQuota (`services.nodeports`) bounds what a namespace may have."},
		{Name: "CCMKubeletCertificateWaits", For: "1m", Severity: "warning", Expr: metric.CertificateWaiting.Name + " > 600",
			Summary: "A kubelet on {{ $labels.cloud }} has been waiting for more than 10 minutes for the certificate that it serves with.",
			Runbook: "`cloud-controller-manager doctor node` names each Node and why it waits; so does the event KubeletCertificateWaits on it. Who knows that a request is right approves it: `kubectl certificate approve NAME`. Those of machines beside an API server always wait for somebody. See [verified TLS to kubelets](../how-to/kubelet-certificates.md)."},
		{Name: "CCMDrift", For: "0m", Severity: "warning", Expr: fmt.Sprintf("increase(%s[1h]) > 3", metric.Drifts.Name),
			Summary: "Somebody else keeps changing load balancers of {{ $labels.cloud }}.",
			Runbook: "Look for a second cloud controller manager, or a tool that manages the same balancers."},
		{Name: "CCMDryRunWouldChange", For: "0m", Severity: "info", Expr: fmt.Sprintf(`increase(%s{result="dry_run"}[1h]) > 0`, metric.Operations.Name),
			Summary: "The dry run on {{ $labels.cloud }} would have changed something.",
			Runbook: "Read the plans in the log before switching safety.mode to enforce."},
	}
	all = append(all, stateAlerts()...)
	for i := range all {
		all[i].URL = repository + "/blob/main/docs/reference/alerts.md#" + all[i].anchor()
	}
	return all
}

// stateAlerts are those about what kube-state-metrics tells.
func stateAlerts() []Alert {
	return []Alert{
		{Name: "CCMNodeUninitialised", For: "10m", Severity: "warning",
			Expr:    `max by (node) (kube_node_spec_taint{key="node.cloudprovider.kubernetes.io/uninitialized"}) == 1`,
			Summary: "Node {{ $labels.node }} waits for its machine to be found.",
			Runbook: "The Node's events name the machine that was looked for. The metric comes from kube-state-metrics."},
		{Name: "CCMNodesUninitialised", For: "15m", Severity: "critical",
			Expr:    `count(max by (node) (kube_node_spec_taint{key="node.cloudprovider.kubernetes.io/uninitialized"}) == 1) > 5`,
			Summary: "{{ $value }} Nodes wait for their machines to be found: new ones take no Pods.",
			Runbook: "So many at once are seldom the Nodes' fault. Run `cloud-controller-manager doctor`: credentials, region and project come first. The metric comes from kube-state-metrics."},
		{Name: "CCMServiceWithoutAddress", For: "15m", Severity: "warning",
			Expr:    `max by (namespace, service) (kube_service_spec_type{type="LoadBalancer"}) unless on (namespace, service) max by (namespace, service) (kube_service_status_load_balancer_ingress)`,
			Summary: "Service {{ $labels.namespace }}/{{ $labels.service }} still has no load balancer.",
			Runbook: "The Service's events say what the cloud refused: `kubectl describe service`, or `cloud-controller-manager explain service NAMESPACE/NAME`. A Service with another loadBalancerClass is not this controller's. The metrics come from kube-state-metrics."},
	}
}

// site is the page on which the expressions are shown: it cuts longer lines.
var site = layout.Page{Width: 76}

// noLeader holds for each cluster that had a controller manager within a day and has no leader now, or, where there was
// none at all, once. An absent() alone misses one cluster among several that Prometheus sees.
func noLeader() string {
	const status = `leader_election_master_status{name="` + leasePlaceholder + `"}`
	return fmt.Sprintf("max by (cluster) (max_over_time(%[1]s[1d])) unless max by (cluster) (%[1]s == 1) or on () absent(%[1]s == 1)", status)
}

func failures(class, window string) string {
	return fmt.Sprintf(`sum by (cloud) (rate(%s{class=%q}[%s]))`, metric.CallFailures.Name, class, window)
}

func (a Alert) anchor() string { return string(bytes.ToLower([]byte(a.Name))) }

// writeAlerts writes the runbook.
func writeAlerts(b *bytes.Buffer) {
	b.WriteString("# Alerts\n\n" + header)
	b.WriteString("The chart renders these with `metrics.prometheusRule.enabled=true`.\n")
	for _, a := range Alerts() {
		fmt.Fprintf(b, "\n## %s\n\n%s for %s, when\n\n```promql\n%s```\n\n%s\n", a.Name, a.Severity, a.For, site.Wrap("", "  ", a.Expr), a.Runbook)
	}
}

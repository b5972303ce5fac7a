package chart

import (
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Panel is one graph of the dashboard.
type Panel struct {
	Title  string
	Unit   string
	Legend string
	Expr   string
}

// Panels returns the graphs of the dashboard, two in a row.
func Panels() []Panel {
	rate := func(by string, d *metric.Definition, suffix string) string {
		return fmt.Sprintf("sum by (%s) (rate(%s%s[5m]))", by, d.Name, suffix)
	}
	p90 := func(by string, d *metric.Definition) string {
		return fmt.Sprintf("histogram_quantile(0.9, %s)", rate(by+", le", d, "_bucket"))
	}
	return []Panel{
		{"Cloud answers", "short", "{{cloud}}", metric.CloudState.Name},
		{"Deletion brake", "short", "{{cloud}}", metric.BrakeEngaged.Name},
		{"Requests by code", "reqps", "{{cloud}} {{code}}", rate("cloud, code", metric.Requests, "")},
		{"Requests by operation", "reqps", "{{cloud}} {{operation}}", rate("cloud, operation", metric.Requests, "")},
		{"Duration of requests, 90 %", "s", "{{cloud}} {{operation}}", p90("cloud, operation", metric.RequestSeconds)},
		{"Wait for the rate limit, 90 %", "s", "{{cloud}} {{api}} {{priority}}", p90("cloud, api, priority", metric.LimiterWaitSeconds)},
		{"Requests left in the cloud's window", "short", "{{cloud}} {{api}}", metric.RateRemaining.Name},
		{"Failed calls by class", "ops", "{{cloud}} {{class}}", rate("cloud, class", metric.CallFailures, "")},
		{"Machines in the list", "short", "{{cloud}}", metric.SnapshotSize.Name},
		{"Age of the list when used", "s", "{{cloud}}", metric.SnapshotAge.Name},
		{"Reads of the list by result", "ops", "{{cloud}} {{result}}", rate("cloud, result", metric.Refreshes, "")},
		{"Verdicts about missing machines", "ops", "{{cloud}} {{verdict}}", rate("cloud, verdict", metric.Verdicts, "")},
		{"Changes by result", "ops", "{{cloud}} {{kind}} {{verb}} {{result}}", rate("cloud, kind, verb, result", metric.Operations, "")},
		{"Drift repaired", "ops", "{{cloud}}", rate("cloud", metric.Drifts, "")},
		{"Work in queues", "short", "{{name}}", "sum by (name) (workqueue_depth)"},
		{"Leader", "short", "{{pod}}", "leader_election_master_status"},
	}
}

// Places on Grafana's grid, which is 24 wide.
const (
	panelWidth  = 12
	panelHeight = 8
)

// dashboard returns Grafana's JSON model. The data source is a variable, because its name
// differs everywhere.
func dashboard() map[string]any {
	source := map[string]any{"type": "prometheus", "uid": "${datasource}"}
	var panels []map[string]any
	for i, p := range Panels() {
		panels = append(panels, map[string]any{
			"id": i + 1, "type": "timeseries", "title": p.Title, "datasource": source,
			"gridPos":     map[string]int{"x": i % 2 * panelWidth, "y": i / 2 * panelHeight, "w": panelWidth, "h": panelHeight},
			"fieldConfig": map[string]any{"defaults": map[string]any{"unit": p.Unit, "min": 0}, "overrides": []any{}},
			"targets":     []map[string]any{{"refId": "A", "expr": p.Expr, "legendFormat": p.Legend, "datasource": source}},
		})
	}
	return map[string]any{
		"title": "multicloud-ccm", "uid": "multicloud-ccm", "schemaVersion": 39, "editable": true,
		"tags": []string{"kubernetes", "multicloud-ccm"}, "refresh": "1m",
		"time":       map[string]string{"from": "now-6h", "to": "now"},
		"templating": map[string]any{"list": []map[string]any{{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"}}},
		"panels":     panels,
	}
}

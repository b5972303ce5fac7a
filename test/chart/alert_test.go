package chart_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/internal/chart"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

var (
	quoted   = regexp.MustCompile(`"[^"]*"`)
	name     = regexp.MustCompile(`[a-z0-9]+(?:_[a-z0-9]+)+\b`)
	grouping = regexp.MustCompile(`by \(([a-z, ]+)\)`)
)

// others are metrics that are not of our catalogue; true for those of the program, which
// TestProgramRuns looks for in what it serves.
var others = map[string]bool{
	"leader_election_master_status":             true, // a shared Prometheus gives it the label cluster
	"workqueue_depth":                           true,
	"kube_node_spec_taint":                      false, // of kube-state-metrics
	"kube_node_info":                            false,
	"kube_service_spec_type":                    false,
	"kube_service_status_load_balancer_ingress": false,
}

// metricsOf returns the metrics of an expression.
func metricsOf(expr string) []string {
	var names []string
	for _, found := range name.FindAllString(quoted.ReplaceAllString(expr, ""), -1) {
		if found != "histogram_quantile" && found != "max_over_time" {
			names = append(names, found)
		}
	}
	return names
}

// Alerts and graphs use metrics that exist, by labels that they have.
func TestExpressions(t *testing.T) {
	expressions := map[string]string{}
	for _, a := range chart.Alerts() {
		expressions[a.Name] = a.Expr
		if a.Runbook == "" || a.Summary == "" || a.For == "" {
			t.Errorf("%s lacks a text", a.Name)
		}
	}
	for _, p := range chart.Panels() {
		expressions[p.Title] = p.Expr
	}
	for title, expr := range expressions {
		used := metricsOf(expr)
		if len(used) == 0 {
			t.Errorf("%s uses no metric: %s", title, expr)
		}
		for _, metricName := range used {
			if _, other := others[metricName]; other {
				continue
			}
			d := definition(strings.TrimSuffix(metricName, "_bucket"))
			if d == nil {
				t.Errorf("%s: there is no metric %s", title, metricName)
				continue
			}
			for _, match := range grouping.FindAllStringSubmatch(expr, -1) {
				for label := range strings.SplitSeq(match[1], ", ") {
					if label != "le" && !slices.Contains(d.Labels, label) {
						t.Errorf("%s: %s has no label %s", title, metricName, label)
					}
				}
			}
		}
	}
}

func definition(metricName string) *metric.Definition {
	for _, d := range metric.All() {
		if d.Name == metricName {
			return d
		}
	}
	return nil
}

// The lease's name is in the alert that looks for a leader.
func TestAlertFollowsTheLease(t *testing.T) {
	values := []string{minimal("sim"), "{leaderElection: {resourceName: my-lease}, metrics: {prometheusRule: {enabled: true, disabledAlerts: [CCMDrift]}}}"}
	text, _ := mustRender(t, release{values: values}).find("PrometheusRule", "").MarshalJSON()
	if !strings.Contains(string(text), `{name=\"my-lease\"}`) || strings.Contains(string(text), "CCMDrift") || strings.Contains(string(text), "$LEASE") {
		t.Errorf("%s", text)
	}
}

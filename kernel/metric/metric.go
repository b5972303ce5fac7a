// Package metric is the catalogue of metrics. Every metric is declared here once;
// kernel/framework registers them and docs/reference/metrics.md is generated from them.
package metric

// Type is the type of a metric.
type Type string

// Types of metrics.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Definition declares a metric.
type Definition struct {
	Name   string
	Type   Type
	Labels []string
	// Help is the help text; it names the unit.
	Help string
	// Buckets are the upper bounds of a histogram.
	Buckets []float64
}

// Sink receives measurements. Label values are given in the order of Definition.Labels.
type Sink interface {
	// Add adds to a counter.
	Add(d *Definition, value float64, labels ...string)
	// Set sets a gauge.
	Set(d *Definition, value float64, labels ...string)
	// Observe adds to a histogram.
	Observe(d *Definition, value float64, labels ...string)
}

var seconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// The metrics. "cloud" is the name of the cloud entry, with one cloud the provider's name. "api" is the part
// of the cloud's API that is limited apart, see cloud.API, and empty for the rest.
var (
	Requests           = &Definition{"ccm_cloud_requests_total", Counter, []string{"cloud", "api", "operation", "code"}, "HTTP requests to the cloud by driver operation and status code; code is \"error\" when no answer came.", nil}
	RequestSeconds     = &Definition{"ccm_cloud_request_duration_seconds", Histogram, []string{"cloud", "api", "operation"}, "Duration of HTTP requests to the cloud in seconds.", seconds}
	LimiterWaitSeconds = &Definition{"ccm_cloud_limiter_wait_seconds", Histogram, []string{"cloud", "api", "priority"}, "Time requests waited for the rate limit, or for a slow cloud to answer those under way, in seconds, by what they are for: node_init, existence, deletion, begun, creation, change, refresh.", seconds}
	RateRemaining      = &Definition{"ccm_cloud_rate_limit_remaining", Gauge, []string{"cloud", "api"}, "Requests left in the cloud's own window, as its headers say.", nil}
	CallFailures       = &Definition{"ccm_cloud_call_failures_total", Counter, []string{"cloud", "operation", "class"}, "Failed driver calls by failure class.", nil}
	SnapshotAge        = &Definition{"ccm_inventory_age_seconds", Gauge, []string{"cloud"}, "Age of the machine list in seconds when it was last used.", nil}
	SnapshotSize       = &Definition{"ccm_inventory_instances", Gauge, []string{"cloud"}, "Machines in the list.", nil}
	Refreshes          = &Definition{"ccm_inventory_refreshes_total", Counter, []string{"cloud", "result"}, "Reads of the whole machine list by result: installed, failed, incomplete, suspicious.", nil}
	Verdicts           = &Definition{"ccm_absence_verdicts_total", Counter, []string{"cloud", "verdict"}, "Decisions about machines that seem gone: gone, or why not.", nil}
	BrakeEngaged       = &Definition{"ccm_deletion_brake_engaged", Gauge, []string{"cloud"}, "1 while the deletion brake holds deletions back.", nil}
	Operations         = &Definition{"ccm_operations_total", Counter, []string{"cloud", "kind", "verb", "result"}, "Planned operations by result: applied, failed, blocked, dry_run.", nil}
	Drifts             = &Definition{"ccm_balancer_drift_total", Counter, []string{"cloud"}, "Balancers that were changed outside Kubernetes and brought back.", nil}
	TakeoversRefused   = &Definition{"ccm_balancer_takeovers_refused_total", Counter, []string{"cloud"}, "Services that named another Service's balancer and were refused; each pair counts once in 10 minutes.", nil}
	Duplicates         = &Definition{"ccm_balancer_duplicates_total", Counter, []string{"cloud"}, "Second balancers of one Service that were deleted.", nil}
	FirewallLeftOut    = &Definition{"ccm_firewall_openings_left_out", Gauge, []string{"cloud"}, "Openings of Services that the cloud's firewall has no room for, in the last pass.", nil}
	InventoryFileWrong = &Definition{"ccm_inventory_file_wrong", Gauge, []string{"cloud"}, "1 while the file of --cloud-config that says which machines there are has mistakes, and its last version without mistakes counts.", nil}
	Certificates       = &Definition{"ccm_kubelet_certificate_decisions_total", Counter, []string{"cloud", "decision"}, "Decisions about the serving certificates that kubelets ask for: approved, denied, or why a request waits.", nil}
	CertificateSeconds = &Definition{"ccm_kubelet_certificate_approval_seconds", Histogram, []string{"cloud"}, "Time from when this process saw a kubelet's request to its approval, in seconds.", seconds}
	CertificateWaiting = &Definition{"ccm_kubelet_certificate_oldest_request_seconds", Gauge, []string{"cloud"}, "How long the oldest request that waits has been waiting, since this process saw it, in seconds; 0 where none waits.", nil}
	CloudState         = &Definition{"ccm_cloud_up", Gauge, []string{"cloud"}, "1 when the last call to the cloud succeeded, 0 when it failed for want of credentials or an answer.", nil}
)

// All returns the catalogue in the order of the documentation.
func All() []*Definition {
	return []*Definition{
		Requests, RequestSeconds, LimiterWaitSeconds, RateRemaining, CallFailures,
		SnapshotAge, SnapshotSize, Refreshes, Verdicts, BrakeEngaged, Operations, Drifts, TakeoversRefused, Duplicates, CloudState,
		FirewallLeftOut, InventoryFileWrong, Certificates, CertificateSeconds, CertificateWaiting,
	}
}

// Discard is a Sink that forgets everything.
type Discard struct{}

// Add implements Sink.
func (Discard) Add(*Definition, float64, ...string) {}

// Set implements Sink.
func (Discard) Set(*Definition, float64, ...string) {}

// Observe implements Sink.
func (Discard) Observe(*Definition, float64, ...string) {}

// OrDiscard returns the sink, or Discard where it is nil.
func OrDiscard(sink Sink) Sink {
	if sink == nil {
		return Discard{}
	}
	return sink
}

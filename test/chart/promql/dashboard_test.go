package promql_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"

	"github.com/multicloud-ccm/multicloud-ccm/internal/chart"
)

// What the program served at the begin and at the end of making Services, in `make bench CLOUD=digitalocean NODES=100
// BENCH_FLAGS='-services 10' PROFILE=DIR`: the lines of DIR/digitalocean-100/services.metrics-*.txt that begin with ccm_ or workqueue_depth.
const begin, end = "testdata/bench-begin.txt", "testdata/bench-end.txt"

// observed is what kube-state-metrics serves beside it, and a program with an election.
const observed = `kube_node_info{node="a"} 1
kube_node_spec_taint{node="a",key="node.cloudprovider.kubernetes.io/uninitialized"} 1
kube_node_spec_taint{node="b",key="example.com/other"} 1
kube_service_spec_type{namespace="shop",service="web",type="LoadBalancer"} 1
kube_service_spec_type{namespace="shop",service="new",type="LoadBalancer"} 1
kube_service_status_load_balancer_ingress{namespace="shop",service="web",ip="192.0.2.1"} 1
leader_election_master_status{name="cloud-controller-manager",pod="one"} 1
leader_election_master_status{name="cloud-controller-manager",pod="two"} 0
leader_election_master_status{name="kube-controller-manager",pod="one"} 1
`

// unseen are panels of what did not happen in that run, where the emulator told no limit either.
var unseen = map[string]bool{"Requests left in the cloud's window": true, "Failed calls by class": true, "Verdicts about missing machines": true, "Drift repaired": true}

// Every panel shows a value of a Prometheus that scraped a bench run: it asks for metrics and labels that are served.
func TestPanelsOfABenchRun(t *testing.T) {
	series := scraped(t)
	for _, p := range chart.Panels() {
		found := ask(t, p, series, map[string]string{})
		if len(found) == 0 && !unseen[p.Title] {
			t.Errorf("%s shows nothing: %s", p.Title, p.Expr)
		}
		if other := ask(t, p, series, map[string]string{"cluster": "another"}); len(other) > 0 {
			t.Errorf("%s does not follow the choice of a cluster: %v", p.Title, other)
		}
	}
}

// The values at the top are those of the run, and of what is observed beside it.
func TestValuesOfABenchRun(t *testing.T) {
	series := scraped(t)
	got := map[string]string{}
	for _, p := range chart.Panels() {
		if p.Stat {
			for _, sample := range ask(t, p, series, map[string]string{"cloud": "digitalocean"}) {
				got[p.Title] += sample.Metric.String() + strconv.FormatFloat(sample.F, 'f', -1, 64)
			}
		}
	}
	for title, want := range map[string]string{
		"Leader": "{}1", "Cloud": `{cloud="digitalocean"}1`, "Nodes waiting": "{}1", "Services without address": "{}1", "Deletion brake": `{cloud="digitalocean"}0`,
	} {
		if got[title] != want {
			t.Errorf("%s: %q, want %q", title, got[title], want)
		}
	}
}

// Nothing waits, and nothing is known, are not the same.
func TestNothingWaits(t *testing.T) {
	node := scrape(t, map[string]string{}, `kube_node_info{node="a"} 1`)
	for _, p := range chart.Panels() {
		if p.Title != "Nodes waiting" {
			continue
		}
		if found := ask(t, p, node, nil); len(found) != 1 || found[0].F != 0 {
			t.Errorf("no Node waits: %v", found)
		}
		if found := ask(t, p, nil, nil); len(found) != 0 {
			t.Errorf("without kube-state-metrics: %v", found)
		}
	}
}

// scraped are the series of the run: a scrape at its begin, and one at its end a minute later and again after that.
func scraped(t *testing.T) []storage.Series {
	t.Helper()
	var texts []string
	for _, path := range []string{begin, end, end} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text)+observed)
	}
	return scrape(t, map[string]string{"namespace": "kube-system"}, texts...)
}

// scrape makes series of what was served minute by minute. Prometheus adds the labels of the target.
func scrape(t *testing.T, target map[string]string, texts ...string) (all []storage.Series) {
	t.Helper()
	points, order := map[string][]promql.FPoint{}, []labels.Labels{}
	for minute, text := range texts {
		for line := range strings.Lines(text) {
			at := strings.LastIndex(line, " ")
			metric, err := parser.ParseMetric(line[:at])
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			with := labels.NewBuilder(metric)
			for name, text := range target {
				if !metric.Has(name) {
					with.Set(name, text)
				}
			}
			metric = with.Labels()
			if points[metric.String()] == nil {
				order = append(order, metric)
			}
			points[metric.String()] = append(points[metric.String()], promql.FPoint{T: time.Duration(minute * int(time.Minute)).Milliseconds(), F: value})
		}
	}
	for _, metric := range order {
		all = append(all, promql.NewStorageSeries(promql.Series{Metric: metric, Floats: points[metric.String()]}))
	}
	return all
}

// ask evaluates a panel with what is chosen for its variables, all where nothing is.
func ask(t *testing.T, p chart.Panel, series []storage.Series, chosen map[string]string) promql.Vector {
	t.Helper()
	expr := strings.ReplaceAll(p.Expr, "$LEASE", "cloud-controller-manager")
	for _, variable := range []string{"cluster", "namespace", "cloud"} {
		value, is := chosen[variable]
		if !is {
			value = ".*"
		}
		expr = strings.ReplaceAll(expr, "$"+variable, value)
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1_000_000, Timeout: time.Minute})
	defer func() { _ = engine.Close() }()
	query, err := engine.NewInstantQuery(context.Background(), database(series), nil, expr, time.UnixMilli(0).Add(2*time.Minute))
	if err != nil {
		t.Fatalf("%s: %v", p.Title, err)
	}
	defer query.Close()
	result := query.Exec(context.Background())
	vector, err := result.Vector()
	if err != nil {
		t.Fatalf("%s: %v", p.Title, err)
	}
	return append(promql.Vector{}, vector...)
}

// Package promql_test evaluates the chart's alerts with Prometheus' own engine.
package promql_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"

	"github.com/multicloud-ccm/multicloud-ccm/internal/chart"
)

// Prometheus can read what the chart ships.
func TestExpressionsAreRead(t *testing.T) {
	for _, a := range chart.Alerts() {
		if _, err := parser.ParseExpr(a.Expr); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	for _, p := range chart.Panels() {
		if _, err := parser.ParseExpr(strings.ReplaceAll(p.Expr, "$__rate_interval", "5m")); err != nil {
			t.Errorf("%s: %v", p.Title, err)
		}
	}
}

// A series has a value for each minute, as Prometheus' own tests write them: "0x59" is 60 times 0, and "_x9" is none for 10 minutes.
const (
	leads    = " 1x120"
	waits    = " 0x120"
	lost     = " 1x59 0x60"
	ended    = " 1x59"
	returned = " 1x29 _x58 1x30"
)

// CCMNoLeader tells of the cluster that has no leader, and of no other one.
func TestNoLeader(t *testing.T) {
	tests := map[string]struct {
		series []string
		want   string
	}{
		"two clusters with leaders":          {[]string{`{cluster="a",pod="1"}` + leads, `{cluster="a",pod="2"}` + waits, `{cluster="b",pod="1"}` + leads}, ""},
		"one of two has standbys only":       {[]string{`{cluster="a",pod="1"}` + lost, `{cluster="a",pod="2"}` + waits, `{cluster="b",pod="1"}` + leads}, `{cluster="a"}`},
		"the Pods of one of two are gone":    {[]string{`{cluster="a",pod="1"}` + ended, `{cluster="b",pod="1"}` + leads}, `{cluster="a"}`},
		"both are gone":                      {[]string{`{cluster="a",pod="1"}` + ended, `{cluster="b",pod="1"}` + ended}, `{cluster="a"} {cluster="b"}`},
		"another Pod took over":              {[]string{`{cluster="a",pod="1"}` + ended, `{cluster="a",pod="2"} 0x59 1x60`}, ""},
		"it came back":                       {[]string{`{cluster="a",pod="1"}` + returned, `{cluster="b",pod="1"}` + leads}, ""},
		"two jobs see the leader":            {[]string{`{job="x"}` + leads, `{job="y"}` + leads}, ""},
		"two jobs, one sees the standby":     {[]string{`{job="x",pod="1"}` + leads, `{job="y",pod="2"}` + waits}, ""},
		"two jobs see that nobody leads":     {[]string{`{job="x"}` + lost, `{job="y"}` + lost}, "{}"},
		"two jobs in one of two clusters":    {[]string{`{cluster="a",job="x"}` + lost, `{cluster="a",job="y"}` + ended, `{cluster="b",job="x"}` + leads}, `{cluster="a"}`},
		"one cluster, which has no label":    {[]string{`{pod="1"}` + leads}, ""},
		"nobody was ever there":              {nil, "{}"},
		"another program's leader":           {[]string{`{name="kube-controller-manager"}` + leads}, "{}"},
		"never a leader, and nobody's label": {[]string{`{pod="1"}` + waits}, "{}"},
	}
	for name, tt := range tests {
		if got := strings.Join(holds(t, "CCMNoLeader", tt.series), " "); got != tt.want {
			t.Errorf("%s: it holds for %q, want %q", name, got, tt.want)
		}
	}
}

// holds evaluates an alert after two hours, and returns the labels of what it holds for.
func holds(t *testing.T, alert string, series []string) []string {
	t.Helper()
	var all []storage.Series
	for _, s := range series {
		all = append(all, parse(t, s))
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 100_000, Timeout: time.Minute})
	t.Cleanup(func() { _ = engine.Close() })
	query, err := engine.NewInstantQuery(context.Background(), database(all), nil, expression(t, alert), time.UnixMilli(0).Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	vector, err := query.Exec(context.Background()).Vector()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, sample := range vector {
		found = append(found, sample.Metric.String())
	}
	return found
}

func expression(t *testing.T, alert string) string {
	t.Helper()
	for _, a := range chart.Alerts() {
		if a.Name == alert {
			return strings.ReplaceAll(a.Expr, "$LEASE", "cloud-controller-manager")
		}
	}
	t.Fatalf("there is no alert %s", alert)
	return ""
}

// parse reads labels and values of leader_election_master_status. Its label name is that of our lease unless it says another one.
func parse(t *testing.T, text string) storage.Series {
	t.Helper()
	metric, values, err := parser.ParseSeriesDesc("leader_election_master_status" + text)
	if err != nil {
		t.Fatal(err)
	}
	if !metric.Has("name") {
		metric = labels.NewBuilder(metric).Set("name", "cloud-controller-manager").Labels()
	}
	series := promql.Series{Metric: metric}
	for minute, v := range values {
		if !v.Omitted {
			series.Floats = append(series.Floats, promql.FPoint{T: time.Duration(minute * int(time.Minute)).Milliseconds(), F: v.Value})
		}
	}
	return promql.NewStorageSeries(series)
}

// database has all series in memory.
func database(all []storage.Series) storage.Queryable {
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			set := &found{SeriesSet: storage.EmptySeriesSet()}
			for _, s := range all {
				if matches(s.Labels(), matchers) {
					set.series = append(set.series, s)
				}
			}
			return set
		},
	}}
}

func matches(of labels.Labels, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		if !m.Matches(of.Get(m.Name)) {
			return false
		}
	}
	return true
}

// found are the series of a query, one after the other.
type found struct {
	storage.SeriesSet
	series []storage.Series
	read   int
}

func (f *found) Next() bool {
	f.read++
	return f.read <= len(f.series)
}

func (f *found) At() storage.Series { return f.series[f.read-1] }

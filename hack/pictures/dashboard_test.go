package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const dashboardFile = "../../charts/multicloud-ccm/files/dashboard.json"

// model is the one that Grafana's sidecar loads from a ConfigMap in every version that people run.
type model = dashboard.Dashboard //nolint:staticcheck // its successor is a resource of Grafana's own API server

// strict decodes a dashboard as Grafana's own SDK does, and refuses what it does not know.
func strict(t *testing.T, data []byte) (model, error) {
	t.Helper()
	plugins.RegisterDefaultPlugins()
	// It returns an empty list, and not nil, where there is no error, and for that reason leaves the panels out.
	err := new(model).UnmarshalJSONStrict(data)
	if list, is := errors.AsType[cog.BuildErrors](err); !is || len(list) > 0 {
		return model{}, err
	}
	var d model
	if err := json.Unmarshal(data, &d); err != nil {
		return d, err
	}
	if list, is := errors.AsType[cog.BuildErrors](d.Validate()); is && len(list) > 0 {
		return d, list
	}
	return d, nil
}

// Grafana knows every field of the chart's dashboard. Every panel says what it shows, and has a place of its own.
func TestDashboardIsGrafanas(t *testing.T) {
	data, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	d, err := strict(t, data)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[[2]uint32]string{}
	stats := 0
	for _, p := range d.Panels {
		panel := p.Panel
		if panel == nil || panel.Description == nil || *panel.Description == "" || panel.GridPos == nil {
			t.Fatalf("a panel lacks its description or place: %+v", panel)
		}
		if panel.Type == "stat" {
			stats++
		}
		for x := range panel.GridPos.W {
			for y := range panel.GridPos.H {
				place := [2]uint32{panel.GridPos.X + x, panel.GridPos.Y + y}
				if other, is := taken[place]; is || place[0] >= 24 {
					t.Errorf("%s and %s are both at %v, of 24 columns", *panel.Title, other, place)
				}
				taken[place] = *panel.Title
			}
		}
	}
	if stats != 5 || len(d.Panels) <= stats {
		t.Errorf("%d of %d panels are values", stats, len(d.Panels))
	}
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "datasource cluster namespace cloud" {
		t.Errorf("variables %q", got)
	}
}

// What Grafana does not know is found at every level.
func TestDashboardIsDecodedStrictly(t *testing.T) {
	data, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, mutation := range [][2]string{
		{`"title": "multicloud-ccm"`, `"title": "multicloud-ccm", "titel": "x"`},
		{`"gridPos": {`, `"gridPos": {"z": 1,`},
		{`"colorMode": "background"`, `"colourMode": "background"`},
		{`"legendFormat"`, `"legend"`},
	} {
		mutant := strings.Replace(string(data), mutation[0], mutation[1], 1)
		if mutant == string(data) || !json.Valid([]byte(mutant)) {
			t.Fatalf("%s is not in the dashboard", mutation[0])
		}
		if _, err := strict(t, []byte(mutant)); err == nil {
			t.Errorf("%s is accepted", mutation[1])
		}
	}
}

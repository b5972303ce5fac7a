package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

var everyEntry = []plan.Entry{
	{Plan: plan.Plan{Cloud: "sim", Subject: "Node worker-1"}},
	{Plan: plans["every-verb"], Warnings: []plan.Warning{{Reason: "TargetSkipped", Message: "worker-2: its provider-ID\nis malformed"}}, Notes: []string{"names are\nexamples"}},
	{Plan: plans["blocked"]},
	{Plan: plans["replacement"]},
	{Plan: plans["nothing"], Error: plan.NewFailure(&cloud.Invalid{Field: "algorithm", Value: "x", Want: "want y"})},
	{Plan: plans["nothing"], Warnings: []plan.Warning{{Reason: "InvalidConfiguration", Message: "algorithm: \"x\" is not possible: want y; size: \"z\" is not possible: want w"}, {Reason: "TargetSkipped", Message: "worker-2"}},
		Error: plan.NewFailure(errors.Join(&cloud.Invalid{Field: "size", Value: "z", Want: "want w"}, &cloud.Invalid{Field: "algorithm", Value: "x", Want: "want y"}))},
	{Plan: plans["hostile"]},
	{Plan: plans["steps"]},
}

var reports = map[string]plan.Report{
	"report-nothing": plan.NewReport("sim", []string{"nodes"}, everyEntry[:1]),
	"report-every":   plan.NewReport("sim", []string{"nodes", "services"}, everyEntry),
	"report-empty":   plan.NewReport("sim", nil, nil),
}

func TestReportGolden(t *testing.T) {
	for name, r := range reports {
		var text, coloured, narrow, data bytes.Buffer
		if err := errors.Join(r.Text(&text, layout.Page{}), r.Text(&coloured, layout.Page{Colour: true}), r.Text(&narrow, layout.Page{Width: 60}), asJSON(&data, r)); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(narrow.String()) {
			if layout.Length(line) > 60+1 {
				t.Errorf("%s: a line is too long: %s", name, line)
			}
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".narrow.txt", narrow.Bytes())
		golden(t, name+".colour.txt", coloured.Bytes())
		golden(t, name+".json", data.Bytes())
	}
}

// asJSON writes a report as the command line does.
func asJSON(w io.Writer, report plan.Report) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func TestReportCounts(t *testing.T) {
	for name, want := range map[string]string{
		"report-nothing": "{1 0 0 0 0 0 0} false false",
		"report-empty":   "{0 0 0 0 0 0 0} false false",
		"report-every":   "{8 5 4 5 3 2 2} true true",
	} {
		r := reports[name]
		if got := fmt.Sprintf("%v %t %t", r.Summary, r.Differs(), r.Failed()); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestReportWriteErrors(t *testing.T) {
	r := reports["report-every"]
	if err := r.Text(fullDisk{}, layout.Page{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want that of the writer", err)
	}
	if plan.NewFailure(nil) != nil {
		t.Error("nil is a failure")
	}
}

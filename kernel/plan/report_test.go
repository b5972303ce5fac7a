package plan_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

var everyEntry = []plan.Entry{
	{Plan: plan.Plan{Cloud: "sim", Subject: "Node worker-1"}},
	{Plan: plans["every-verb"], Warnings: []plan.Warning{{Reason: "TargetSkipped", Message: "worker-2: its provider-ID\nis malformed"}}, Notes: []string{"names are\nexamples"}},
	{Plan: plans["blocked"]},
	{Plan: plans["replacement"]},
	{Plan: plans["nothing"], Error: plan.NewFailure(&cloud.Invalid{Field: "algorithm", Value: "x", Want: "want y"})},
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
		var text, coloured, data bytes.Buffer
		if err := errors.Join(r.Text(&text, false), r.Text(&coloured, true), r.JSON(&data)); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".colour.txt", coloured.Bytes())
		golden(t, name+".json", data.Bytes())
	}
}

func TestReportCounts(t *testing.T) {
	for name, want := range map[string]string{
		"report-nothing": "{1 0 0 0 0 0 0} false false",
		"report-empty":   "{0 0 0 0 0 0 0} false false",
		"report-every":   "{7 5 4 5 3 2 1} true true",
	} {
		r := reports[name]
		if got := fmt.Sprintf("%v %t %t", r.Summary, r.Differs(), r.Failed()); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestReportWriteErrors(t *testing.T) {
	r := reports["report-every"]
	for name, err := range map[string]error{"text": r.Text(fullDisk{}, false), "json": r.JSON(fullDisk{})} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want that of the writer", name, err)
		}
	}
	if plan.NewFailure(nil) != nil {
		t.Error("nil is a failure")
	}
}

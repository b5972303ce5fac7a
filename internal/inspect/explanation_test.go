package inspect

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Values come from objects that anybody may have written: they reach no terminal as control
// sequences, and make no lines of their own.
func TestExplanationText(t *testing.T) {
	e := Explanation{Version: 1, Subject: "Service shop/web"}
	s := e.section("Annotations")
	s.add("a", "\x1b[2J", "counts\nas")
	s.problem("b", "", "want c")
	var out strings.Builder
	if err := e.Text(&out, layout.Page{}); err != nil {
		t.Fatal(err)
	}
	const want = "Service shop/web\n\nAnnotations\n! b  \"\"         (want c)\n  a  \"\\x1b[2J\"  (\"counts\\nas\")\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// A value of 100 kB is not repeated for people.
func TestExplanationOfLongValues(t *testing.T) {
	e := Explanation{Version: 1, Subject: "Service shop/web"}
	long := strings.Repeat("x", 100_000)
	e.section("Annotations").problem("a", long, "ignored: "+long)
	var out strings.Builder
	if err := e.Text(&out, layout.Page{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); len(got) > 8_000 || strings.Count(got, "characters more)") != 2 {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}

// What is to be done is said once.
func TestExplainPlan(t *testing.T) {
	e := Explanation{Version: 1, Subject: "Service shop/web"}
	explainPlan(&e, plan.Entry{Plan: plan.Plan{Operations: []cloud.Operation{
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "name", Before: "a", After: "b", Reason: "why"},
		{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "17", Blocked: "not now"},
	}}})
	var out strings.Builder
	if err := e.Text(&out, layout.Page{}); err != nil {
		t.Fatal(err)
	}
	const want = "Service shop/web\n\nTo be done now\n! blocked  create target 17      (not now)\n  update   balancer name: a → b  (why)\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

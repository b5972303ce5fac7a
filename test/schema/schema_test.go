package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/test/schema"
)

// A schema takes what a command prints with everything in it, and refuses it with one mistake.
func TestSchemasRefuseMistakes(t *testing.T) {
	report := doctor.Report{{
		ID: "nodes", Scope: doctor.Nodes, Link: "https://example.org/#nodes",
		Outcome: doctor.Outcome{Level: doctor.Failure, Message: "it fails", Evidence: []string{"a"}, Fix: "mend it"},
	}}
	explanation := inspect.Explanation{Version: inspect.ExplanationVersion, Subject: "Node a", Sections: []inspect.Section{
		{Title: "Targets", Facts: []inspect.Fact{{Name: "a", Value: "in", Why: "b", Problem: true}}},
	}}
	for command, tt := range map[string]struct {
		document any
		mistakes map[string]string
	}{
		"doctor": {report.Document(), map[string]string{
			`"level":"failure"`: `"level":"bad"`, `"scope":"node"`: `"scope":"pod"`, `"version":1`: `"version":2`, `"id":"nodes"`: `"ID":"nodes"`,
			`"evidence":["a"]`: `"evidence":"a"`, `"skipped":0`: `"left":0`, `"ok":0`: `"ok":"0"`,
		}},
		"explain": {explanation, map[string]string{
			`"version":1`: `"version":"1"`, `"problem":true`: `"problem":"yes"`, `"value":"in",`: ``, `"subject":"Node a"`: `"subject":null`,
		}},
	} {
		text, err := json.Marshal(tt.document)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Check(command, string(text)); err != nil {
			t.Errorf("%s: %v\n%s", command, err, text)
		}
		for right, wrong := range tt.mistakes {
			if changed := strings.Replace(string(text), right, wrong, 1); changed == string(text) || schema.Check(command, changed) == nil {
				t.Errorf("%s: %s passes for %s:\n%s", command, wrong, right, changed)
			}
		}
	}
}

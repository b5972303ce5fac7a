package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan/plantest"
)

var update = flag.Bool("update", false, "write the golden files")

var plans = map[string]plan.Plan{
	"nothing": {Cloud: "sim", Subject: "Service shop/web"},
	"every-verb": {Cloud: "sim", Subject: "Service shop/web", Operations: []cloud.Operation{
		{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "17"},
		{Verb: cloud.Create, Kind: cloud.KindListener, Key: "tcp/443", After: "HTTPS to HTTP 31443"},
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "algorithm", Before: "round_robin", After: "least_connections", Reason: "the annotation says so"},
		{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80", Field: "targetPort", Before: "31080", After: "31081"},
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "allow", Before: "10.0.0.0/8"},
		{Verb: cloud.Delete, Kind: cloud.KindListener, Key: "tcp/8080", Before: "TCP to 31808"},
		{Verb: cloud.Delete, Kind: cloud.KindTarget, Key: "3"},
	}},
	"blocked": {Cloud: "sim", Subject: "Service shop/web", Operations: []cloud.Operation{
		{Verb: cloud.Create, Kind: cloud.KindTarget, Key: "17"},
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "scope", Before: "external", After: "internal", Blocked: "this cloud cannot change it"},
	}},
	"replacement": {Cloud: "sim", Subject: "Service shop/web", Operations: []cloud.Operation{
		{Verb: cloud.Delete, Kind: cloud.KindBalancer, Before: "web: external, 3 targets", Reason: "scope can only change on a new balancer", Destructive: true},
		{Verb: cloud.Create, Kind: cloud.KindBalancer, After: "web: internal, 3 targets"},
	}},
	"other-subjects": {Cloud: "east", Subject: "Routes", Operations: []cloud.Operation{
		{Verb: cloud.Create, Kind: cloud.KindRoute, Key: "10.244.1.0/24", After: "node-1"},
		{Verb: cloud.Update, Kind: cloud.KindFirewall, Field: "openings", Before: "tcp 80", After: "tcp 80, tcp 443"},
		{Verb: cloud.Delete, Kind: cloud.KindNode, Key: "node-9", Destructive: true},
	}},
	"steps": {
		Cloud: "openstack", Subject: "Service shop/web", Operations: []cloud.Operation{
			{Verb: cloud.Update, Kind: cloud.KindListener, Key: "tcp/80", Field: "targetProtocol", Before: "TCP", After: "HTTP"},
		},
		Steps: []cloud.Operation{
			{Verb: cloud.Create, Kind: "pool", Key: "tcp/80 HTTP"},
			{Verb: cloud.Update, Kind: "member", Key: "tcp/80 HTTP", After: "3"},
			{Verb: cloud.Update, Kind: "listener", Key: "tcp/80", Field: "default_pool_id", Before: "pool tcp/80 TCP", After: "pool tcp/80 HTTP"},
			{Verb: cloud.Delete, Kind: "pool", Key: "tcp/80 TCP"},
			{Verb: cloud.Create, Kind: "service", Key: "service 80"},
		},
	},
	// Values come from Services: they must not reach a terminal as control sequences, nor
	// forge lines of the plan.
	"hostile": {Cloud: "sim", Subject: "Service shop/\x1b[2Jweb", Operations: []cloud.Operation{
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "name", Before: "a\n  + create node x", After: "\u202egnp.exe <b>&\u00e4\xff"},
		{Verb: cloud.Update, Kind: cloud.KindBalancer, Field: "scope", Blocked: "because\r", Before: "x", After: "y"},
	}},
}

func TestGolden(t *testing.T) {
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			var text, data bytes.Buffer
			if err := errors.Join(p.Text(&text), plantest.WriteJSON(&data, p)); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.Bytes())
			golden(t, name+".json", data.Bytes())
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestJSONIsLossless(t *testing.T) {
	for _, name := range []string{"every-verb", "blocked", "replacement", "other-subjects"} {
		var data bytes.Buffer
		if err := plantest.WriteJSON(&data, plans[name]); err != nil {
			t.Fatal(err)
		}
		var got plan.Plan
		if err := json.Unmarshal(data.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plans[name], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEmpty(t *testing.T) {
	blocked := cloud.Operation{Verb: cloud.Update, Blocked: "it can't"}
	open := cloud.Operation{Verb: cloud.Create}
	tests := []struct {
		name       string
		operations []cloud.Operation
		executable []cloud.Operation
	}{
		{"no operations", nil, nil},
		{"blocked only", []cloud.Operation{blocked}, nil},
		{"both", []cloud.Operation{blocked, open}, []cloud.Operation{open}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := plan.Plan{Operations: test.operations}
			if diff := cmp.Diff(test.executable, p.Executable()); diff != "" {
				t.Errorf("Executable() (-want +got):\n%s", diff)
			}
			if p.Empty() != (test.executable == nil) {
				t.Errorf("Empty() = %v", p.Empty())
			}
		})
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	p := plans["every-verb"]
	for name, write := range map[string]error{"text": p.Text(fullDisk{})} {
		if !errors.Is(write, errFull) {
			t.Errorf("%s: error %v, want that of the writer", name, write)
		}
	}
}

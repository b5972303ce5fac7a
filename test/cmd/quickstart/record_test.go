package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The recording that the documentation shows is one of this program: all its rows and expectations are in it, and are met.
func TestRecordingIsOfThisProgram(t *testing.T) {
	cast, err := os.ReadFile("testdata/quickstart.cast")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(cast), `\"`, `"`)
	simulated, err := newCloud(t.Context(), "sim", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer simulated.close()
	for _, r := range rows(simulated) {
		if !strings.Contains(text, pad(r.fact, factWidth)) {
			t.Errorf("it has no row %q: record it anew, see record.go", r.fact)
		}
	}
	for _, e := range expectations(simulated) {
		if !strings.Contains(text, "✓ "+e.name) {
			t.Errorf("it does not show that %q is met: record it anew, see record.go", e.name)
		}
	}
}

type buffer struct{ bytes.Buffer }

func (*buffer) Close() error { return nil }

func TestRecorder(t *testing.T) {
	var b buffer
	r, err := newRecorder(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.output([]byte("\x1b[1mone\n")); err != nil {
		t.Fatal(err)
	}
	want := `{"height":40,"version":2,"width":80}` + "\n" + `[0,"o","\u001b[1mone\n"]` + "\n"
	if b.String() != want {
		t.Errorf("recorded %q, want %q", b.String(), want)
	}
}

package app

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/command"
)

// Lines are as long as COLUMNS says; what is no terminal has no width of its own, and no colours.
func TestPage(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for columns, want := range map[string]int{"": 80, "120": 120, "0": 80, "-1": 80, "wide": 80} {
		t.Setenv("COLUMNS", columns)
		p := &paging{colour: "auto", problemsOnly: true}
		if got := p.page(file); got.Width != want || got.Colour || !got.ProblemsOnly {
			t.Errorf("COLUMNS=%s: %+v, want a width of %d, and no colour", columns, got, want)
		}
		if got := p.page(&bytes.Buffer{}); got.Width != want {
			t.Errorf("COLUMNS=%s: %+v for a buffer", columns, got)
		}
	}
	t.Setenv("NO_COLOR", "1")
	if p := (&paging{colour: "always"}); !p.page(file).Colour {
		t.Error("no colour although it is asked for")
	}
}

// The formats for programs have everything.
func TestProblemsOnlyIsForPeople(t *testing.T) {
	for name, tt := range map[string]struct {
		paging paging
		format string
		ok     bool
	}{
		"for people":  {paging{"auto", true}, "", true},
		"as JSON":     {paging{"auto", true}, "json", false},
		"all as JSON": {paging{"auto", false}, "json", true},
		"a colour":    {paging{"red", false}, "", false},
	} {
		err := tt.paging.check(tt.format)
		_, usage := errors.AsType[*command.UsageError](err)
		if (err == nil) != tt.ok || usage == tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProblemsOnlyIsAFlag(t *testing.T) {
	for _, cmd := range Subcommands() {
		want := cmd.Name() == "doctor" || cmd.Name() == "explain"
		if got := cmd.Flags().Lookup("problems-only") != nil; got != want {
			t.Errorf("%s has --problems-only: %t", cmd.Name(), got)
		}
	}
}

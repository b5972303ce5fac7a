package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sentences for which the check was written.
func TestHardSentencesAreFound(t *testing.T) {
	for _, text := range []string{
		"An address chosen by `spec.loadBalancerIP` that is no floating IP of the project yet is one most clouds let only\nadministrators make.",
		"It needs no restart. Another project does. Certificates are read again.",
		"- A route that is there without a mark and is as wanted gets one: that is how it goes.",
		"Opened are, of each target, the groups with the cluster's tag; where none has it, the only one.",
		"The permissions of upstream's policy are too many and too few: attach others.",
		"What the chart sees of wrong values it tells before anything is installed.",
		"Simply run it.", "See [here](x.md).", "| a | create a fip for it |",
		"One " + strings.Repeat("word and ", 25) + "an end.",
	} {
		if len(check(text)) == 0 {
			t.Errorf("nothing is said of %q", text)
		}
	}
}

func TestPlainSentencesPass(t *testing.T) {
	for _, text := range []string{
		"The CCM opens the security groups that have the cluster's tag.",
		"```sh\nsimply whatever is in code\n```\n",
		"Set `simply` to true.", "# Found are headings",
		"A list:\n\n- " + strings.Repeat("word ", 30) + "\n- " + strings.Repeat("word ", 30) + "\n",
	} {
		if got := check(text); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPlaceAndExitCode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("# Title\n\nGood.\n\nObviously bad.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if code := run([]string{path}, &out); code != 1 || !strings.Contains(out.String(), "page.md:5: ") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}

// Lines that the site cuts are found, in blocks of code only.
func TestWideCode(t *testing.T) {
	wide := strings.Repeat("word ", 16)
	for text, want := range map[string]int{
		"```sh\n" + wide + "\n```\n":                               2,
		"1. Do:\n\n   ```\n   short\n   " + wide + "\n   ```\n":    5,
		"```go\n" + wide + "\n```\n":                               0,
		"```sh\nhttps://" + strings.Repeat("w", 90) + " \\\n```\n": 0,
		wide + "\n": 0,
		"```sh\n" + strings.Repeat("→ ", 38) + "\n```\n": 0,
	} {
		got := 0
		for _, p := range checkCode(text) {
			got = p.line
		}
		if got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("Obviously.\n\n```\n"+wide+"\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if code := run([]string{"-code", path}, &out); code != 1 || !strings.Contains(out.String(), "page.md:4: 80 characters of code") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module writes Go files into a module of their own.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.org/m\n\ngo 1.26\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What the real go command says becomes a line for each package, and all that failed.
func TestReport(t *testing.T) {
	const head = "package p\n\nimport \"testing\"\n\n"
	dir := module(t, map[string]string{
		"good/p_test.go":   head + "func TestGood(t *testing.T) { t.Log(\"quiet\") }\nfunc TestNot(t *testing.T) { t.Skip(\"why\") }\n",
		"bad/p_test.go":    strings.Replace(head, "\"testing\"", "(\n\"fmt\"\n\"testing\"\n)", 1) + "func TestBad(t *testing.T) { fmt.Println(\"of another program\"); t.Error(\"loud\") }\nfunc TestFine(t *testing.T) { t.Log(\"hidden\") }\n",
		"panic/p_test.go":  head + "func TestPanic(t *testing.T) { panic(\"help\") }\n",
		"broken/p_test.go": head + "func TestBroken(t *testing.T) { undefined() }\n",
		"empty/p.go":       "package p\n",
	})
	t.Chdir(dir)
	var out strings.Builder
	if code := run([]string{"go", "test", "-json", "./..."}, newReport(&out, 5, false)); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"ok  ", "example.org/m/good, 1 skipped\n", "loud", "panic: help", "undefined: undefined",
		"5/5", "example.org/m/empty, no tests\n", "\nFAIL example.org/m/bad TestBad\n    p_test.go:8: loud\n", "\nFAIL example.org/m/broken\n", "\nFAIL example.org/m/panic\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q", want)
		}
	}
	for _, not := range []string{"quiet", "hidden"} {
		if strings.Contains(out.String(), not) {
			t.Errorf("it has %q", not)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestSuccess(t *testing.T) {
	dir := module(t, map[string]string{"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) { t.Log(\"said\") }\n"})
	t.Chdir(dir)
	var out strings.Builder
	if code := run([]string{"go", "test", "-json", "./..."}, newReport(&out, 1, true)); code != 0 || !strings.Contains(out.String(), "said") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}

func TestWhatRuns(t *testing.T) {
	var out strings.Builder
	r := newReport(&out, 2, false)
	r.line([]byte(`{"Action":"start","Package":"slow"}`))
	r.still(time.Now().Add(90 * time.Second))
	if !strings.Contains(out.String(), "running: slow for 90 s") {
		t.Error(out.String())
	}
}

func TestNoCommand(t *testing.T) {
	for _, command := range [][]string{nil, {"/no/such/program"}} {
		var out strings.Builder
		if code := run(command, newReport(&out, 0, false)); code == 0 || out.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", command, code, out.String())
		}
	}
}

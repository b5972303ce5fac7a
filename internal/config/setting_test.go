package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var declared = []cloud.Setting{
	{Name: "TOKEN", Required: true, Secret: true, Doc: "API token"},
	{Name: "REGION", Required: true, Doc: "region"},
	{Name: "URL", Default: "https://api"},
}

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestMissingSettingsAreAllNamed(t *testing.T) {
	_, err := New(declared, env(nil))
	if err == nil {
		t.Fatal("no error for missing required settings")
	}
	for _, want := range []string{"TOKEN", "TOKEN_FILE", "REGION", "API token"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestLookupFallsBackToDefault(t *testing.T) {
	s, err := New(declared, env(map[string]string{"TOKEN": " abc\n", "REGION": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Lookup("URL"); got != "https://api" {
		t.Errorf("URL = %q", got)
	}
	if got, _ := s.Secret("TOKEN"); got != "abc" {
		t.Errorf("TOKEN = %q, want it trimmed", got)
	}
}

func TestSecretFileIsReadAgainAfterRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(value string, modified time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	write("one\n", start)
	s, err := New(declared, env(map[string]string{"TOKEN_FILE": path, "REGION": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Secret("TOKEN"); got != "one" {
		t.Errorf("before rotation %q, want one", got)
	}
	write("two", start.Add(time.Second))
	if got, _ := s.Secret("TOKEN"); got != "two" {
		t.Errorf("after rotation %q, want two", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Secret("TOKEN"); err == nil {
		t.Error("no error for a secret file that is gone")
	}
}

func TestUndeclaredSettingPanics(t *testing.T) {
	s, err := New(nil, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for an undeclared setting")
		}
	}()
	s.Lookup("OTHER")
}

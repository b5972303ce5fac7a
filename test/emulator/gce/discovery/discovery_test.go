package discovery

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write compute.json from the module google.golang.org/api")

// TestDocumentIsTheModules: what is checked in is what Trim makes of the pinned module's file.
func TestDocumentIsTheModules(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", "google.golang.org/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	full, err := os.ReadFile(filepath.Join(dir, "compute", "v1", "compute-api.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := Trim(full, version, Emulated())
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("compute.json", want, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(want) != string(trimmed) {
		t.Error("compute.json differs from the module's; go test ./emulator/gce/discovery -update")
	}
}

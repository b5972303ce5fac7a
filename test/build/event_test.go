package build

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The recorder of the node controller is left waiting after its first event, because that one is all it ever sends.
func TestNodeControllerSendsOneEvent(t *testing.T) {
	module := strings.TrimSpace(goTool(t, "-C", ".", "list", "-m", "-f", "{{.Dir}}", "k8s.io/cloud-provider"))
	files, err := filepath.Glob(filepath.Join(module, "controllers", "node", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the node controller has no files: %v", err)
	}
	var uses []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		uses = append(uses, regexp.MustCompile(`\brecorder\.\w+\([^\n]*`).FindAllString(string(content), -1)...)
	}
	if len(uses) != 1 || !strings.Contains(uses[0], `v1.EventTypeNormal, "Synced"`) {
		t.Errorf("kernel/framework mutes its recorder for the event Synced alone; it sends %q", uses)
	}
}

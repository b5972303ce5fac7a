package build

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The recorder of the node controller is left waiting after its first event, because that one is all it ever sends. Nobody else
// is given it.
func TestNodeControllerSendsOneEvent(t *testing.T) {
	uses := usesOf(t, filepath.Join("controllers", "node"), `\brecorder\b[^\n]*`)
	sent := slices.DeleteFunc(uses, func(use string) bool {
		return regexp.MustCompile(`^recorder(: | +record\.EventRecorder| = cnc\.broadcaster\.NewRecorder\()`).MatchString(use)
	})
	if len(sent) != 1 || !strings.HasPrefix(sent[0], "recorder.Event") || !strings.Contains(sent[0], `v1.EventTypeNormal, "Synced"`) {
		t.Errorf("kernel/framework mutes its recorder for the event Synced alone; it sends %q", sent)
	}
}

// The lifecycle controller is shown Nodes that depend on the time. It only lists them.
func TestLifecycleControllerListsNodes(t *testing.T) {
	uses := usesOf(t, filepath.Join("controllers", "nodelifecycle"), `\b(nodeLister\.\w+|nodeInformer\.[^\n]*)`)
	if want := []string{"nodeInformer.Lister(),", "nodeLister.List"}; !slices.Equal(uses, want) {
		t.Errorf("it uses %q, want %q", uses, want)
	}
}

// usesOf returns what fits the expression in a folder of Kubernetes' library of controllers, without comments.
func usesOf(t *testing.T, folder, expression string) []string {
	t.Helper()
	module := strings.TrimSpace(goTool(t, "-C", ".", "list", "-m", "-f", "{{.Dir}}", "k8s.io/cloud-provider"))
	files, err := filepath.Glob(filepath.Join(module, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
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
		code := regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(string(content), "")
		uses = append(uses, regexp.MustCompile(expression).FindAllString(code, -1)...)
	}
	return uses
}

package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestIsPlugin(t *testing.T) {
	for path, want := range map[string]bool{
		"kubectl-ccm": true, "/home/alice/.krew/bin/kubectl-ccm": true, `C:\Users\alice\krew\bin\kubectl-ccm.exe`: true, "KUBECTL-CCM.EXE": true,
		"/cloud-controller-manager": false, "kubectl-ccm-old": false, "": false,
	} {
		if got := isPlugin(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
}

// The plugin calls itself by the words that are typed, and runs no controller manager.
func TestPlugin(t *testing.T) {
	root, err := newRootCommand("kubectl-ccm")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		help := printed(t, args...)
		if !strings.Contains(help, "Usage:\n  kubectl ccm") || !strings.Contains(help, "  doctor ") || strings.Contains(help, "--leader-elect") {
			t.Errorf("%q prints %s", args, help)
		}
	}
	if help := printed(t, "explain", "--help"); !strings.Contains(help, "Usage:\n  kubectl ccm explain {node NAME") ||
		!strings.Contains(help, "  kubectl ccm explain service shop/web") || !strings.Contains(help, "/cloud-controller-manager explain node worker-1") {
		t.Errorf("the help of explain: %s", help)
	}
	if line := printed(t, "--version"); line != currentVersion().String()+"\n" {
		t.Errorf("--version prints %q", line)
	}
	checkExamples(t, root)
}

// checkExamples looks for lines of examples that call another program.
func checkExamples(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	for line := range strings.Lines(cmd.Example) {
		if strings.Contains(line, " "+programName+" ") && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			t.Errorf("%s has an example of another program: %s", cmd.CommandPath(), line)
		}
	}
	for _, below := range cmd.Commands() {
		checkExamples(t, below)
	}
}

// printed is what the plugin prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	root, err := newRootCommand("kubectl-ccm")
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	root.SetOut(out)
	root.SetErr(out)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}

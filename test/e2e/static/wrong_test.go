package static_test

import (
	"os"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// usage is the exit code for a mistake on the command line or in the settings.
const usage = 64

// several is a file with mistakes, and what is said of each.
const several = head + `Zone: cellar
machines:
- {name: nas-1}
- {name: nas-2, zoen: cellar}
- {name: nas-1, names: "nas-*"}
- {name: nas-4, internalIPs: [127.0.0.1], labels: {kubernetes.io/role: nas}}
`

var mistakes = []string{
	"Zone: no such key, did you mean zone?",
	"machines[1].zoen: no such key, did you mean zone?",
	"machines[2]: has 2 of name, names and selector, want exactly one",
	"machines[2].name: nas-1 is the name of machines[0].name too",
	"machines[3].internalIPs[0]: nobody reaches a machine at 127.0.0.1",
	"machines[3].labels[kubernetes.io/role]: labels of kubernetes.io and k8s.io are not written",
}

// A file that is wrong when the process starts ends it, with one message that has every mistake: there is no version before.
func TestWrongInventoryAtStart(t *testing.T) {
	s := open(t)
	f := s.file(several)
	s.refusesToStart(f, nil, mistakes...)
	s.refusesToStart(f, map[string]string{"STATIC_SCHEMES": "aws"}, append([]string{`STATIC_SCHEMES: "aws" is not possible`}, mistakes...)...)
	s.must(os.Remove(f.path))
	s.refusesToStart(f, nil, "--cloud-config", f.path, "no such file")
}

// refusesToStart starts a CCM that ends by itself, and says why in one line.
func (s *site) refusesToStart(f *file, settings map[string]string, why ...string) {
	s.Helper()
	s.launches++
	p, err := s.StartCCM(lab.CCMOptions{Name: s.logName(), Env: settings, Args: []string{"--cloud-config=" + f.path}})
	s.must(err)
	s.Cleanup(func() { s.finish(p) })
	select {
	case <-p.Done():
	case <-s.within().Done():
		s.Fatal("the process goes on with a wrong inventory")
	}
	s.oneMessage(p.ExitCode(), "", p.Log(), why)
	if asked := s.requests(controlplane.AuditFilter{}); len(asked) > 0 {
		s.Errorf("before it ends it asks the API server for %s", asked[0].RequestURI)
	}
}

// oneMessage fails the test unless a usage error was told in one line.
func (s *site) oneMessage(code int, stdout, stderr string, has []string) {
	s.Helper()
	if message := ccm.WithoutRaceNote(stderr); code != usage || stdout != "" || strings.Count(message, "\n") != 1 {
		s.Errorf("exit code %d, want %d and one line; there is %q, and on the standard output %q", code, usage, message, stdout)
	}
	for _, want := range has {
		if strings.Count(stderr, want) != 1 {
			s.Errorf("%q does not say once: %s", stderr, want)
		}
	}
}

// The commands that look at a cluster refuse a wrong file as the controller manager does.
func TestWrongInventoryOnTheCommandLine(t *testing.T) {
	s := open(t)
	s.join(controlplane.NodeOptions{Name: "nas-1", ProvidedNodeIP: "192.168.1.5"})
	f := s.file(several)
	for _, args := range [][]string{{"plan", "nodes"}, {"explain", "node", "nas-1"}} {
		code, stdout, stderr := f.command(args...)
		s.oneMessage(code, stdout, stderr, mistakes)
	}
	// The doctor examines what can be examined without the file.
	code, stdout, _ := f.command("doctor", "--patience=1ms")
	if code != 1 {
		t.Errorf("the doctor's exit code is %d", code)
	}
	for _, want := range mistakes {
		if !strings.Contains(stdout, want) {
			t.Errorf("the doctor does not say: %s\n%s", want, stdout)
		}
	}
}

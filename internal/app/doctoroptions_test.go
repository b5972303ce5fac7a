package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

func TestElsewhereArgs(t *testing.T) {
	got := elsewhereArgs([]string{"/ccm", "--", "--cloud-config", "/a", "--cluster-name", "prod", "--kubeconfig=/b", "-v=2", "--dry-run"})
	if want := []string{"/ccm", "--cluster-name", "prod", "--dry-run"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A name among the flags of the running controller manager that is no controller's is a problem of it.
func TestMistypedControllerOfTheManager(t *testing.T) {
	e, fs, m := &examination{}, pflag.NewFlagSet("", pflag.ContinueOnError), doctor.Manager{}
	e.declare(fs)
	if err := takeFlags(fs, elsewhereArgs([]string{"--controllers=*,kubelet-serving-certificates"})); err != nil {
		t.Fatal(err)
	}
	if e.judge(fs, &m); len(m.Problems) != 1 || !strings.HasPrefix(m.Problems[0], `--controllers: "kubelet-serving-certificates" is no controller: want `) {
		t.Errorf("problems %q", m.Problems)
	}
}

// The doctor knows by the flags of the controller manager that there is no election. A dry run takes no lease whatever they say.
func TestElectionOfTheManager(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "--leader-elect=true": false, "--leader-elect=false": true, "--leader-elect=false --dry-run": false,
	} {
		e, fs, m := &examination{}, pflag.NewFlagSet("", pflag.ContinueOnError), doctor.Manager{}
		e.declare(fs)
		if err := takeFlags(fs, elsewhereArgs(strings.Fields(args))); err != nil {
			t.Fatal(err)
		}
		if e.judge(fs, &m); m.NoElection != want || len(m.Problems) > 0 {
			t.Errorf("%q: no election %t, want %t; problems %q", args, m.NoElection, want, m.Problems)
		}
	}
}

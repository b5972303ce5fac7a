package app

import (
	"testing"

	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
)

// A look has all flags that the command was given, in each spelling that is accepted, also those that all commands have.
func TestLooksHaveTheFlagsOfTheCommand(t *testing.T) {
	args := []string{"-v=2", "--cloud_provider=hcloud", "--before_uninstall", "--context=prod", "--kubeconfig", "/tmp/none"}
	cmd := newDoctorCommand()
	cmd.SetGlobalNormalizationFunc(cliflag.WordSepNormalizeFunc)
	logs.AddFlags(cmd.PersistentFlags())
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	e, fs, err := asGiven(cmd, args)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"context", "kubeconfig", "cloud-provider", "before-uninstall", "v"} {
		if of := fs.Lookup(name); !of.Changed || of.Value.String() != cmd.Flags().Lookup(name).Value.String() {
			t.Errorf("--%s=%s, given %t; want --%[1]s=%[4]s", name, of.Value, of.Changed, cmd.Flags().Lookup(name).Value)
		}
	}
	if !e.beforeUninstall {
		t.Error("the look does not know what it is for")
	}
}

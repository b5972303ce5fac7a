package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/command"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// TestFlagProblems: nobody who says zero means the default, least of all with a brake.
func TestFlagProblems(t *testing.T) {
	tests := []struct {
		arg string
		ok  bool
	}{
		{"", true},
		{"--node-deletion-max=1", true},
		{"--node-deletion-max=0", false},
		{"--node-deletion-fraction=1", true},
		{"--node-deletion-fraction=0", false},
		{"--node-deletion-fraction=1.1", false},
		{"--node-deletion-window=0", false},
		{"--node-deletion-mass-wait=0", false},
		{"--node-deletion-grace=0", false},
		{"--node-deletion-confirm-gap=-1s", false},
		{"--node-burst-window=0", false},
		{"--service-resync-period=50ns", false},
		{"--kubelet-certificate-max-duration=9m59s", false},
		{"--kubelet-certificate-max-duration=10m", true},
		{"--cloud-api-qps=-1", false},
		{"--cloud-api-qps=0", true},
		{"--adoption=own", true},
		{"--adoption=own,a1b2=shop/web", true},
		{"--adoption=a1b2=shop/web --adoption=c3=shop/api", true},
		{"--adoption=all", false},
		{"--adoption=own,any", false},
		{"--adoption=a1b2=shop", false},
		{"--firewall-denied-ports=22,2379-2381", true},
		{"--firewall-denied-ports=", true},
		{"--firewall-denied-ports=ssh", false},
	}
	for _, test := range tests {
		f := newFlags()
		var fs pflag.FlagSet
		for _, set := range f.sets().FlagSets {
			fs.AddFlagSet(set)
		}
		if err := fs.Parse(strings.Fields(test.arg)); err != nil {
			t.Fatal(err)
		}
		err := f.problems()
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.arg, err)
		}
		if _, usage := errors.AsType[*command.UsageError](err); err != nil && !usage {
			t.Errorf("%s: %T is no usage error", test.arg, err)
		}
	}
}

// A mistyped variable is told at the start, and with the one that is missing for it.
func TestMistypedVariable(t *testing.T) {
	registry.Register(registry.Provider{
		Descriptor: cloud.Descriptor{Name: "mistyped", Settings: []cloud.Setting{{Name: "MISTYPED_TOKEN", Required: true, Secret: true}}},
		New:        func(context.Context, cloud.Config) (*cloud.Driver, error) { return nil, errors.ErrUnsupported },
	})
	given := command.Flags{CloudProvider: "mistyped", ClusterName: "prod"}
	t.Setenv("MISTYPED_TOKNE", "secret")
	const meant = "did you mean MISTYPED_TOKEN?"
	if _, err := newFlags().options(given); err == nil || !strings.Contains(err.Error(), "MISTYPED_TOKEN is not set") || !strings.HasSuffix(err.Error(), meant) {
		t.Errorf("error %v", err)
	}
	t.Setenv("MISTYPED_TOKEN", "secret")
	o, err := newFlags().options(given)
	if err != nil || len(o.Warnings) != 1 || !strings.HasSuffix(o.Warnings[0], meant) || strings.Contains(o.Warnings[0], "secret") {
		t.Errorf("warnings %q, %v", o.Warnings, err)
	}
}

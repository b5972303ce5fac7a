package flag

import (
	"testing"

	"github.com/spf13/pflag"
	"k8s.io/cloud-provider/options"
)

func TestDefaults(t *testing.T) {
	o, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		t.Fatal(err)
	}
	Defaults(o)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range o.Flags(nil, nil, nil, nil, nil).FlagSets {
		flags.AddFlagSet(set)
	}
	if err := SetDefaults(flags); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"kube-api-qps":                    "400",
		"kube-api-burst":                  "800",
		"concurrent-node-syncs":           "20",
		"concurrent-node-status-updates":  "10",
		"concurrent-node-lifecycle-syncs": "10",
		"concurrent-service-syncs":        "5",
		"leader-elect-retry-period":       "500ms",
		"profiling":                       "false",
		"leader-elect-lease-duration":     "11s",
		"leader-elect-renew-deadline":     "8s",
	} {
		if got := flags.Lookup(name); got.Value.String() != want || got.DefValue != want {
			t.Errorf("--%s is %s, shown as %s, want %s", name, got.Value, got.DefValue, want)
		}
	}
}

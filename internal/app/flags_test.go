package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
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
		{"--node-deletion-grace=0", false},
		{"--node-deletion-confirm-gap=-1s", false},
		{"--node-burst-window=0", false},
		{"--service-resync-period=50ns", false},
		{"--cloud-api-qps=-1", false},
		{"--cloud-api-qps=0", true},
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
		if _, usage := errors.AsType[*framework.UsageError](err); err != nil && !usage {
			t.Errorf("%s: %T is no usage error", test.arg, err)
		}
	}
}

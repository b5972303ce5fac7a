package app

import (
	"strings"
	"testing"
)

// A flag that does not exist leads to one that does, where one is similar.
func TestFlagsThatMayBeMeant(t *testing.T) {
	for given, want := range map[string]string{
		"--cluster-nam=c":         "unknown flag: --cluster-nam, did you mean --cluster-name?",
		"--clustername=c":         "unknown flag: --clustername, did you mean --cluster-name?",
		"--provider=aws":          "unknown flag: --provider, did you mean --cloud-provider?",
		"--cloud-provder=aws":     "unknown flag: --cloud-provder, did you mean --cloud-provider?",
		"--concurent-node-syncs":  "unknown flag: --concurent-node-syncs, did you mean --concurrent-node-syncs?",
		"--cluster":               "did you mean --cluster-cidr, --cluster-id or --cluster-name?",
		"-cloud-provider=aws":     "unknown shorthand flag: 'c' in -cloud-provider=aws, did you mean --cloud-provider?",
		"--no-such-flag":          "unknown flag: --no-such-flag; see --help",
		"--node":                  "unknown flag: --node; see --help", // there are too many
		"-x":                      "unknown shorthand flag: 'x' in -x; see --help",
		"--node-deletion-max=abc": "; see --help",
		"--allow-untagged-clou":   "unknown flag: --allow-untagged-clou; see --help", // it is deprecated
	} {
		cmd, _, err := newManagerCommand()
		if err != nil {
			t.Fatal(err)
		}
		got := flagError(cmd, cmd.ParseFlags([]string{given})).Error()
		if !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want one line with %q", given, got, want)
		}
	}
}

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

// A kind that does not exist leads to one that does, after each command that takes one.
func TestKindsThatMayBeMeant(t *testing.T) {
	for line, want := range map[string]string{
		"explain servce shop/web": "did you mean service?",
		"explain servic/web":      "did you mean service?",
		"explain nodee worker-1":  "did you mean node?",
		"explain service":         "such as: explain service shop/web",
		"plan servce shop/web":    "did you mean service?",
		"plan routs":              "did you mean routes?",
		"plan firewal":            "did you mean firewall?",
		"doctor instal":           "did you mean install?",
		"doctor bundel":           "did you mean bundle?",
		"completion bsh":          "did you mean bash or zsh?",
	} {
		root, err := newRootCommand(programName)
		if err != nil {
			t.Fatal(err)
		}
		root.SilenceErrors = true
		root.SetArgs(strings.Fields(line))
		err = root.Execute()
		var out strings.Builder
		if err == nil || !strings.Contains(err.Error(), want) || exitCode(err, &out) != exitUsage {
			t.Errorf("%s: %v, want a usage error with %q", line, err, want)
		}
	}
}

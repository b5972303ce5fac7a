package app

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/component-base/version"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// versionInfo is what `version` prints. The version variables are set by the linker, see
// the Makefile.
type versionInfo struct {
	Version   string   `json:"version"`
	Commit    string   `json:"commit"`
	BuildDate string   `json:"buildDate"`
	Go        string   `json:"goVersion"`
	Platform  string   `json:"platform"`
	Providers []string `json:"providers"`
}

func newVersionCommand() *cobra.Command {
	var format *string
	cmd := newCommand(subcommand{use: "version", short: "Print the version of this binary", example: "  cloud-controller-manager version -o json", run: func(_ []string, out io.Writer) error {
		if err := checkOutput(*format); err != nil {
			return err
		}
		info := currentVersion()
		if *format != "" {
			return writeValue(out, *format, info)
		}
		_, err := fmt.Fprintln(out, info)
		return err
	}})
	format = outputFlag(cmd)
	return cmd
}

// String is the line that --version prints too. Programs of many projects are called cloud-controller-manager.
func (v versionInfo) String() string {
	return fmt.Sprintf("multicloud-ccm %s (%s, %s, %s)", v.Version, v.Commit, v.Go, v.Platform)
}

func currentVersion() versionInfo {
	v := version.Get()
	return versionInfo{
		Version: v.GitVersion, Commit: v.GitCommit, BuildDate: v.BuildDate,
		Go: runtime.Version(), Platform: v.Platform, Providers: registry.Names(),
	}
}

func userAgent() string { return "multicloud-ccm/" + version.Get().GitVersion }

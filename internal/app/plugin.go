package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const (
	programName = "cloud-controller-manager"
	// pluginName is the program's name as a plugin of kubectl, which finds its plugins by their names.
	pluginName = "kubectl-ccm"
	// pluginCall is how a user calls the plugin.
	pluginCall = "kubectl ccm"
)

const pluginLong = `It looks at a cluster and its cloud as the cloud controller manager does, from where kubectl runs.

Commands:
`

// isPlugin reports whether a program of this path was called by kubectl.
func isPlugin(path string) bool {
	// A path of Windows is told from its name wherever this runs.
	name := filepath.Base(strings.ReplaceAll(path, `\`, "/"))
	return strings.TrimSuffix(strings.ToLower(name), ".exe") == pluginName
}

// newPluginCommand returns the sub-commands as those of a plugin of kubectl. No controller manager runs under this name.
func newPluginCommand() *cobra.Command {
	commands := Subcommands()
	cmd := newCommand(subcommand{use: pluginName, short: "Look at a cluster and its cloud as the cloud controller manager does", args: knownCommand(commands)})
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: pluginCall}
	cmd.Long = pluginLong + listed(commands)
	cmd.SilenceUsage = true
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		// Every program with Kubernetes' libraries has the flag.
		if valueOf(cmd.Flags(), "version") == "true" {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), currentVersion())
			return err
		}
		return cmd.Help()
	}
	cmd.AddCommand(commands...)
	callByPlugin(cmd)
	for _, command := range commands {
		if command.Name() == "completion" {
			command.Example = pluginCompletion
		}
	}
	return cmd
}

// pluginCompletion shows how the plugin is completed: kubectl asks a program of that name, and a script of this command completes the program
// that kubectl runs.
const pluginCompletion = `  # After kubectl ccm, in each shell that completes kubectl: a program in a folder of PATH
  printf '#!/bin/sh\nexec kubectl-ccm __complete "$@"\n' > ~/.local/bin/kubectl_complete-ccm
  chmod +x ~/.local/bin/kubectl_complete-ccm
  # After kubectl-ccm: bash, with the package bash-completion
  kubectl-ccm completion bash > /etc/bash_completion.d/kubectl-ccm
  # zsh, in a folder of $fpath
  kubectl-ccm completion zsh > "${fpath[1]}/_kubectl-ccm"
  # fish
  kubectl-ccm completion fish > ~/.config/fish/completions/kubectl-ccm.fish`

// callByPlugin writes the plugin's name into the examples of a command and of those below it. The path of the program in its image
// stays.
func callByPlugin(cmd *cobra.Command) {
	lines := strings.Split(cmd.Example, "\n")
	for n, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[n] = strings.ReplaceAll(line, " "+programName+" ", " "+pluginCall+" ")
		}
	}
	cmd.Example = strings.Join(lines, "\n")
	for _, below := range cmd.Commands() {
		callByPlugin(below)
	}
}

package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that there is a completion script for.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// newCompletionCommand takes the place of cobra's own, whose help shows the flags of the root.
func newCompletionCommand() *cobra.Command {
	cmd := newCommand(subcommand{
		use: "completion {" + strings.Join(shells, " | ") + "}", short: "Print a script that completes commands, flags and values in a shell",
		long: "The shell reads the script at its start; the examples say where it looks for it.",
		example: `  # bash, with the package bash-completion
  cloud-controller-manager completion bash > /etc/bash_completion.d/cloud-controller-manager
  # zsh, in a folder of $fpath
  cloud-controller-manager completion zsh > "${fpath[1]}/_cloud-controller-manager"
  # fish
  cloud-controller-manager completion fish > ~/.config/fish/completions/cloud-controller-manager.fish
  # This shell alone
  source <(cloud-controller-manager completion bash)`,
		args: func(args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return usagef("completion: want one of %s%s", strings.Join(shells, ", "), kindMeant(args, shells...))
			}
			return nil
		},
	})
	cmd.ValidArgs = shells
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root, out := cmd.Root(), cmd.OutOrStdout()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(out, true)
		case "fish":
			return root.GenFishCompletion(out, true)
		case "zsh":
			return root.GenZshCompletion(out)
		default:
			return root.GenPowerShellCompletionWithDesc(out)
		}
	}
	return cmd
}

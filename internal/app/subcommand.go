package app

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// newSubcommand returns a command that takes no arguments and whose help shows its own
// flags only: cobra would show the root's, which are the framework's hundred flags.
func newSubcommand(use, short string, run func(out io.Writer) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: short + ".",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("%q takes no arguments, got %q", cmd.CommandPath(), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.OutOrStdout()) },
	}
	usage := func(cmd *cobra.Command, out io.Writer) {
		fmt.Fprintf(out, "Usage:\n  %s [flags]\n", cmd.CommandPath())
		if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
			fmt.Fprintf(out, "\nFlags:\n%s", flags.FlagUsages())
		}
	}
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		usage(cmd, cmd.OutOrStderr())
		return nil
	})
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n", cmd.Long)
		usage(cmd, cmd.OutOrStdout())
	})
	return cmd
}

// outputFlag adds -o and returns a pointer to its value: "" for text, or "json".
func outputFlag(cmd *cobra.Command) *string {
	return cmd.Flags().StringP("output", "o", "", `Output format: "json", or a table for people when empty.`)
}

// checkOutput refuses formats other than those of outputFlag.
func checkOutput(format string) error {
	if format == "" || format == "json" {
		return nil
	}
	return usagef("--output=%s is not a format: use json, or leave it out for a table", format)
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// subcommand declares a sub-command.
type subcommand struct {
	// use is the name, and what follows it besides flags.
	use, short string
	// path is the name with those of the commands that it is a part of, "" for a part of the root.
	path string
	// long follows the short text in the help; "" for nothing.
	long string
	// example are command lines with what they are for, for the help.
	example string
	// args checks the arguments; nil takes none.
	args func(args []string) error
	run  func(args []string, out io.Writer) error
}

// newCommand returns a command whose help shows its own flags only: cobra would show the root's,
// which are the framework's hundred flags.
func newCommand(s subcommand) *cobra.Command {
	long := s.short + "."
	if s.long != "" {
		long += "\n\n" + s.long
	}
	long += "\n\n" + exitCodesOf(cmp.Or(s.path, strings.Fields(s.use)[0]))
	cmd := &cobra.Command{
		Use: s.use, Short: s.short, Long: long, Example: s.example,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case s.args != nil:
				return s.args(args)
			case len(args) > 0:
				return usagef("%q takes no arguments, got %q", cmd.CommandPath(), args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(args, cmd.OutOrStdout()) },
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

func usage(cmd *cobra.Command, out io.Writer) {
	cmd.DisableFlagsInUseLine = true // the root's flags are not the command's
	fmt.Fprintf(out, "Usage:\n  %s [flags]\n", cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	if flags := cmd.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(out, "\nFlags:\n%s", flags.FlagUsages())
	}
}

// outputFormats are those of outputFlag for programs.
var outputFormats = []string{"json", "yaml"}

// outputFlag adds -o and returns a pointer to its value: "" for text, or a format that checkOutput knows.
func outputFlag(cmd *cobra.Command) *string {
	return cmd.Flags().StringP("output", "o", "", `Output format: "json", "yaml", or a table for people when empty.`)
}

// checkOutput refuses formats other than those of outputFlag.
func checkOutput(format string) error {
	if format == "" || slices.Contains(outputFormats, format) {
		return nil
	}
	return usagef("--output=%s is not a format: use json or yaml, or leave it out for a table", format)
}

// writeValue writes a value in a format of outputFlag that is for programs.
func writeValue(out io.Writer, format string, value any) error {
	if format == "yaml" {
		text, err := yaml.Marshal(value)
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

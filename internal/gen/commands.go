package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/app"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// writeCommands writes the manual of the sub-commands.
func writeCommands(b *bytes.Buffer, commands []*cobra.Command) {
	b.WriteString("# Commands\n\n" + header)
	b.WriteString("`cloud-controller-manager` without a sub-command runs the controller manager; its flags are on a [page of their own](flags.md).\n\n")
	for _, cmd := range commands {
		fmt.Fprintf(b, "- [`%s`](#%s): %s\n", cmd.Name(), cmd.Name(), lowerFirst(cmd.Short))
	}
	writeExitCodes(b, app.ExitCodes())
	for _, cmd := range withTheirs(commands) {
		name := cmd.CommandPath()
		usage := onSite("cloud-controller-manager "+strings.TrimSuffix(name, cmd.Name())+cmd.Use+" [flags]", "")
		fmt.Fprintf(b, "\n## %s\n\n```\n%s\n```\n\n%s\n", name, usage, cmd.Long)
		if cmd.Example != "" {
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", example(cmd.Example))
		}
		if !cmd.Flags().HasAvailableFlags() {
			continue
		}
		b.WriteString("\n")
		tableHead(b, "Flag", "Default", "What it does")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			if !f.Hidden && f.Name != "help" {
				row(b, code(name), code(f.DefValue), f.Usage)
			}
		})
	}
}

// writeExitCodes writes the table of exit codes.
func writeExitCodes(b *bytes.Buffer, all []app.ExitCode) {
	fmt.Fprintf(b, "\n## Exit codes\n\n%d, of each command: %s. One line on the standard error says what is wrong. The others:\n\n", app.UsageExitCode.Code, app.UsageExitCode.When)
	tableHead(b, "Command", "Exit code", "When")
	for _, c := range all {
		row(b, code(strings.TrimSpace("cloud-controller-manager "+c.Command)), fmt.Sprint(c.Code), c.When)
	}
}

// withTheirs returns the commands, each followed by its own sub-commands.
func withTheirs(commands []*cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range commands {
		all = append(append(all, cmd), withTheirs(cmd.Commands())...)
	}
	return all
}

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// site is the page on which lines of code are shown: it cuts longer ones.
var site = layout.Page{Width: 76}

// onSite returns a line of code in as many as the site shows; all but the last end with more.
func onSite(line, more string) string {
	page := layout.Page{Width: site.Width - len(more)}
	return strings.ReplaceAll(strings.TrimSuffix(page.Wrap("", "  ", line), "\n"), "\n", more+"\n")
}

// example returns the examples of a help text without its indentation, in lines that the site shows.
func example(text string) string {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		line = strings.TrimPrefix(line, "  ")
		if remark, is := strings.CutPrefix(line, "# "); is {
			lines[n] = strings.TrimSuffix(site.Wrap("# ", "# ", remark), "\n")
		} else {
			lines[n] = onSite(line, ` \`)
		}
	}
	return strings.Join(lines, "\n")
}

package app

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// providerRow is one provider as `providers` prints it.
type providerRow struct {
	Name         string       `json:"name"`
	Title        string       `json:"title"`
	Status       cloud.Status `json:"status"`
	Capabilities []string     `json:"capabilities"`
	ProviderID   string       `json:"providerID"`
	// Credentials are where they are read: variables, and the file of --cloud-config where it may hold some.
	Credentials []string `json:"credentials"`
}

func newProvidersCommand() *cobra.Command {
	var format *string
	cmd := newCommand(subcommand{use: "providers", short: "List the providers compiled into this binary", example: "  cloud-controller-manager providers", run: func(_ []string, out io.Writer) error {
		if err := checkOutput(*format); err != nil {
			return err
		}
		rows := []providerRow{}
		for _, p := range registry.All() {
			rows = append(rows, newProviderRow(p.Descriptor))
		}
		if *format != "" {
			return writeValue(out, *format, rows)
		}
		return printProviders(out, rows)
	}})
	format = outputFlag(cmd)
	return cmd
}

func newProviderRow(d cloud.Descriptor) providerRow {
	row := providerRow{Name: d.Name, Title: d.Title, Status: d.Status, ProviderID: d.ProviderIDForm,
		Capabilities: []string{"nodes"}, Credentials: []string{}}
	for _, capability := range []struct {
		name string
		has  bool
	}{{"loadbalancers", d.Capabilities.Balancers}, {"routes", d.Capabilities.Routes}, {"firewall", d.Capabilities.Firewalls}} {
		if capability.has {
			row.Capabilities = append(row.Capabilities, capability.name)
		}
	}
	for _, setting := range d.Settings {
		if setting.Secret && !setting.Public {
			row.Credentials = append(row.Credentials, setting.Name, setting.Name+config.FileSuffix)
		}
	}
	if d.ConfigFile != nil && d.ConfigFile.Secret() {
		row.Credentials = append(row.Credentials, "--cloud-config")
	}
	return row
}

func printProviders(out io.Writer, rows []providerRow) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATUS\tCAPABILITIES\tPROVIDER-ID\tCREDENTIALS")
	for _, row := range rows {
		credentials := inShort(row.Credentials)
		if credentials == "" {
			credentials = "none"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Name, row.Status, strings.Join(row.Capabilities, ","), row.ProviderID, credentials)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nNAME[%[1]s]: the variable NAME holds it, or NAME%[1]s the path of a file with it. docs/reference/providers has all settings.\n", config.FileSuffix)
	return err
}

// inShort joins credentials, each with that of its file.
func inShort(credentials []string) string {
	var short []string
	for _, name := range credentials {
		if at := len(short) - 1; at >= 0 && name == short[at]+config.FileSuffix {
			short[at] += "[" + config.FileSuffix + "]"
			continue
		}
		short = append(short, name)
	}
	return strings.Join(short, ",")
}

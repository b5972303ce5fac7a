package app

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/command"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

const long = `The cloud controller manager for every cloud: it initialises Nodes, removes Nodes whose
machine is gone, gives Services of type LoadBalancer a load balancer and programs routes.

Commands:
`

// listed are the sub-commands with what they do, for the help of the root.
func listed(commands []*cobra.Command) string {
	var lines []string
	for _, cmd := range commands {
		lines = append(lines, fmt.Sprintf("  %-13s  %s", cmd.Name(), strings.ToLower(cmd.Short[:1])+cmd.Short[1:]))
	}
	return strings.Join(lines, "\n")
}

func namesOf(commands []*cobra.Command) []string {
	var names []string
	for _, cmd := range commands {
		names = append(names, cmd.Name())
	}
	return names
}

// Subcommands returns all sub-commands, by name.
func Subcommands() []*cobra.Command {
	return []*cobra.Command{newAdoptCommand(), newCompletionCommand(), newDoctorCommand(), newExplainCommand(), newPlanCommand(), newProvidersCommand(), newReleaseCommand(), newVersionCommand()}
}

// newRootCommand returns the controller manager with its sub-commands, or a plugin of kubectl where the program was called by that
// name.
func newRootCommand(calledBy string) (*cobra.Command, error) {
	if isPlugin(calledBy) {
		return withHelp(newPluginCommand())
	}
	cmd, _, err := newManagerCommand()
	if err != nil {
		return nil, err
	}
	cmd.AddCommand(Subcommands()...)
	return withHelp(cmd)
}

// withHelp completes a root: its help, its mistakes, and what a shell completes.
func withHelp(cmd *cobra.Command) (*cobra.Command, error) {
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetHelpCommand(newHelpCommand())
	return cmd, completeFlags(cmd)
}

// newHelpCommand returns the sub-command help. Unlike cobra's it fails where there is no such command.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Say how a command is used",
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := help.Root().Find(args)
			if err == nil && cmd == help.Root() {
				err = cmd.Args(cmd, rest)
			}
			if err != nil {
				return err
			}
			return cmd.Help()
		},
	}
}

// FlagSets returns all flags of the controller manager by section, for the documentation.
func FlagSets() (cliflag.NamedFlagSets, error) {
	_, sets, err := newManagerCommand()
	return sets, err
}

// Flags returns every flag of the controller manager, those of logging included, as it
// parses them.
func Flags() (*pflag.FlagSet, error) {
	cmd, _, err := newManagerCommand()
	if err != nil {
		return nil, err
	}
	return cmd.Flags(), nil
}

func newManagerCommand() (*cobra.Command, cliflag.NamedFlagSets, error) {
	own := newFlags()
	cmd, sets, err := command.New(command.Options{Flags: own.sets(), Options: own.options, Providers: registry.Names(), Version: currentVersion().String()})
	if err != nil {
		return nil, sets, err
	}
	cmd.Long = long + listed(Subcommands()) + "\n\n" + exitCodesOf("")
	// One line instead of the usage text of two hundred flags.
	cmd.SilenceUsage = true
	check := knownCommand(Subcommands())
	cmd.Args = func(_ *cobra.Command, args []string) error { return check(args) }
	return cmd, sets, nil
}

// knownCommand refuses what comes to a root: it is the name of no sub-command.
func knownCommand(commands []*cobra.Command) func(args []string) error {
	return func(args []string) error {
		if len(args) == 0 {
			return nil
		}
		names := namesOf(commands)
		return usagef("%q is not a command%s", strings.Join(args, " "), cmp.Or(didYouMean(near(args[0], names)), "; commands: "+strings.Join(names, ", ")))
	}
}

// options turns flags and environment into the options of the selected cloud. Whatever is
// wrong is a usage error.
func (f *flags) options(given command.Flags) (framework.Options, error) {
	name, err := chooseProvider(given.CloudProvider, registry.Names())
	if err != nil {
		return framework.Options{}, err
	}
	if err := f.problems(); err != nil {
		return framework.Options{}, err
	}
	provider, _ := registry.Lookup(name)
	configuration, unknown, err := configure(provider, given.ClusterName, given.CloudConfig, nil)
	if err != nil {
		return framework.Options{}, err
	}
	f.tuning.KeepNodes = !f.nodeDeletion
	return framework.Options{
		Provider:  provider,
		Config:    configuration,
		Warnings:  unknown,
		ClusterID: f.clusterID,

		FormerClusterIDs: f.formerIDs,
		Mode:             f.mode(),
		Tuning:           f.tuning,
		Tagging:          f.tagging,

		KubeletCertificates: f.certificates,
		Adoption:            f.adoption,
	}, nil
}

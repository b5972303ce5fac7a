package app

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cloud-provider/names"

	"github.com/multicloud-ccm/multicloud-ccm/internal/adopt"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// adopting is one run of `adopt`.
type adopting struct {
	perspective
	from, colour string
	check        bool
	format       *string
}

const adoptLong = `It looks at a cluster that another controller manager, that of the cloud's own project, works for, and says what
happens when this one takes its place: which load balancer is found for each Service and by what evidence it is the Service's,
which ownership tags are written, what is changed besides, and which Nodes and Services are treated otherwise from then on,
each with a link. It changes nothing, takes no lease, and works beside the running controller manager, from a laptop as well.`

const adoptExample = `  # What a switch does, from a laptop: kubectl's configuration, and the cloud's credentials.
  DO_ACCESS_TOKEN=… cloud-controller-manager adopt --from=digitalocean --cluster-name=prod
  cloud-controller-manager adopt --from=openstack --cloud-config=cloud.conf
  # In a pipeline: 0 where nothing but ownership tags is written.
  cloud-controller-manager adopt --from=aws --cloud-config=cloud.conf --check
  cloud-controller-manager adopt --from=aws --cloud-config=cloud.conf -o json | jq .differences`

func newAdoptCommand() *cobra.Command {
	a := &adopting{}
	cmd := newCommand(subcommand{use: "adopt", short: "Say what a switch from the cloud's own controller manager does", long: adoptLong, example: adoptExample})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.run(cmd) }
	fs := cmd.Flags()
	a.flags(fs)
	fs.StringVar(&a.from, "from", "", "Whose controller manager is replaced: aws, digitalocean, gce, hcloud or openstack. It is the provider of the cloud too, where --cloud-provider is not given.")
	fs.BoolVar(&a.check, "check", false, "Exit with 2 when the switch changes more than ownership tags, or the load balancers have those of another cluster.")
	colourFlag(fs, &a.colour)
	a.format = outputFlag(cmd)
	return cmd
}

func (a *adopting) run(cmd *cobra.Command) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), planTimeout)
	defer cancel()
	report, err := a.report(ctx, cmd.Flags(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if *a.format != "" {
		err = writeValue(cmd.OutOrStdout(), *a.format, report)
	} else {
		err = report.Text(cmd.OutOrStdout(), (&paging{colour: a.colour}).page(cmd.OutOrStdout()))
	}
	switch {
	case err != nil:
		return err
	case report.Verdict == adopt.Trouble:
		return &codeError{code: exitFailure}
	case a.check && report.Verdict == adopt.Changes:
		return &codeError{code: exitDifferent}
	}
	return nil
}

func (a *adopting) report(ctx context.Context, fs *pflag.FlagSet, errOut io.Writer) (adopt.Report, error) {
	if err := checkOutput(*a.format); err != nil {
		return adopt.Report{}, err
	}
	if err := checkColour(a.colour); err != nil {
		return adopt.Report{}, err
	}
	if err := a.choose(fs, registry.All()); err != nil {
		return adopt.Report{}, err
	}
	a.everyService = true
	seen, err := a.look(ctx, fs, errOut)
	if err != nil {
		return adopt.Report{}, err
	}
	provider, _ := registry.Lookup(seen.Cloud.Descriptor.Name)
	if provider.Upstream.Name == "" {
		return adopt.Report{}, nothingToReplace(provider.Descriptor.Name)
	}
	report := adopt.Look(ctx, seen.inspector(), seen.Cloud.Name, provider.Upstream)
	if seen.Cloud.Routes != nil && a.clusterCIDR == "" && a.configureRoutes && seen.Enabled[names.NodeRouteController] {
		report.NotLooked = "routes, because --cluster-cidr is not set; give it the pod networks where the controller manager makes routes"
	}
	return report, nil
}

// choose makes one choice of --from and --cloud-provider. Both understand the name of the cloud, and
// --from also that of its controller manager.
func (a *adopting) choose(fs *pflag.FlagSet, all []registry.Provider) error {
	if a.from == "" {
		return a.unnamed(all)
	}
	at := slices.IndexFunc(all, func(p registry.Provider) bool { return a.from == p.Descriptor.Name || a.from == p.Upstream.Name })
	if at < 0 {
		return notProvider("from", a.from, replaceable(all))
	}
	name := all[at].Descriptor.Name
	if all[at].Upstream.Name == "" {
		return nothingToReplace(name)
	}
	if a.provider != "" && a.provider != name {
		return usagef("--from=%s is of another cloud than --cloud-provider=%s", a.from, a.provider)
	}
	return fs.Set("cloud-provider", name)
}

// unnamed says what is needed where neither the command line nor the binary names a cloud. In the Pod of a dry run the
// process does.
func (a *adopting) unnamed(all []registry.Provider) error {
	if a.provider != "" || len(all) < 2 || a.inPod() {
		return nil
	}
	names := replaceable(all)
	return usagef("--from is not set: name the controller manager that is replaced, one of %s, and give the flags that the new one will have; "+
		"for example: DO_ACCESS_TOKEN=… cloud-controller-manager adopt --from=digitalocean --cluster-name=prod", strings.Join(names, ", "))
}

// replaceable are the providers that take the place of another controller manager.
func replaceable(all []registry.Provider) []string {
	var names []string
	for _, p := range all {
		if p.Upstream.Name != "" {
			names = append(names, p.Descriptor.Name)
		}
	}
	return names
}

func nothingToReplace(provider string) error {
	return usagef("provider %s takes the place of no other controller manager: there is nothing to switch from", provider)
}

// Package command is the command line of the controller manager: the framework's command with our defaults and controllers.
package command

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/term"
	"k8s.io/component-base/version/verflag"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/dryrun"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/flag"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/readiness"
)

// stopTimeout bounds the way out after SIGTERM; Kubernetes allows 30 s in all.
const stopTimeout = 10 * time.Second

// Options describe the controller manager's command.
type Options struct {
	// Providers are the possible values of --cloud-provider. Its default is the only one.
	Providers []string
	// Version is what --version prints.
	Version string
	// Flags are added to the framework's.
	Flags cliflag.NamedFlagSets
	// Options turns the parsed flags into the options of the cloud. It runs before
	// anything starts; a *UsageError is what the user has to put right.
	Options func(Flags) (framework.Options, error)
}

// Flags are the framework's flags that matter before anything starts.
type Flags struct {
	CloudProvider string
	CloudConfig   string
	ClusterName   string
}

// UsageError is a mistake on the command line or in the environment, told in one line.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// PrintedError is an error that the framework has already printed.
type PrintedError struct{ Err error }

func (e *PrintedError) Error() string { return e.Err.Error() }

func (e *PrintedError) Unwrap() error { return e.Err }

// New returns the framework's command with our defaults, our controllers and a clean
// way out: on SIGTERM or SIGINT the controllers stop and the lease is released. The flag
// sets are for documentation, and are those of its help.
func New(o Options) (*cobra.Command, cliflag.NamedFlagSets, error) {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return nil, cliflag.NamedFlagSets{}, fmt.Errorf("building the default options: %w", err)
	}
	flag.Defaults(opts)
	app.ControllersDisabledByDefault.Insert(controller.OffByDefault()...)
	if len(o.Providers) == 1 {
		opts.KubeCloudShared.CloudProvider.Name = o.Providers[0]
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &manager{options: o, flags: opts, cancel: cancel}
	cmd := app.NewCloudControllerManagerCommand(opts, m.initialize, framework.Controllers(), names.CCMControllerAliases(), o.Flags, ctx.Done())
	m.next, cmd.RunE = cmd.RunE, m.run
	sets, err := explain(cmd, o)
	if err != nil {
		cancel()
		return nil, cliflag.NamedFlagSets{}, err
	}
	return cmd, sets, nil
}

// explain gives the command our defaults, and the help that says what flags do here. It returns all flags by section.
func explain(cmd *cobra.Command, o Options) (cliflag.NamedFlagSets, error) {
	if err := flag.SetDefaults(cmd.Flags()); err != nil {
		return cliflag.NamedFlagSets{}, fmt.Errorf("setting the default flags: %w", err)
	}
	if err := flag.SetUsages(cmd.Flags(), o.Providers); err != nil {
		return cliflag.NamedFlagSets{}, fmt.Errorf("describing the flags: %w", err)
	}
	sets, err := flag.Sets(cmd.Flags(), o.Flags)
	if err != nil {
		return cliflag.NamedFlagSets{}, err
	}
	columns, _, _ := term.TerminalSize(cmd.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(cmd, sets, columns)
	return sets, nil
}

// manager is one run of the command.
type manager struct {
	options Options
	flags   *options.CloudControllerManagerOptions
	next    func(*cobra.Command, []string) error
	cancel  context.CancelFunc
	driver  *framework.Driver
	cloud   *framework.Cloud // nil until the framework asks for it
	// abandoned is why this process, which leads, cannot.
	abandoned error
}

// run checks what has to be right before anything starts, then runs the framework's
// command until a signal.
func (m *manager) run(cmd *cobra.Command, args []string) (err error) {
	if asked := cmd.Flags().Lookup("version"); asked != nil && asked.Value.String() == "true" {
		// Upstream's word for every component is Kubernetes.
		fmt.Fprintln(cmd.OutOrStdout(), m.options.Version)
		return nil
	}
	verflag.PrintAndExitIfRequested()
	if err := m.check(cmd.Flags()); err != nil {
		return err
	}
	if !m.flags.Generic.Debugging.EnableProfiling {
		runtime.MemProfileRate = 0 // nobody can read what it would keep
	}
	o, err := m.options.Options(Flags{
		CloudProvider: m.flags.KubeCloudShared.CloudProvider.Name,
		CloudConfig:   m.flags.KubeCloudShared.CloudProvider.CloudConfigFile,
		ClusterName:   m.flags.KubeCloudShared.ClusterName,
	})
	if err != nil {
		return err
	}
	m.flags.KubeCloudShared.CloudProvider.Name = o.Provider.Descriptor.Name
	if cmd.Flags().Changed("configure-cloud-routes") && o.Provider.Descriptor.Capabilities.Routes {
		if shared := m.flags.KubeCloudShared; shared.ConfigureCloudRoutes && shared.ClusterCIDR == "" {
			return &UsageError{"--configure-cloud-routes=true needs --cluster-cidr, the pod network that routes are made for"}
		}
	}
	if o.Mode.ReadOnly() {
		if err := m.readOnly(cmd.Flags()); err != nil {
			return err
		}
	}
	if err := checkKubeconfig(m.flags.Generic.ClientConnection.Kubeconfig, m.flags.Master); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	context.AfterFunc(ctx, m.cancel)
	if m.driver, err = m.open(ctx, o); err != nil || m.driver == nil {
		return err
	}
	defer func() { err = errors.Join(err, m.abandoned, m.stop()) }()
	return m.framework(cmd, args)
}

// open opens the driver, and answers the probes while it waits for the cloud. It returns nil when the process is to end meanwhile.
func (m *manager) open(ctx context.Context, o framework.Options) (*framework.Driver, error) {
	serving := m.flags.SecureServing
	probes := readiness.NewWaiting(serving.BindAddress, serving.BindPort)
	defer probes.Close()
	o.Waits = func(error) { probes.Wait() }
	driver, err := framework.Open(ctx, o)
	if err != nil && ctx.Err() != nil {
		klog.InfoS("Stopped before the cloud answered")
		return nil, nil //nolint:nilnil // neither failed nor started
	}
	return driver, err
}

// readOnly keeps a dry run from what would change something.
func (m *manager) readOnly(flags *pflag.FlagSet) error {
	if m.flags.KubeCloudShared.UseServiceAccountCredentials {
		return &UsageError{"--use-service-account-credentials creates service accounts, which --dry-run must not: leave one of them out"}
	}
	if !flags.Changed("leader-elect") {
		// It must not take the lease of the process that does the work.
		m.flags.Generic.LeaderElection.LeaderElect = false
	}
	klog.SetLogFilter(dryrun.LogFilter{})
	return nil
}

// check refuses what the framework accepts although nothing would work with it, and what it refuses too late, without the name of the flag.
func (m *manager) check(flags *pflag.FlagSet) error {
	for _, name := range []string{"concurrent-node-syncs", "concurrent-service-syncs", "concurrent-node-lifecycle-syncs"} {
		if value, err := flags.GetInt32(name); err == nil && value < 1 {
			return &UsageError{fmt.Sprintf("--%s=%d leaves no worker: it must be at least 1", name, value)}
		}
	}
	if _, err := controller.Enabled(m.flags.Generic.Controllers); err != nil {
		return &UsageError{err.Error()}
	}
	// The election panics on these.
	election := m.flags.Generic.LeaderElection
	lease, renew, retry := election.LeaseDuration.Duration, election.RenewDeadline.Duration, election.RetryPeriod.Duration
	if election.LeaderElect && (retry <= 0 || renew <= retry*6/5 || lease <= renew) {
		return &UsageError{fmt.Sprintf(
			"--leader-elect-lease-duration=%s must be more than --leader-elect-renew-deadline=%s, and that more than 1.2 times --leader-elect-retry-period=%s, which must be more than 0",
			lease, renew, retry)}
	}
	return nil
}

// checkKubeconfig says what is missing to reach the API server: what the framework says of it names no flag.
func checkKubeconfig(path, master string) error {
	rules, server := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}, clientcmdapi.Cluster{Server: master}
	_, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{ClusterInfo: server}).ClientConfig()
	switch {
	case err != nil && path != "":
		return &UsageError{fmt.Sprintf("--kubeconfig=%s: %v", path, err)}
	case clientcmd.IsEmptyConfig(err):
		return &UsageError{"--kubeconfig is not set, and this is not a pod"}
	}
	return nil
}

// startError carries an error of framework.New through the framework, whose initializer cannot
// return one and would go on with a nil cloud.
type startError struct{ err error }

// framework runs the framework's own command, which prints its errors itself.
func (m *manager) framework(cmd *cobra.Command, args []string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			start, ok := r.(startError)
			if !ok {
				panic(r)
			}
			err = start.err
		}
	}()
	if err := m.next(cmd, args); err != nil {
		return &PrintedError{err}
	}
	return nil
}

func (m *manager) initialize(completed *cloudcontrollerconfig.CompletedConfig) cloudprovider.Interface {
	c, err := framework.New(m.driver, completed, func(err error) { m.abandoned = err; m.cancel() })
	if err != nil {
		panic(startError{err})
	}
	m.cloud = c
	c.Standby(completed)
	return c
}

func (m *manager) stop() error {
	if m.cloud == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := m.cloud.Stop(ctx); err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	klog.InfoS("Stopped")
	return nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/multicloud-ccm/multicloud-ccm/internal/config"
	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// checkup bounds all checks together.
const checkup = 2 * time.Minute

// errUnwell is the error of a report with a failure, which has been printed.
var errUnwell = errors.New("something is wrong, see the failures above")

// examination are the flags of `doctor`; they have the names they have elsewhere.
type examination struct {
	kubeconfig, provider, cloudConfig, leaseNamespace, leaseName string
	beforeUninstall                                              bool
	format                                                       *string
	warnings                                                     doctor.Report
}

func newDoctorCommand() *cobra.Command {
	e := &examination{}
	cmd := newSubcommand("doctor", "Check cluster, cloud and controller manager, and say what to do", e.run)
	fs := cmd.Flags()
	kubeconfigFlag(fs, &e.kubeconfig)
	fs.StringVar(&e.provider, "cloud-provider", "", "The provider to check; its settings are read from the environment as always.")
	fs.StringVar(&e.cloudConfig, "cloud-config", "", "Path of the provider's configuration file.")
	leaseFlags(fs, &e.leaseNamespace, &e.leaseName)
	fs.BoolVar(&e.beforeUninstall, "before-uninstall", false, "Only check that no load balancer would be left behind.")
	e.format = outputFlag(cmd)
	return cmd
}

func kubeconfigFlag(fs *pflag.FlagSet, path *string) {
	fs.StringVar(path, "kubeconfig", "", "Path of a kubeconfig file. The pod's own service account when empty.")
}

func leaseFlags(fs *pflag.FlagSet, namespace, name *string) {
	fs.StringVar(namespace, "leader-elect-resource-namespace", "kube-system", "Namespace of the leader's lease.")
	fs.StringVar(name, "leader-elect-resource-name", "cloud-controller-manager", "Name of the leader's lease.")
}

func (e *examination) run(out io.Writer) error {
	if err := checkOutput(*e.format); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkup)
	defer cancel()
	report, err := e.report(ctx)
	if err != nil {
		return err
	}
	if err := e.print(out, report); err != nil {
		return err
	}
	if report.Failed() {
		return errUnwell
	}
	return nil
}

func (e *examination) report(ctx context.Context) (doctor.Report, error) {
	var c *run.Cloud
	if !e.beforeUninstall { // which is no question to the cloud
		var err error
		if c, err = e.cloud(ctx); err != nil {
			return nil, err
		}
	}
	access, err := access(e.kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(access)
	if err != nil {
		return nil, fmt.Errorf("connecting with the API server: %w", err)
	}
	if e.beforeUninstall {
		return doctor.BeforeUninstall(ctx, client), nil
	}
	return append(e.warnings, doctor.Run(ctx, doctor.Options{Client: client, Cloud: c, LeaseNamespace: e.leaseNamespace, LeaseName: e.leaseName})...), nil
}

// warn takes a warning of the provider into the report.
func (e *examination) warn(message string) {
	e.warnings = append(e.warnings, doctor.Finding{Check: "configuration", Level: doctor.Warning, Message: message})
}

// access says how to reach the API server.
func access(kubeconfig string) (*rest.Config, error) {
	access, err := rest.InClusterConfig()
	if kubeconfig != "" {
		access, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	switch {
	case errors.Is(err, rest.ErrNotInCluster):
		return nil, usagef("--kubeconfig is not set, and this is not a pod")
	case err != nil && kubeconfig == "":
		return nil, fmt.Errorf("reading the pod's service account: %w", err)
	case err != nil:
		return nil, usagef("--kubeconfig=%s: %v", kubeconfig, err)
	}
	access.UserAgent, access.Timeout = userAgent(), cloud.CallTimeout
	return access, nil
}

func (e *examination) print(out io.Writer, report doctor.Report) error {
	if *e.format == "json" {
		return writeJSON(out, report)
	}
	return report.Text(out)
}

// cloud returns the chosen cloud, through which nothing can be changed.
func (e *examination) cloud(ctx context.Context) (*run.Cloud, error) {
	name, err := chooseProvider(e.provider, registry.Names())
	if err != nil {
		return nil, err
	}
	provider, _ := registry.Lookup(name)
	settings, err := config.New(provider.Descriptor.Settings, os.Getenv)
	if err != nil {
		return nil, usagef("provider %s: %s", name, oneLine(err))
	}
	file, err := configFile(e.cloudConfig, provider.Descriptor)
	if err != nil {
		return nil, err
	}
	transport := run.NewTransport(nil, run.TransportOptions{
		Cloud: name, Limits: provider.Descriptor.Limits, Mode: run.DryRun, ReadOnly: provider.ReadOnly, Throttled: provider.Throttled, UserAgent: userAgent(),
	})
	driver, err := provider.New(ctx, cloud.Config{
		Cloud: name, File: file, UserAgent: userAgent(), Lookup: settings.Lookup, Secret: settings.Secret,
		Transport: transport, WithTLS: transport.WithTLS, Warn: e.warn,
	})
	if err != nil {
		return nil, fmt.Errorf("starting provider %s: %w", name, err)
	}
	return run.Decorate(driver, run.Options{Descriptor: provider.Descriptor, Annotations: provider.Annotations}), nil
}

package app

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// view are the flags of the sub-commands that look at a cluster and at its cloud. They have the
// names they have elsewhere.
type view struct {
	server
	provider, cloudConfig, leaseNamespace, leaseName string
	// seen is told of every answer of the cloud; it may be nil.
	seen func(*http.Response)
	// inventory reads the inventory of the running controller manager, see learnInventory; nil where there is none, or another was given.
	inventory func() ([]byte, error)
}

func (v *view) flags(fs *pflag.FlagSet) {
	v.server.flags(fs)
	fs.StringVar(&v.provider, "cloud-provider", "", "The provider of the cloud; its settings are read from the environment as always.")
	fs.StringVar(&v.cloudConfig, "cloud-config", "", "Path of the provider's configuration file.")
	leaseFlags(fs, &v.leaseNamespace, &v.leaseName)
}

func leaseFlags(fs *pflag.FlagSet, namespace, name *string) {
	fs.StringVar(namespace, "leader-elect-resource-namespace", "kube-system", "Namespace of the leader's lease.")
	fs.StringVar(name, "leader-elect-resource-name", "cloud-controller-manager", "Name of the leader's lease.")
}

// choice is the chosen cloud with its configuration.
type choice struct {
	provider registry.Provider
	cloud.Config
	// remarks are about variables that may be typing errors.
	remarks []string
}

// configured reads the configuration of the chosen cloud, and asks nobody anything.
func (v *view) configured(clusterName string) (choice, error) {
	name, err := chooseProvider(v.provider, registry.Names())
	if err != nil {
		return choice{}, err
	}
	provider, _ := registry.Lookup(name)
	configuration, remarks, err := configure(provider, clusterName, v.cloudConfig, v.inventory)
	return choice{provider, configuration, remarks}, err
}

// cloud returns the chosen cloud, through which nothing can be changed. warn is told what the
// provider says about its configuration; qps is as in transport.Options.
func (v *view) cloud(ctx context.Context, chosen choice, qps float64, warn func(string)) (*run.Cloud, error) {
	name, provider, configuration := chosen.Cloud, chosen.provider, chosen.Config
	for _, remark := range chosen.remarks {
		warn(remark)
	}
	limited := transport.New(nil, transport.Options{
		Cloud: name, Limits: provider.Descriptor.Limits, QPS: qps, DryRun: true,
		ReadOnly: provider.ReadOnly, API: provider.API, Throttled: v.watched(provider.Throttled), Warn: warn, UserAgent: userAgent(), //nolint:bodyclose // it looks at answers that are not its own
	})
	configuration.Transport, configuration.WithTLS, configuration.Warn = limited, limited.WithTLS, warn
	ctx, answered := within(ctx)
	defer answered()
	driver, err := provider.New(ctx, configuration)
	if err != nil {
		return nil, fmt.Errorf("starting provider %s: %w", name, err)
	}
	return run.Decorate(driver, run.Options{Descriptor: provider.Descriptor, Annotations: provider.Annotations, Inventory: configuration.Inventory}), nil
}

// watched is throttled, with seen told of every answer.
func (v *view) watched(throttled func(*http.Response) bool) func(*http.Response) bool {
	if v.seen == nil {
		return throttled
	}
	return func(answer *http.Response) bool {
		v.seen(answer)
		return throttled != nil && throttled(answer)
	}
}

// running gives the flags that were not given the values that the controller manager of this
// container runs with: it is process 1 there. Outside of a container, or where process 1 is
// another program, nothing happens.
func running(fs *pflag.FlagSet, self string, read func(path string) ([]byte, error)) error {
	line, err := read("/proc/1/cmdline")
	if err != nil {
		return nil
	}
	args := splitNul(line)
	if len(args) < 2 || filepath.Base(args[0]) != filepath.Base(self) {
		return nil
	}
	return takeFlags(fs, args[1:])
}

// takeFlags gives the flags that were not given the values that they have among the arguments of
// the controller manager.
func takeFlags(fs *pflag.FlagSet, args []string) error {
	others := pflag.NewFlagSet("", pflag.ContinueOnError)
	others.ParseErrorsAllowlist.UnknownFlags = true
	others.Usage = func() {}
	values := map[string]string{}
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "output" && f.Shorthand == "" {
			others.Var(&copied{f.Value.Type(), f.Name, values}, f.Name, "")
			others.Lookup(f.Name).NoOptDefVal = f.NoOptDefVal
		}
	})
	if err := others.Parse(args); err != nil {
		return fmt.Errorf("reading the flags of the running process: %s", plainly(err))
	}
	for name, value := range values {
		if flag := fs.Lookup(name); !flag.Changed {
			if err := fs.Set(name, value); err != nil {
				return fmt.Errorf("taking a flag of the running process: %s", plainly(err))
			}
		}
	}
	return nil
}

// copied is a flag whose text is kept; of a list's, all of them.
type copied struct {
	kind, name string
	values     map[string]string
}

func (c *copied) String() string { return "" }
func (c *copied) Type() string   { return c.kind }

func (c *copied) Set(value string) error {
	if before, ok := c.values[c.name]; ok && c.kind == "stringSlice" {
		value = before + "," + value
	}
	c.values[c.name] = value
	return nil
}

func splitNul(line []byte) []string {
	var args []string
	start := 0
	for n, b := range line {
		if b == 0 {
			args = append(args, string(line[start:n]))
			start = n + 1
		}
	}
	return args
}

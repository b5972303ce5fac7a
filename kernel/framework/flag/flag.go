// Package flag has the defaults of the framework's flags, and all flags by section.
package flag

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// statusUpdates is the default of a flag whose default upstream writes down twice.
const statusUpdates = "10"

// Defaults replaces upstream's defaults, which initialise 7 nodes a second at best. Call it
// before the command is built.
func Defaults(o *options.CloudControllerManagerOptions) {
	o.Generic.ClientConnection.QPS = 400
	o.Generic.ClientConnection.Burst = 800
	o.NodeController.ConcurrentNodeSyncs = 20
	o.NodeLifecycleController.ConcurrentNodeLifecycleSyncs = 10
	o.ServiceController.ConcurrentServiceSyncs = 5
	// Nobody needs it who did not ask for it.
	o.Generic.Debugging.EnableProfiling = false
	// A standby looks at the lease every 1 to 2.2 periods, and takes over at once when it
	// was released.
	election := &o.Generic.LeaderElection
	election.RetryPeriod.Duration = 500 * time.Millisecond
	// With upstream's 15 s a standby takes over from a killed leader after 16 s and more.
	election.LeaseDuration.Duration = 11 * time.Second
	election.RenewDeadline.Duration = 8 * time.Second
}

// SetDefaults replaces the defaults that upstream sets while it declares the flags. Call
// it after the command is built, with its flags.
func SetDefaults(flags *pflag.FlagSet) error {
	flag := flags.Lookup("concurrent-node-status-updates")
	if flag == nil {
		return nil
	}
	flag.DefValue = statusUpdates
	return flag.Value.Set(statusUpdates)
}

// UpstreamDefault is the annotation of a flag that holds the default other CCMs have, where
// ours is another.
const UpstreamDefault = "upstream-default"

// Sets returns all flags by section, for help and documentation: our own first, then those of the framework that
// have to be given, such as --cloud-provider. The framework makes its sets inside
// the command and keeps them; declaring them once more gives the sections and upstream's
// defaults, the command gives the values. Flags of no section, such as those of logging, come
// last.
func Sets(declared *pflag.FlagSet, own cliflag.NamedFlagSets) (cliflag.NamedFlagSets, error) {
	var sets cliflag.NamedFlagSets
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		return sets, fmt.Errorf("building the default options: %w", err)
	}
	seen := map[string]bool{}
	sections := opts.Flags(controller.Names(), nil, names.CCMControllerAliases(), nil, nil)
	for _, source := range []cliflag.NamedFlagSets{own, generic(sections), sections} {
		for _, name := range source.Order {
			source.FlagSets[name].VisitAll(func(f *pflag.Flag) {
				flag := declared.Lookup(f.Name)
				if flag == nil || seen[f.Name] {
					return
				}
				if f.DefValue != flag.DefValue {
					flag.Annotations = map[string][]string{UpstreamDefault: {f.DefValue}}
				}
				seen[f.Name] = true
				sets.FlagSet(name).AddFlag(flag)
			})
		}
	}
	declared.VisitAll(func(f *pflag.Flag) {
		if !seen[f.Name] {
			sets.FlagSet("global").AddFlag(f)
		}
	})
	return sets, nil
}

// generic is the section with the flags that have to be given.
func generic(sections cliflag.NamedFlagSets) cliflag.NamedFlagSets {
	const name = "generic"
	return cliflag.NamedFlagSets{Order: []string{name}, FlagSets: map[string]*pflag.FlagSet{name: sections.FlagSet(name)}}
}

// usages are the texts of flags that mean something else here than upstream's texts say.
var usages = map[string]string{
	"allocate-node-cidrs":          "Accepted for compatibility: kube-controller-manager or the network plugin gives Nodes their pod networks.",
	"cidr-allocator-type":          "Accepted for compatibility, as --allocate-node-cidrs is.",
	"cloud-config":                 "Path of the provider's configuration file, where the provider reads one.",
	"cluster-cidr":                 "The pod network: one CIDR, or an IPv4 and an IPv6 one with a comma between. Routes are made to those pod networks of Nodes that are in it. Without it no routes are made.",
	"cluster-name":                 "The cluster's name. It is in the ownership tags of everything created in the cloud, unless --cluster-id is given, and on some clouds in names. Two clusters of one account need different ones. Where nothing is made in a cloud it has no effect.",
	"configure-cloud-routes":       "Make routes to the pod networks of Nodes, where the cloud has routes. Needs --cluster-cidr.",
	"external-cloud-volume-plugin": "Accepted for compatibility: no controller here reads it.",
	"node-monitor-period":          "How often it is looked at whether the machines of Nodes that are not Ready are shut down or gone.",
	"route-reconciliation-period":  "How often routes are compared with the cloud. Nodes that join have their turn at once; while they keep coming the pauses grow from a second to this period.",
	"webhooks":                     "Accepted for compatibility: there are no webhooks.",
}

// SetUsages replaces upstream's texts that are not true here. providers are the values of --cloud-provider. Call
// it after the command is built, with its flags.
func SetUsages(flags *pflag.FlagSet, providers []string) error {
	texts := map[string]string{"cloud-provider": "The cloud's provider: " + strings.Join(providers, ", ") + ". It has to be given where several are compiled in; the sub-command providers says what each can do."}
	for name, text := range usages {
		texts[name] = text
	}
	for name, text := range texts {
		flag := flags.Lookup(name)
		if flag == nil {
			return fmt.Errorf("there is no flag --%s any more", name)
		}
		flag.Usage = text
	}
	return nil
}

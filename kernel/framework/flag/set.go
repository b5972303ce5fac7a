// Package flag has the defaults of the framework's flags, and all flags by section.
package flag

import (
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

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

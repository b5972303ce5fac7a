package app

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/multicloud-ccm/multicloud-ccm/internal/cloudname"
)

// providerFlag is the flag that names the provider.
const providerFlag = "cloud-provider"

// chooseProvider returns the name that --cloud-provider means.
//
//	value           compiled in     result
//	empty           exactly one     that one
//	empty           several         error that lists them
//	known           this one too    it
//	anything else   –               error of notProvider
func chooseProvider(name string, compiled []string) (string, error) {
	switch {
	case len(compiled) == 0:
		return "", usagef("no provider is compiled into this binary; build it with `make build PROVIDERS=<name>`, one or more of: %s", strings.Join(inTree, ", "))
	case name == "" && len(compiled) == 1:
		return compiled[0], nil
	case name == "":
		return "", usagef("--%s is not set; compiled into this binary: %s; --help lists the flags and commands", providerFlag, strings.Join(compiled, ", "))
	case slices.Contains(compiled, name):
		return name, nil
	}
	return "", notProvider(providerFlag, name, compiled)
}

// givenProvider refuses a name on the command line of a sub-command that is no provider's. What the running
// controller manager is started with is another matter, which the sub-command may be there to find.
func givenProvider(fs *pflag.FlagSet, compiled []string) error {
	flag := fs.Lookup(providerFlag)
	if !flag.Changed || flag.Value.String() == "" {
		return nil
	}
	_, err := chooseProvider(flag.Value.String(), compiled)
	return err
}

// notProvider says in one sentence why a flag's value is not one of those compiled in, and what to do.
//
//	value                   error says
//	of the tree             that it is left out, and how to get it
//	another name for ours   what it is called here
//	of another CCM          what became of it, or what to use
//	similar to one          which one
//	anything else           which ones there are
func notProvider(flag, name string, compiled []string) error {
	given, list := "--"+flag+"="+name, strings.Join(compiled, ", ")
	meant := cloudname.Meaning(name)
	switch {
	case slices.Contains(inTree, name):
		return usagef("%s is left out of this binary; compiled in: %s; get it with `make build PROVIDERS=%s` or use a binary with all providers", given, list, name)
	case slices.Contains(compiled, meant):
		return usagef("%s is not a provider: it is called %s here, use --%s=%s", given, meant, flag, meant)
	case slices.Contains(inTree, meant):
		return usagef("%s is not a provider: it is called %s here, and left out of this binary; compiled in: %s; get it with `make build PROVIDERS=%s` or use a binary with all providers", given, meant, list, meant)
	case cloudname.Advice(meant) != "" && meant != strings.ToLower(name):
		return usagef("%s is not a provider here: %s: %s; compiled into this binary: %s", given, meant, cloudname.Advice(meant), list)
	case cloudname.Advice(meant) != "":
		return usagef("%s is not a provider here: %s; compiled into this binary: %s", given, cloudname.Advice(meant), list)
	}
	if question := didYouMean(similar(name, compiled)); question != "" {
		return usagef("%s is not a provider%s Compiled into this binary: %s", given, question, list)
	}
	return usagef("%s is not a provider; compiled into this binary: %s", given, list)
}

// similar returns the providers that a name resembles, or of which it resembles another name.
func similar(name string, compiled []string) []string {
	// Names of two letters resemble too much.
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(cloudname.Others())), func(other string) bool {
		return len(other) < 3 || !slices.Contains(compiled, cloudname.Meaning(other))
	})
	var found []string
	for _, candidate := range near(name, slices.Concat(compiled, others)) {
		if meant := cloudname.Meaning(candidate); !slices.Contains(found, meant) {
			found = append(found, meant)
		}
	}
	return found
}

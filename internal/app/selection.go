package app

import (
	"slices"
	"strings"
)

// chooseProvider returns the name that --cloud-provider means.
//
//	value           compiled in     result
//	empty           exactly one     that one
//	empty           several         error that lists them
//	known           this one too    it
//	known           not this one    error that says how to get it
//	of another CCM  –               error that says what became of it, or what to use
//	anything else   –               error that lists what is compiled in
func chooseProvider(name string, compiled []string) (string, error) {
	if name == "" && len(compiled) == 1 {
		return compiled[0], nil
	}
	if slices.Contains(compiled, name) {
		return name, nil
	}
	list := strings.Join(compiled, ", ")
	switch {
	case len(compiled) == 0:
		return "", usagef("no provider is compiled into this binary; build it with `make build PROVIDERS=<name>`, one or more of: %s", strings.Join(inTree, ", "))
	case name == "":
		return "", usagef("--cloud-provider is not set; compiled into this binary: %s", list)
	case slices.Contains(inTree, name):
		return "", usagef("--cloud-provider=%s is left out of this binary; compiled in: %s; get it with `make build PROVIDERS=%s` or use a binary with all providers", name, list, name)
	}
	if advice := advise(name, func(n string) bool { return slices.Contains(compiled, n) }); advice != "" {
		return "", usagef("--cloud-provider=%s is not a provider here: %s; compiled into this binary: %s", name, advice, list)
	}
	return "", usagef("--cloud-provider=%s is not a provider; compiled into this binary: %s", name, list)
}

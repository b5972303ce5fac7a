package app

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// inTree are the names of all providers of this repository, compiled in or not. A test
// compares it with the files of cmd/cloud-controller-manager.
var inTree = []string{"digitalocean", "sim"}

// selectProvider finds the provider that --cloud-provider means.
//
//	value           compiled in     result
//	empty           exactly one     that one
//	empty           several         error that lists them
//	known           this one too    it
//	known           not this one    error that says how to get it
//	anything else   –               error that lists what is compiled in
func selectProvider(name string) (registry.Provider, error) {
	compiled := registry.Names()
	if name == "" && len(compiled) == 1 {
		name = compiled[0]
	}
	if provider, ok := registry.Lookup(name); ok {
		return provider, nil
	}
	list := strings.Join(compiled, ", ")
	switch {
	case len(compiled) == 0:
		return registry.Provider{}, usagef("no provider is compiled into this binary; build it with `make build PROVIDERS=<name>`, one or more of: %s", strings.Join(inTree, ", "))
	case name == "":
		return registry.Provider{}, usagef("--cloud-provider is not set; compiled into this binary: %s", list)
	case slices.Contains(inTree, name):
		return registry.Provider{}, usagef("--cloud-provider=%s is left out of this binary; compiled in: %s; get it with `make build PROVIDERS=%s` or the image without a provider suffix", name, list, name)
	default:
		return registry.Provider{}, usagef("--cloud-provider=%s is not a provider; compiled into this binary: %s", name, list)
	}
}

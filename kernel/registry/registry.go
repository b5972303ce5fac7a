// Package registry knows which providers are compiled into this binary. The framework's
// own registry cannot be listed, so `providers` and good error messages need this one.
package registry

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Provider is one cloud that can be selected.
type Provider struct {
	Descriptor  cloud.Descriptor
	New         cloud.New
	Annotations annotation.Set
	// Check returns all that is wrong with the configuration and that no request has to find out, joined; New refuses the same. It is
	// asked before anything is read, with a Config that has no Transport. It is nil where New refuses nothing of the kind. That a
	// required Setting is missing need not be said.
	Check func(cloud.Config) error
	// Inventory opens the file of --cloud-config where Descriptor.ConfigFile.Inventory is true, and is nil elsewhere. Programs without such
	// a provider do without its parser. The error names all mistakes of the file.
	Inventory func(read func() ([]byte, error)) (cloud.Inventory, error)
	// ReadOnly says which requests only read, for APIs where the method does not. By default
	// those with method GET or HEAD.
	ReadOnly func(*http.Request) bool
	// Throttled recognises throttled answers, for APIs that do not say it with status 429; see
	// transport.Options.
	Throttled func(*http.Response) bool
	// API returns the name of the part of the API that a request is of, one of Limits.APIs, or "". It
	// is pure and looks at method, host, path and context only. It is nil where there are no parts.
	API func(*http.Request) string
	// Upstream is about the controller manager that this provider takes the place of.
	Upstream cloud.Upstream
	// SourceRanges says who enforces source ranges, nil where it is nobody or a provider for tests.
	SourceRanges []cloud.Enforcement
}

var providers = map[string]Provider{}

// Register adds a provider. It is called from one build-tagged file per provider in
// cmd/cloud-controller-manager, and panics on a duplicate or incomplete registration, so
// that a mistake shows at start.
func Register(p Provider) {
	name := p.Descriptor.Name
	if name == "" || p.New == nil {
		panic(fmt.Sprintf("registering provider %q: name and constructor are required", name))
	}
	if file := p.Descriptor.ConfigFile; file != nil && file.Inventory != (p.Inventory != nil) {
		panic(fmt.Sprintf("registering provider %q: Inventory is required where the descriptor declares one, and nowhere else", name))
	}
	if _, dup := providers[name]; dup {
		panic(fmt.Sprintf("registering provider %q: already registered", name))
	}
	providers[name] = p
}

// Lookup returns a provider by name.
func Lookup(name string) (Provider, bool) {
	p, ok := providers[name]
	return p, ok
}

// Names returns the names of all compiled-in providers, sorted.
func Names() []string { return slices.Sorted(maps.Keys(providers)) }

// All returns all compiled-in providers, sorted by name.
func All() []Provider {
	var all []Provider
	for _, name := range Names() {
		all = append(all, providers[name])
	}
	return all
}

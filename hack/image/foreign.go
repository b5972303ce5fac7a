package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// refuseForeignModules fails when a slim binary contains a module that neither the
// framework nor one of its own providers imports: the SDK of another cloud, whose CVEs
// would then be everybody's. Which modules are whose is asked of the code.
func refuseForeignModules(root string, binaries []binary) error {
	chosen := binaries[0].providers()
	if chosen == nil {
		return nil
	}
	own, err := modulesOf(root, append([]string{"./internal/app"}, providerPatterns(chosen)...))
	if err != nil {
		return err
	}
	return foreign(binaries, own, func(module string) string { return ownerOf(root, module) })
}

// foreign names every linked module that is not in own, and whose it is.
func foreign(binaries []binary, own map[string]bool, owner func(module string) string) error {
	var errs []error
	for _, m := range modules(binaries) {
		if !own[m.Path] {
			errs = append(errs, fmt.Errorf("the image for %s contains %s, which belongs to %s", binaries[0].variant(), m.Path, owner(m.Path)))
		}
	}
	return errors.Join(errs...)
}

func providerPatterns(providers []string) []string {
	var patterns []string
	for _, p := range providers {
		patterns = append(patterns, "./providers/"+p+"/...")
	}
	return patterns
}

// modulesOf returns the modules that the packages and everything they import come from.
func modulesOf(root string, packages []string) (map[string]bool, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, packages...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules of %s: %w", strings.Join(packages, " "), err)
	}
	found := map[string]bool{}
	for module := range strings.FieldsSeq(string(out)) {
		found[module] = true
	}
	return found, nil
}

// ownerOf says which providers import a module; it serves the error text only.
func ownerOf(root, module string) string {
	dirs, _ := filepath.Glob(filepath.Join(root, "providers", "*"))
	var owners []string
	for _, dir := range dirs {
		name := filepath.Base(dir)
		if all, err := modulesOf(root, providerPatterns([]string{name})); err == nil && all[module] {
			owners = append(owners, name)
		}
	}
	if len(owners) == 0 {
		return "no provider"
	}
	slices.Sort(owners)
	return strings.Join(owners, ", ")
}

package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// binary is one cloud-controller-manager with what its build says about itself.
type binary struct {
	path    string
	content []byte
	info    *debug.BuildInfo
}

// readBinaries reads the binaries of one image: one per platform, all of one variant.
func readBinaries(paths []string) ([]binary, error) {
	if len(paths) == 0 {
		return nil, errors.New("no binary given; name one per platform")
	}
	var all []binary
	platforms := map[string]string{}
	for _, path := range paths {
		b, err := readBinary(path)
		if err != nil {
			return nil, err
		}
		if other, ok := platforms[b.platform().String()]; ok {
			return nil, fmt.Errorf("%s and %s are both for %s", other, path, b.platform())
		}
		platforms[b.platform().String()] = path
		if len(all) > 0 && b.variant() != all[0].variant() {
			return nil, fmt.Errorf("%s has the providers %q, %s has %q; one image has one set", all[0].path, all[0].variant(), path, b.variant())
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b binary) int { return strings.Compare(a.platform().String(), b.platform().String()) })
	return all, nil
}

func readBinary(path string) (binary, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return binary{}, fmt.Errorf("reading the binary: %w", err)
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return binary{}, fmt.Errorf("reading what %s says of its build: %w", path, err)
	}
	b := binary{path: path, content: content, info: info}
	if cgo := b.setting("CGO_ENABLED"); cgo != "0" {
		return binary{}, fmt.Errorf("%s was built with CGO_ENABLED=%s; the image has no C library, build it with 0", path, cgo)
	}
	return b, nil
}

func (b binary) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func (b binary) platform() v1.Platform {
	return v1.Platform{OS: b.setting("GOOS"), Architecture: b.setting("GOARCH")}
}

// providers returns the providers a slim build chose by its tags, sorted; nil means all
// (docs/adr/0003-build-tags-and-size.md).
func (b binary) providers() []string {
	tags := strings.Split(b.setting("-tags"), ",")
	if !slices.Contains(tags, "slim") {
		return nil
	}
	chosen := slices.DeleteFunc(tags, func(tag string) bool { return tag == "slim" || tag == "grpcnotrace" })
	slices.Sort(chosen)
	return chosen
}

// variant names the set of providers: "all", or their names joined by a dash.
func (b binary) variant() string {
	if b.providers() == nil {
		return "all"
	}
	return strings.Join(b.providers(), "-")
}

// modules returns the modules linked into the binaries, replacements applied, sorted.
func modules(binaries []binary) []debug.Module {
	var all []debug.Module
	for _, b := range binaries {
		for _, m := range b.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			all = append(all, debug.Module{Path: m.Path, Version: m.Version})
		}
	}
	order := func(a, b debug.Module) int {
		return strings.Compare(a.Path+"@"+a.Version, b.Path+"@"+b.Version)
	}
	slices.SortFunc(all, order)
	return slices.CompactFunc(all, func(a, b debug.Module) bool { return order(a, b) == 0 })
}

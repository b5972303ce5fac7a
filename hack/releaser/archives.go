package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// platforms are those of the command line, in the order in which manifests name them.
var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// archiveForm is the name of an archive in .goreleaser.yaml.
var archiveForm = regexp.MustCompile(`^multicloud-ccm_(v.+)_([a-z]+)_([a-z0-9]+)\.(tar\.gz|zip)$`)

// packed is an archive of the release with the program for one platform.
type packed struct {
	name, os, arch, sum string
}

// folder is the one folder in the archive.
func (a packed) folder() string {
	return strings.TrimSuffix(strings.TrimSuffix(a.name, ".tar.gz"), ".zip")
}

// program is what a program is called on the archive's platform.
func (a packed) program(name string) string {
	if a.os == "windows" {
		return name + ".exe"
	}
	return name
}

// readArchives reads the archives of a version, one for each platform, from a file of checksums. One that lacks is an error:
// a manifest without it would be published otherwise.
func readArchives(path, version string) ([]packed, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the checksums: %w", err)
	}
	defer file.Close()
	found := map[string]packed{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		if match := archiveForm.FindStringSubmatch(name); match != nil && match[1] == version {
			found[match[2]+"/"+match[3]] = packed{name: name, os: match[2], arch: match[3], sum: sum}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the checksums: %w", err)
	}
	var all []packed
	var missing []string
	for _, platform := range platforms {
		a, ok := found[platform]
		if !ok {
			missing = append(missing, platform)
		}
		all = append(all, a)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s names no archive of %s for %s", path, version, strings.Join(missing, ", "))
	}
	return slices.Clip(all), nil
}

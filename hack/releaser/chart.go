package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

func runChart(args []string) error {
	c := newCommon("chart")
	source := c.flags.String("source", "charts/multicloud-ccm", "the chart")
	out := c.flags.String("out", "", "folder to write the chart to; it must not exist")
	platforms := c.flags.String("platforms", "linux/amd64,linux/arm64", "platforms of the images")
	if err := c.flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("-out is not set")
	}
	text, err := c.section()
	if err != nil {
		return err
	}
	if err := os.CopyFS(*out, os.DirFS(*source)); err != nil {
		return fmt.Errorf("copying the chart: %w", err)
	}
	path := filepath.Join(*out, "Chart.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content, err = stamp(content, c.version, changes(text), images(c.flags.Args(), strings.Split(*platforms, ",")))
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// image is an image of the release in the form of Artifact Hub.
type image struct {
	Name      string   `json:"name"`
	Image     string   `json:"image"`
	Platforms []string `json:"platforms"`
}

// images are the images of these names. The name for people is the last part of the tag.
func images(names, platforms []string) []image {
	var all []image
	for _, name := range names {
		_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
		all = append(all, image{Name: tag, Image: name, Platforms: platforms})
	}
	return all
}

// kinds are those that Artifact Hub knows.
var kinds = []string{"added", "changed", "deprecated", "removed", "fixed", "security"}

// stamp writes the version and what Artifact Hub shows of a release into a Chart.yaml. Chart and
// program have one version; only the templates put a "v" before it.
func stamp(content []byte, version string, changes []change, images []image) ([]byte, error) {
	var chart map[string]any
	if err := yaml.Unmarshal(content, &chart); err != nil {
		return nil, fmt.Errorf("reading Chart.yaml: %w", err)
	}
	number := strings.TrimPrefix(version, "v")
	chart["version"], chart["appVersion"] = number, number
	annotations, ok := chart["annotations"].(map[string]any)
	if !ok {
		return nil, errors.New("the Chart.yaml has no annotations")
	}
	for _, c := range changes {
		if !slices.Contains(kinds, c.Kind) {
			return nil, fmt.Errorf("the changelog has an entry under %q; there are %s", c.Kind, strings.Join(kinds, ", "))
		}
	}
	for name, value := range map[string]any{"artifacthub.io/changes": changes, "artifacthub.io/images": images} {
		text, err := yaml.Marshal(value)
		if err != nil {
			return nil, err
		}
		annotations[name] = string(text)
	}
	security := slices.ContainsFunc(changes, func(c change) bool { return c.Kind == "security" })
	annotations["artifacthub.io/containsSecurityUpdates"] = strconv.FormatBool(security)
	annotations["artifacthub.io/prerelease"] = strconv.FormatBool(strings.Contains(number, "-"))
	return yaml.Marshal(chart)
}

package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// What the chart's notes say of a platform: a flag, or a key and its value.
var saying = regexp.MustCompile(`(without )?(--[\w-]+(?:=[\w=-]+)?|[\w.-]+: \w+|[\w-]+=\w+)`)

// The files set what the chart's notes tell people to set.
func TestFilesAgreeWithTheChart(t *testing.T) {
	var platforms []struct{ Name, Kubelet, Embedded, Balancers string }
	if err := yaml.Unmarshal(read(t, top, "charts/multicloud-ccm/files/platforms.yaml"), &platforms); err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, p := range platforms {
		if p.Name == "kops" {
			continue // sets the flag itself
		}
		folders[p.Name] = true
		set := settings(t, p.Name)
		said := saying.FindAllStringSubmatch(p.Kubelet+"\n"+p.Embedded+"\n"+p.Balancers, -1)
		if len(said) == 0 {
			t.Errorf("%s: nothing found in %q", p.Name, p.Kubelet)
		}
		for _, match := range said {
			if unwanted := match[1] != ""; has(set, match[2]) == unwanted {
				t.Errorf("%s: the chart says %q, the files set\n%s", p.Name, match[0], strings.Join(set, "\n"))
			}
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() && !folders[entry.Name()] {
			t.Errorf("the chart has no platform %s", entry.Name())
		}
	}
}

// has finds a setting as it is, or a flag as the key of a file: --flag=value, --flag.
func has(set []string, said string) bool {
	key := strings.TrimPrefix(said, "--")
	switch {
	case key == said:
	case strings.Contains(key, "="):
		key = strings.Replace(key, "=", ": ", 1)
	default:
		key += ": true"
	}
	for _, line := range set {
		if strings.HasSuffix(line, " "+said) || strings.HasSuffix("."+line, "."+key) {
			return true
		}
	}
	return false
}

// settings are all of a tool's files as lines "path.of.key: value".
func settings(t *testing.T, tool string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, tool, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, file := range files {
		var content any
		if err := yaml.Unmarshal(read(t, file), &content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		lines = append(lines, flat("", content)...)
	}
	return lines
}

func flat(path string, value any) []string {
	var lines []string
	switch value := value.(type) {
	case map[string]any:
		if name, ok := value["name"]; ok && value["value"] != nil { // an argument
			return []string{fmt.Sprintf("%s: %v=%v", path, name, value["value"])}
		}
		for key, below := range value {
			lines = append(lines, flat(strings.TrimPrefix(path+"."+key, "."), below)...)
		}
	case []any:
		for _, item := range value {
			lines = append(lines, flat(path, item)...)
		}
	default:
		lines = append(lines, fmt.Sprintf("%s: %v", path, value))
	}
	return lines
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// comparison has the table that `make upstream-aws` counts and writes.
const comparison = "docs/explanation/comparison.md"

// counted is a line of the table: what was done, and reads (writes) of both.
var counted = regexp.MustCompile(`(?m)^\| (classic|network) load balancer, ([^|]+) \| (\d+) \((\d+)\) \| (\d+) \((\d+)\) \|$`)

// drawCounted draws what AWS's own CCM asks of the cloud for a change of a Service, beside this one.
func drawCounted(root string, into map[string][]byte) error {
	page, err := os.ReadFile(filepath.Join(root, comparison))
	if err != nil {
		return fmt.Errorf("reading what was counted: %w", err)
	}
	upstream := regexp.MustCompile("(?m)^\\| reads \\(writes\\) \\| `k8s.io/cloud-provider-aws` (v[0-9.]+) \\|").FindStringSubmatch(string(page))
	rows := counted.FindAllStringSubmatch(string(page), -1)
	if upstream == nil || len(rows) == 0 {
		return fmt.Errorf("%s has no table of requests: has its form changed?", comparison)
	}
	names := []string{"cloud-provider-aws " + upstream[1], "multicloud-ccm"}
	var groups []group
	var words []string
	for _, r := range rows {
		g := group{name: r[1] + ", " + r[2], values: []float64{sum(r[3:5]), sum(r[5:7])}}
		groups = append(groups, g)
		words = append(words, fmt.Sprintf("%s: %.0f and %.0f", g.name, g.values[0], g.values[1]))
	}
	c := chart{
		title: "Requests to AWS for one change of a Service, reads and writes", x: "requests", height: 330,
		description: strings.Join(names, " and ") + ": " + strings.Join(words, "; "),
	}
	for _, t := range themes {
		if into[t.file("upstream-aws")], err = c.bars(t, names, groups); err != nil {
			return err
		}
	}
	return nil
}

// sum adds numbers, which the pattern has checked.
func sum(numbers []string) (total float64) {
	for _, text := range numbers {
		n, _ := strconv.Atoi(text)
		total += float64(n)
	}
	return total
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The documentation's first page has three figures between these lines.
const (
	firstPage    = "docs/index.md"
	figuresBegin = "<!-- Figures of what is measured below: made by `make generate`. Do not edit. -->\n"
	figuresEnd   = "<!-- End of the figures. -->\n"
	// figuresNodes is the size that every cloud is measured with.
	figuresNodes = 1000
)

// kept is how many Nodes were left by both after a start with another account, of how many, as `make upstream-aws` writes it.
var kept = regexp.MustCompile(`(?s)\| (\d+) Nodes, .*?\| AWS's own CCM, [^|]+ \| (\d+) \|\n\| multicloud-ccm \| (\d+) \|`)

// writeFigures puts the figures into the first page.
func writeFigures(root string) error {
	path := filepath.Join(root, firstPage)
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the first page: %w", err)
	}
	all, err := readMeasured(root)
	if err != nil {
		return err
	}
	text, err := withFigures(string(page), all)
	if err != nil || bytes.Equal(page, []byte(text)) {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func withFigures(page string, all []measured) (string, error) {
	before, rest, began := strings.Cut(page, figuresBegin)
	_, after, ended := strings.Cut(rest, figuresEnd)
	nodes := kept.FindStringSubmatch(page)
	if !began || !ended || nodes == nil {
		return "", fmt.Errorf("%s lacks the lines %q and %q, or the table of `make upstream-aws`", firstPage, strings.TrimSpace(figuresBegin), strings.TrimSpace(figuresEnd))
	}
	least, most, writes, services := 0, 0, 0, 0
	var clouds []string
	for _, m := range all {
		calls := m.Initialise.Calls.Total
		if m.Nodes != figuresNodes || calls == 0 {
			continue
		}
		if least == 0 || calls < least {
			least = calls
		}
		most = max(most, calls)
		if m.Services > 0 {
			writes, services, clouds = writes+m.SecondEnsure.Writes, max(services, m.Services), append(clouds, m.Cloud)
		}
	}
	var b strings.Builder
	line := func(figure, text, where string) {
		fmt.Fprintf(&b, "- **%s** %s ([measured](%s))\n", figure, text, where)
	}
	line(nodes[3]+" of "+nodes[1], "Nodes stay when it is started with another account's configuration. AWS's own CCM leaves "+nodes[2]+".", "#when-the-cloud-answers-wrongly")
	line(fmt.Sprintf("%d to %d", least, most), "requests to the cloud initialise 1,000 Nodes, because machines are listed and not read one by one.", "#what-it-costs")
	line(fmt.Sprintf("%d writes", writes), fmt.Sprintf("to the cloud for %d unchanged Services after a restart (%s).", services, strings.Join(clouds, ", ")), "#what-it-costs")
	return before + figuresBegin + "\n" + b.String() + "\n" + figuresEnd + after, nil
}

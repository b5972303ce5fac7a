package versions

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/multicloud-ccm/multicloud-ccm/test/publish"
)

var files = publish.Files[Result]{Data: "test/versions/results.json", Page: "docs/reference/kubernetes-versions.md", Render: page}

//go:embed page.md.tmpl
var template string

// Record adds results to the published ones, each in the place of that of the same minor version, and writes the page. One with a failure is
// refused.
func Record(root string, results ...Result) error {
	all, err := files.Read(root)
	if err != nil {
		return err
	}
	for _, r := range results {
		if r.Failed() {
			return fmt.Errorf("publishing the results: tests on %s failed", r.Kubernetes)
		}
		all = append(slices.DeleteFunc(all, func(other Result) bool { return minor(other) == minor(r) }), r)
	}
	slices.SortFunc(all, func(a, b Result) int { return int(minor(b)) - int(minor(a)) })
	return files.Write(root, all)
}

func minor(r Result) uint { return version.MustParseSemantic(r.Kubernetes).Minor() }

// page is the text with the table of results in it.
func page(all []Result) []byte {
	var t bytes.Buffer
	if len(all) > 0 {
		row := []string{"kube-apiserver"}
		for _, o := range all[0].Areas {
			row = append(row, o.Area)
		}
		row = append(row, "date", "commit")
		fmt.Fprintf(&t, "| %s |\n|%s\n", strings.Join(row, " | "), strings.Repeat("---|", len(row)))
	}
	for _, r := range all {
		fmt.Fprintf(&t, "| %s |", r.Kubernetes)
		for _, o := range r.Areas {
			fmt.Fprintf(&t, " %s |", o.text())
		}
		fmt.Fprintf(&t, " %s | %s |\n", r.Date, r.Commit)
	}
	return []byte(strings.Replace(template, "{{results}}\n", t.String(), 1))
}

// text is the outcome in a field of the table.
func (o Outcome) text() string {
	text := fmt.Sprintf("%d passed, %d s", o.Passed, o.Seconds)
	if o.Failed > 0 {
		text = fmt.Sprintf("%d failed, ", o.Failed) + text
	}
	return text
}

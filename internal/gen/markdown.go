package main

import (
	"bytes"
	"fmt"
	"strings"
)

// row writes one row of a Markdown table.
func row(b *bytes.Buffer, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(cell, "|", `\|`), "\n", " ")
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// tableHead writes the head of a Markdown table.
func tableHead(b *bytes.Buffer, cells ...string) {
	row(b, cells...)
	fmt.Fprintf(b, "|%s\n", strings.Repeat("---|", len(cells)))
}

// code formats text as code, "" as a dash.
func code(text string) string {
	if text == "" {
		return "–"
	}
	return "`" + text + "`"
}

// codes formats a list as code.
func codes(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = code(item)
	}
	return strings.Join(quoted, ", ")
}

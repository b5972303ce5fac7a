package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// A tag of an image has no "+", so a version has none either.
var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func checkVersion(version string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("-version is %q; it has to be like v0.2.0 or v0.2.0-rc.1", version)
	}
	return nil
}

func runNotes(args []string, out io.Writer) error {
	c := newCommon("notes")
	if err := c.flags.Parse(args); err != nil {
		return err
	}
	text, err := c.section()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// section returns what the changelog says about a version, without the heading.
func section(changelog, version string, strict bool) (string, error) {
	unreleased := ""
	for part := range strings.SplitSeq("\n"+changelog, "\n## ") {
		heading, body, _ := strings.Cut(part, "\n")
		switch name, _, _ := strings.Cut(strings.TrimPrefix(heading, "["), "]"); name {
		case strings.TrimPrefix(version, "v"):
			return strings.TrimSpace(body), nil
		case "Unreleased":
			unreleased = strings.TrimSpace(body)
		}
	}
	if strict || unreleased == "" {
		return "", fmt.Errorf("the changelog has no section of %s; rename Unreleased to [%s] before you tag", version, strings.TrimPrefix(version, "v"))
	}
	return unreleased, nil
}

// change is an entry of the changelog in the form of Artifact Hub.
type change struct {
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

// changes returns the entries of a section. Lines of an entry are joined.
func changes(section string) []change {
	var all []change
	kind := ""
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\n")
		heading, isHeading := strings.CutPrefix(line, "### ")
		entry, isEntry := strings.CutPrefix(line, "- ")
		switch {
		case isHeading:
			kind = strings.ToLower(heading)
		case isEntry:
			all = append(all, change{Kind: kind, Description: entry})
		case strings.HasPrefix(line, "  ") && len(all) > 0:
			all[len(all)-1].Description += " " + strings.TrimSpace(line)
		}
	}
	return all
}

package main

import (
	"bytes"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/internal/doctor"
)

// scopes are the sections of the page, in its order.
var scopes = []struct {
	scope doctor.Scope
	title string
}{
	{doctor.Install, "The installation"}, {doctor.Nodes, "Nodes"}, {doctor.Services, "Services"}, {doctor.Uninstall, "Before the uninstallation"},
}

// writeChecks writes the reference of the doctor's checks.
func writeChecks(b *bytes.Buffer) {
	b.WriteString("# Checks of the doctor\n\n" + header)
	b.WriteString(`The checks of [` + "`cloud-controller-manager doctor`" + `](commands.md#doctor), in the order in which things depend on each other:
the first failure is the one to mend first. Ids are stable. Each ends in

| level | meaning |
|---|---|
| ` + "`ok`" + ` | nothing is wrong |
| ` + "`warning`" + ` | somebody should look, nothing is broken |
| ` + "`failure`" + ` | something does not work; the exit code is 1 |
| ` + "`skipped`" + ` | the check could not be made; the message says why, such as a right that the doctor lacks |

and has a message with the cause, its evidence, what to do, and a link to this page. In the text for people failures come first,
and a check that is ok says what is right in place of its id, which is the name of what is wrong. ` + "`-o json`" + ` and ` + "`-o yaml`" + `
have the [schema](doctor.schema.json) ` + "`doctor.schema.json`" + `; ` + "`-o junit`" + ` has a test for each check.
`)
	for _, s := range scopes {
		fmt.Fprintf(b, "\n## %s\n", s.title)
		for _, c := range doctor.Checks() {
			if c.Scope == s.scope {
				fmt.Fprintf(b, "\n### %s\n\n%s\n", c.ID, c.Looks)
				if c.Fix != "" {
					fmt.Fprintf(b, "\nWhat to do: %s.\n", c.Fix)
				}
			}
		}
	}
}

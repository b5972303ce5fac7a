package plan

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// Text writes the plan for people, one operation a line:
//
//	sign   line                                               when
//	+      create listener tcp/443                            Create
//	~      update balancer scope: external → internal         Update
//	-      delete target 123                                  Delete
//	!      blocked: why (update balancer type: small → big)   Blocked is set
//
// Steps are numbered below the operations. The last line counts the operations. Control characters
// in values are escaped, because values come from Services and the plan is read in a terminal.
func (p Plan) Text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s on %s\n", printable(p.Subject), printable(p.Cloud))
	for _, op := range p.Operations {
		fmt.Fprintf(&out, "  %s\n", line(op))
	}
	out.WriteString(p.steps(layout.Page{}, ""))
	fmt.Fprintf(&out, "%s\n", p.summary())
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing plan of %s: %w", p.Subject, err)
	}
	return nil
}

// steps are the lines of the steps, "" where there are none.
func (p Plan) steps(page layout.Page, indent string) string {
	if len(p.Steps) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString(indent + "  in these steps:\n")
	for i, step := range p.Steps {
		out.WriteString(page.Wrap(fmt.Sprintf("%s  %3d. ", indent, i+1), indent+"         ", Describe(step)))
	}
	return out.String()
}

var signs = map[cloud.Verb]string{cloud.Create: "+", cloud.Update: "~", cloud.Delete: "-"}

func line(op cloud.Operation) string {
	if op.Blocked != "" {
		return fmt.Sprintf("! blocked: %s (%s)", printable(op.Blocked), Describe(op))
	}
	text := signs[op.Verb] + " " + Describe(op)
	if op.Reason != "" {
		text += " (" + printable(op.Reason) + ")"
	}
	if op.Destructive {
		text += " [destructive]"
	}
	return text
}

// Describe says what an operation does, for people, without why.
func Describe(op cloud.Operation) string {
	words := []string{string(op.Verb), string(op.Kind)}
	if kind := strings.ReplaceAll(string(op.Kind), "_", " "); op.Key == kind || strings.HasPrefix(op.Key, kind+" ") {
		words = words[:1] // the key says it
	}
	for _, word := range []string{op.Key, cloud.FieldText(op.Field)} {
		if word != "" {
			words = append(words, printable(word))
		}
	}
	text := strings.Join(words, " ")
	switch {
	case op.Verb == cloud.Update:
		return fmt.Sprintf("%s: %s → %s", text, value(op.Before), value(op.After))
	case op.Verb == cloud.Create && op.After != "":
		return text + ": " + value(op.After)
	case op.Verb == cloud.Delete && op.Before != "":
		return text + ": " + value(op.Before)
	}
	return text
}

func (p Plan) summary() string {
	counts := map[cloud.Verb]int{}
	blocked := 0
	for _, op := range p.Operations {
		if op.Blocked != "" {
			blocked++
			continue
		}
		counts[op.Verb]++
	}
	if len(p.Operations) == 0 {
		return "Plan: nothing to do."
	}
	text := fmt.Sprintf("Plan: %d to create, %d to update, %d to delete",
		counts[cloud.Create], counts[cloud.Update], counts[cloud.Delete])
	if blocked > 0 {
		text += ", " + strconv.Itoa(blocked) + " blocked"
	}
	return text + "."
}

// value shows a field's value; the empty one needs quotes to be seen.
func value(v string) string {
	if v == "" {
		return `""`
	}
	return printable(v)
}

// printable escapes a text that holds anything but printable characters.
func printable(text string) string {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(text)
		}
	}
	return text
}

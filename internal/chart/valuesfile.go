package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// commentWidth is where lines of comments end.
const commentWidth = 110

// writeValues writes values.yaml, in the order of the declarations.
func writeValues(b *bytes.Buffer, values []Value, depth int) error {
	indent := strings.Repeat("  ", depth)
	for i, v := range values {
		if v.Section != "" {
			fmt.Fprintf(b, "\n# %s %s\n\n", strings.Repeat("-", 4), v.Section)
		} else if i > 0 && depth == 0 {
			b.WriteString("\n")
		}
		for _, line := range wrap(comment(v), commentWidth-len(indent)) {
			fmt.Fprintf(b, "%s# %s\n", indent, line)
		}
		if v.Type == Group {
			fmt.Fprintf(b, "%s%s:\n", indent, v.Name)
			if err := writeValues(b, v.Fields, depth+1); err != nil {
				return err
			}
			continue
		}
		text, err := literal(v.Default, indent)
		if err != nil {
			return fmt.Errorf("default of %s: %w", v.Name, err)
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, v.Name, text)
	}
	return nil
}

func comment(v Value) string {
	if len(v.Enum) > 0 {
		return v.Doc + " One of " + alternatives(v.Enum) + "."
	}
	return v.Doc
}

func alternatives(enum []string) string {
	quoted := make([]string, len(enum))
	for i, text := range enum {
		if quoted[i] = text; text == "" {
			quoted[i] = `""`
		}
	}
	return strings.Join(quoted, ", ")
}

// literal writes a default: on one line, except for objects that have something in them.
func literal(value any, indent string) (string, error) {
	if m, ok := value.(map[string]any); ok && len(m) > 0 {
		text, err := yaml.Marshal(m)
		if err != nil {
			return "", err
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return "\n" + indent + "  " + strings.Join(lines, "\n"+indent+"  "), nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// wrap breaks text into lines at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

package fold

import (
	"strings"
	"testing"
)

func TestDocument(t *testing.T) {
	word := strings.Repeat("w", 30)
	for name, test := range map[string]struct{ line, want string }{
		"short":         {word, word},
		"words":         {"  " + word + " " + word + " " + word, "  " + word + " " + word + "\n      " + word},
		"a command":     {"$ " + word + " " + word + " --" + word, "$ " + word + " " + word + " \\\n    --" + word},
		"a long word":   {"  " + word + "," + word + "," + word, "  " + word + "," + word + ",\n      " + word},
		"no word ends":  {"a " + strings.Repeat("x", Width+1), "a\n    " + strings.Repeat("x", Width+1)},
		"exactly":       {strings.Repeat("x", Width), strings.Repeat("x", Width)},
		"several lines": {strings.Repeat(word+" ", 5), word + " " + word + "\n    " + word + " " + word + "\n    " + word},
	} {
		if got := Document("```text\n" + test.line + "\n```\n"); got != "```text\n"+test.want+"\n```\n" {
			t.Errorf("%s: %q", name, got)
		}
		if got := Document(test.line); got != test.line {
			t.Errorf("%s: prose became %q", name, got)
		}
	}
}

package rule

import (
	"fmt"
	"os"
	"strings"
)

// Readme compares the end of README.md, behind a heading, with what it has to be, or writes it.
func Readme(heading, text string, write bool) error {
	content, err := os.ReadFile("README.md")
	if err != nil {
		return fmt.Errorf("reading what is generated: %w", err)
	}
	before, after, ok := strings.Cut(string(content), heading)
	switch {
	case !ok:
		return fmt.Errorf("README.md has no part %q", heading)
	case write:
		return os.WriteFile("README.md", []byte(before+heading+text), 0o600)
	case after != text:
		return fmt.Errorf("README.md is not current: run this test with -update")
	}
	return nil
}

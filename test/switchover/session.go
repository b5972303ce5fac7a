package switchover

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// Session is a page of the documentation with commands, as somebody types them, and what the binary says.
type Session struct {
	cluster *Cluster
	path    string
	text    strings.Builder
}

// Session begins a page, which is a path of the repository, with its title and introduction.
func (c *Cluster) Session(path, title, introduction string) *Session {
	s := &Session{cluster: c, path: path}
	fmt.Fprintf(&s.text, "# %s\n\n<!-- Recorded by a test, with -update. Do not edit. -->\n\n%s\n", title, introduction)
	return s
}

// Say writes a heading and a sentence between commands.
func (s *Session) Say(heading, sentence string) {
	fmt.Fprintf(&s.text, "\n## %s\n\n%s\n", heading, sentence)
}

// Type runs a command. What the page shows are these words; hidden are flags that only the test needs.
func (s *Session) Type(args []string, hidden ...string) {
	answer := s.cluster.Run(append(append([]string{}, args...), hidden...)...)
	said := strings.TrimRight(answer.Stdout+answer.Stderr, "\n")
	fmt.Fprintf(&s.text, "\n```text\n$ cloud-controller-manager %s\n%s\n```\n\nExit code %d.\n", strings.Join(args, " "), said, answer.Code)
}

// volatile are the parts of the output that differ between runs.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\ba[0-9a-f]{31}\b`), "a0123456789abcdef0123456789abcde"},
	{regexp.MustCompile(`(uid[:=]|UID )[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "${1}11111111-2222-4333-8444-555555555555"},
	{regexp.MustCompile(`\b3[0-2][0-9]{3}\b`), "30080"},
	{regexp.MustCompile(`(?m)^(  age +)(?:[0-9]+[hms])+ +`), "${1}9s         "},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}`), "2026-01-02 03:04:05"},
	{regexp.MustCompile(`since [0-9]{2}:[0-9]{2}:[0-9]{2}`), "since 03:04:05"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// End compares the page with the repository's, or writes it.
func (s *Session) End(write bool) {
	t := s.cluster.t
	t.Helper()
	text := s.text.String()
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	root, err := ccm.Root()
	s.cluster.must(err)
	path := filepath.Join(root, s.path)
	if write {
		s.cluster.must(os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	s.cluster.must(err)
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", s.path, diff)
	}
}

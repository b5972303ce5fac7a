package switchover

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/fold"
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
	fmt.Fprintf(&s.text, "# %s\n\n<!-- Recorded by a test, with -update. Do not edit. -->\n\n%s\n`--kubeconfig` is left out. Lines are those of a very wide terminal, broken after 76 characters.\n", title, introduction)
	return s
}

// Say writes a heading and a sentence between commands.
func (s *Session) Say(heading, sentence string) {
	fmt.Fprintf(&s.text, "\n## %s\n\n%s\n", heading, sentence)
}

// Type runs a command. What the page shows are these words; hidden are flags that only the test needs.
func (s *Session) Type(args []string, hidden ...string) {
	s.typeAs(s.cluster.kubeconfig, args, hidden)
}

// Doctor runs the doctor as an administrator does, and fails the test unless it finds nothing.
func (s *Session) Doctor() {
	s.cluster.Healthy()
	s.typeAs(s.cluster.AdminKubeconfig(), []string{"doctor"}, []string{"--patience=1ms"})
}

func (s *Session) typeAs(kubeconfig string, args, hidden []string) {
	shown := args
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--from=") }) { // which names the provider too
		shown = append(slices.Clip(args), "--cloud-provider="+s.cluster.o.Provider)
	}
	answer := s.cluster.RunAs(kubeconfig, append(append([]string{}, args...), hidden...)...)
	said := strings.TrimRight(answer.Stdout+slow.ReplaceAllString(answer.Stderr, ""), "\n")
	fmt.Fprintf(&s.text, "\n```text\n$ cloud-controller-manager %s\n%s\n```\n\nExit code %d.\n", strings.Join(shown, " "), said, answer.Code)
}

// slow is what a command says when the machine is slow.
var slow = regexp.MustCompile(`(?m)^Waiting for .*\n`)

// volatile are the parts of the output that differ between runs.
var volatile = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\b1000000[0-9]{5}\b`), "100000000001"}, // each test has an account of AWS of its own
	{regexp.MustCompile(`account [0-9a-f]{32}\b`), "account 0123456789abcdef0123456789abcdef"},
	{regexp.MustCompile(`172\.2[45]\.[0-9]+\.[0-9]+ +\(counts`), "172.24.4.10                           (counts"},
	{regexp.MustCompile(`172\.2[45]\.[0-9]+\.[0-9]+`), "172.24.4.10"},
	{regexp.MustCompile(`InternalIP  10\.0\.[0-9]+\.[0-9]+\n( +)InternalIP  fd00:1::f816:3eff:[0-9a-f:]+`), "InternalIP  10.0.1.10\n${1}InternalIP  fd00:1::f816:3eff:fe00:1"},
	{regexp.MustCompile(`\baz[0-9]\b`), "az1"},
	{regexp.MustCompile(`\ba[0-9a-f]{31}\b`), "a0123456789abcdef0123456789abcde"},
	{regexp.MustCompile(`\b3[0-2][0-9]{3}\b`), "30080"},
	{regexp.MustCompile(`(?m)^(  age +)(?:[0-9]+[hms])+.*$`), "${1}9s"},
	{regexp.MustCompile(`(?m)^(  machine gone  not asked) +\(`), "${1}  ("}, // in one column with the brake, where the age is below the grace
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}`), "2026-01-02 03:04:05"},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z`), "2026-01-02T03:04:05Z"},
	{regexp.MustCompile(`since [0-9]{2}:[0-9]{2}:[0-9]{2}`), "since 03:04:05"},
	{regexp.MustCompile(`[^ ]+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} leads`), "node-0_11111111-2222-4333-8444-555555555555 leads"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// made are ids that clouds choose, by what the page has in their place.
var made = []struct {
	pattern *regexp.Regexp
	with    func(n int, id string) string
}{
	{regexp.MustCompile(`\b(?:i|vpc|subnet|sg|eni|eipalloc)-[0-9a-f]{8,17}\b`), func(n int, id string) string {
		kind, digits, _ := strings.Cut(id, "-")
		return fmt.Sprintf("%s-%0*x", kind, len(digits), n)
	}},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), func(n int, _ string) string { return fmt.Sprintf("%016x", n) }},
	{regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), func(n int, id string) string {
		if strings.HasPrefix(id, "0000000") { // the emulator counts
			return id
		}
		return fmt.Sprintf("11111111-2222-4333-8444-%012x", n)
	}},
}

// normal returns the text with what differs between runs replaced, ids by their number in the text.
func normal(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	for _, m := range made {
		seen := map[string]string{}
		text = m.pattern.ReplaceAllStringFunc(text, func(id string) string {
			if _, known := seen[id]; !known {
				seen[id] = m.with(len(seen)+1, id)
			}
			return seen[id]
		})
	}
	return text
}

// Switch is the whole page: the commands about the Service before and after the switch from upstream, and
// the doctor. The Node has the controller manager's Pod.
func (s *Session) Switch(service, node string) {
	const grace = "--node-deletion-grace=1s"
	from := "--from=" + s.cluster.o.Provider
	s.Say("Before the switch", "`adopt` says what the [switch](../how-to/migrate.md) does, and `explain` what is known of one Service or Node.")
	s.Type([]string{"adopt", from, "--check"}, grace)
	s.Type([]string{"plan"}, grace)
	s.Type([]string{"explain", "service", service}, grace)
	s.Type([]string{"explain", "node", node}, grace)
	s.cluster.Install(node)
	s.cluster.Switch("--leader-elect=true")
	s.Say("After the switch", "There is nothing left to do.")
	s.Type([]string{"plan"}, grace)
	s.Type([]string{"adopt", from, "--check"}, grace)
	s.Say("Is all in order?", "`doctor` makes all [checks](doctor.md), here as an administrator of the cluster.")
	s.Doctor()
}

// End compares the page with the repository's, or writes it.
func (s *Session) End(write bool) {
	t := s.cluster.t
	t.Helper()
	text := fold.Document(normal(s.text.String()))
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

package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// mostAlike is how many checks that say the same are named: those that are ok because there is nothing to look at, and those that
// could not be made.
const mostAlike = 3

// colours are those of the levels.
var colours = map[Level]layout.Colour{OK: layout.Green, Warning: layout.Yellow, Failure: layout.Red}

// same are the results that say the same, under the names of all of them.
type same struct {
	Result
	names, links []string
}

// Text prints the report for people: failures, then warnings, each with the evidence, what to do and where to read more. Then
// a line for each check that is ok, which says what is right, and for those that could not be made. Checks that say the same
// share a line. Control characters are replaced: texts come from objects that anybody may have written.
func (r Report) Text(out io.Writer, page layout.Page) error {
	var text strings.Builder
	for _, level := range []Level{Failure, Warning} {
		for _, s := range r.merged(level) {
			text.WriteString(s.problem(page))
		}
	}
	rows := r.rows()
	if text.Len() > 0 && len(rows) > 0 && !page.ProblemsOnly {
		text.WriteString("\n")
	}
	if text.Len() == 0 && page.ProblemsOnly {
		text.WriteString(r.unproblematic())
	}
	text.WriteString(page.Rows(rows))
	text.WriteString("\n" + page.Wrap("", "", fmt.Sprintf("%s: %d ok, %s, %s, %d could not be made",
		plural(len(r), "check"), r.count(OK), plural(r.count(Warning), "warning"), plural(r.count(Failure), "failure"), r.count(Skipped))))
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// unproblematic says that no problem was found, and why some were not looked for.
func (r Report) unproblematic() string {
	at := slices.IndexFunc(r, func(result Result) bool { return result.Level == Skipped })
	if at < 0 {
		return "no problems\n"
	}
	return fmt.Sprintf("no problems in what could be checked; %d could not be: %s\n", r.count(Skipped), printable(r[at].Message))
}

// merged returns the results of a level in their order, those that say the same at the place of the first.
func (r Report) merged(level Level) []*same {
	var all []*same
	for _, result := range r {
		if result.Level != level {
			continue
		}
		at := slices.IndexFunc(all, func(s *same) bool { return s.says(result.Outcome) })
		if at < 0 {
			at = len(all)
			all = append(all, &same{Result: result})
		}
		all[at].names, all[at].links = append(all[at].names, result.ID), append(all[at].links, result.Link)
	}
	return all
}

func (s *same) says(o Outcome) bool {
	return s.Message == o.Message && s.Fix == o.Fix && slices.Equal(s.Evidence, o.Evidence)
}

// problem is a failure or a warning with all there is to say about it.
func (s *same) problem(page layout.Page) string {
	var out strings.Builder
	lead := page.Paint(colours[s.Level], strings.ToUpper(string(s.Level)))
	out.WriteString(page.Wrap(lead+"  "+page.Paint(layout.Bold, strings.Join(s.names, ", "))+": ", "    ", printable(s.Message)))
	for _, line := range s.Evidence {
		out.WriteString(page.Wrap("    - ", "      ", printable(line)))
	}
	if s.Fix != "" {
		out.WriteString(page.Wrap("    fix: ", "      ", printable(s.Fix)))
	}
	for _, link := range s.links {
		out.WriteString("    see: " + link + "\n")
	}
	return out.String()
}

// rows are the checks that are ok and those that could not be made. Many that say the same share one of the last rows.
func (r Report) rows() []layout.Row {
	alike, order := r.alike()
	width := 0
	for _, result := range r {
		if quiet(result.Level) {
			width = max(width, len(result.Level)+2)
		}
	}
	row := func(level Level, name, text string) layout.Row {
		return layout.Row{Lead: fmt.Sprintf("%-*s", width, strings.ToUpper(string(level))), Name: name, Text: text, Colour: colours[level]}
	}
	var rows []layout.Row
	for _, result := range r {
		if quiet(result.Level) && alike[saying{result.Level, result.Message}] <= mostAlike {
			rows = append(rows, row(result.Level, result.name(), printable(result.Message)))
		}
	}
	for _, s := range order {
		if alike[s] > mostAlike {
			rows = append(rows, row(s.level, plural(alike[s], "check"), printable(s.message)+"; -o json names them"))
		}
	}
	return rows
}

// quiet reports whether a check has one line, and no advice.
func quiet(level Level) bool { return level == OK || level == Skipped }

// saying is what a check says in one line.
type saying struct {
	level   Level
	message string
}

// alike counts the checks with one line by what they say, in the order of the checks: those that are ok come first.
func (r Report) alike() (count map[saying]int, order []saying) {
	count = map[saying]int{}
	for _, level := range []Level{OK, Skipped} {
		for _, result := range r {
			if result.Level != level {
				continue
			}
			s := saying{level, result.Message}
			if count[s]++; count[s] == 1 {
				order = append(order, s)
			}
		}
	}
	return count, order
}

// name is what people know a result by: of a check that is ok what is right, else its id.
func (r Result) name() string {
	if title, known := titles[r.ID]; known && r.Level == OK {
		return title
	}
	return r.ID
}

// titles say of each check what is right where it is ok. Its id is the name of what is wrong.
var titles = map[string]string{
	idServer:                      "API server reachable",
	"cluster-unreadable":          "cluster readable",
	idSettings:                    "settings valid",
	"clock-skew":                  "clock right",
	"control-plane-flags":         "control plane's flags valid",
	"webhook-dead":                "webhooks reachable",
	"manager-unscheduled":         "manager scheduled",
	"manager-waits-for-network":   "no wait for the network",
	"manager-waits-for-dns":       "no wait for DNS",
	"manager-port-in-use":         "manager's port free",
	"manager-not-running":         "manager running",
	"leader-missing":              "lease in order",
	"manager-twice":               "no other manager in the way",
	"rights-election":             "rights to start",
	"rights-missing":              "rights of the controllers",
	"routes-cidr":                 "routes in order",
	string(unresolved):            "cloud's name resolved",
	string(silent):                "cloud reachable",
	string(untrusted):             "cloud's TLS trusted",
	string(throttled):             "cloud's limit kept",
	string(refused):               "credentials accepted",
	string(failing):               "cloud working",
	"credentials-account-unknown": "account known",
	"credentials-other-account":   "account right",
	"credentials-read-only":       "changes accepted",
	"deletion-brake":              "no deletion held back",
	"node-not-initialised":        "Nodes initialised",
	"node-kubelet-flag":           "kubelets' flag set",
	"node-by-name-only":           "no Node by name only",
	"node-machine-unknown":        "machines of new Nodes known",
	"node-address-unknown":        "kubelets' addresses known",
	"node-provider-id-foreign":    "provider-IDs right",
	"node-machine-gone":           "machines there",
	"node-machine-elsewhere":      "Ready Nodes with machines",
	"node-silent":                 "static Nodes heard of",
	"inventory-without-effect":    "inventory's entries used",
	"node-certificate-waiting":    "kubelets have certificates",
	"node-route-missing":          "routes of Nodes there",
	"node-label-outdated":         "labels as the machines",
	"service-without-address":     "addresses there",
	"service-change-missing":      "changes made",
	"service-drift":               "load balancers as asked for",
	"service-contested":           "Services uncontested",
	"service-cluster":             "cluster's name right",
	"service-unserved":            "Services served",
	"service-field-unsupported":   "fields supported",
	"service-annotation-invalid":  "annotations valid",
	"service-port-shut":           "ports open",
	"service-health-check":        "health checks answered",
	"service-stuck":               "no deletion stuck",
	"service-finalizer-unproven":  "finalizers proven",
	"service-gone":                "no load balancer left over",
	"service-left-behind":         "no Service left behind",
}

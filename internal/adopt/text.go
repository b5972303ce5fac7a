package adopt

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Text writes the report for people: who gets which load balancer, what is written, what is done
// besides, and what is otherwise from then on. "!" marks what somebody has to look after. Control
// characters are escaped: values come from objects that anybody may have written. What `plan` says too has its words.
func (r Report) Text(w io.Writer, page layout.Page) error {
	var out strings.Builder
	line := func(text string) { out.WriteString(page.Wrap("", "  ", text)) }
	title := func(text string) { out.WriteString("\n" + page.Paint(layout.Bold, text) + "\n") }
	line(fmt.Sprintf("The switch from %s on %s: %s, %s for a load balancer", r.From, printable(r.Cloud), count(r.Summary.Nodes, "Node"), count(r.Summary.Services, "Service")))
	if len(r.OtherClusters) > 0 {
		line(fmt.Sprintf("! The load balancers have ownership tags of another cluster (%s): --cluster-name or --cluster-id is most likely wrong", printable(strings.Join(r.OtherClusters, ", "))))
	}
	if len(r.Balancers) > 0 {
		title("Load balancers")
		out.WriteString(page.Rows(r.balancers()))
	}
	if len(r.OwnershipTags) > 0 {
		title("Ownership tags that are written")
		r.ownershipTags(&out, page)
	}
	if len(r.Plans) > 0 {
		title("Other changes and events")
		for _, e := range r.Plans {
			out.WriteString(e.Text(page, "  "))
		}
	}
	if len(r.Differences) > 0 {
		title("Otherwise from then on")
		r.differences(&out, page)
	}
	out.WriteString("\n")
	line(r.verdict())
	if r.NotLooked != "" {
		line("Not looked at: " + r.NotLooked + ".")
	}
	line("The guide: " + r.Guide)
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing what the switch does: %w", err)
	}
	return nil
}

// balancers are the Services with their load balancers, for people.
func (r Report) balancers() []layout.Row {
	var rows []layout.Row
	for _, b := range r.Balancers {
		found, why := "none", "neither an id, nor an ownership tag, nor a name leads to one"
		switch {
		case b.Error != nil:
			found, why = "not known", b.Error.Message
		case b.ID != "":
			found, why = b.ID, strings.Join(b.Evidence, "; ")
		}
		add := func(found, addresses, why string, problem bool) {
			rows = append(rows, layout.Row{Name: printable(b.Service), Values: []string{printable(found), printable(addresses)}, Why: printable(why), Problem: problem})
		}
		add(found, strings.Join(b.Addresses, " "), why, b.Error != nil)
		for _, refused := range b.Refused {
			add("refused", "", refused, true)
		}
	}
	return rows
}

func (r Report) ownershipTags(out *strings.Builder, page layout.Page) {
	for _, m := range r.OwnershipTags {
		fmt.Fprintf(out, "  %s\n", printable(m.Subject))
		for _, ownershipTag := range m.Added {
			fmt.Fprintf(out, "    + %s\n", printable(ownershipTag))
		}
		for _, ownershipTag := range m.Removed {
			fmt.Fprintf(out, "    - %s\n", printable(ownershipTag))
		}
		for n, step := range m.Steps {
			out.WriteString(page.Wrap(fmt.Sprintf("    %3d. ", n+1), "         ", plan.Describe(step)))
		}
	}
}

// differences says each difference once, with all that it is about.
func (r Report) differences(out *strings.Builder, page layout.Page) {
	type difference struct{ text, link string }
	var order []difference
	about := map[difference][]string{}
	for _, d := range r.Differences {
		key := difference{d.Text, d.Link}
		if about[key] == nil {
			order = append(order, key)
		}
		about[key] = append(about[key], printable(d.Subject))
	}
	for _, d := range order {
		out.WriteString(page.Wrap("  ", "    ", strings.Join(about[d], ", ")+": "+d.text))
		fmt.Fprintf(out, "    %s\n", d.link)
	}
}

// verdict is the last line.
func (r Report) verdict() string {
	s := r.Summary
	text := map[Verdict]string{
		Nothing:       "The switch writes nothing to the cloud.",
		OwnershipTags: fmt.Sprintf("The switch writes the ownership tags of %s, and nothing else.", count(s.OwnershipTags, "load balancer")),
		Changes:       fmt.Sprintf("The switch writes the ownership tags of %s, and makes %s.", count(s.OwnershipTags, "load balancer"), count(s.Changes, "other change")),
		Trouble:       fmt.Sprintf("%s could not be read or planned; what is listed is not all.", count(s.Failed, "subject")),
	}[r.Verdict]
	if r.Verdict == Changes && s.Changes == 0 {
		text = fmt.Sprintf("The switch writes the ownership tags of %s, although load balancers have those of another cluster.", count(s.OwnershipTags, "load balancer"))
	}
	if s.WithoutCluster > 0 {
		text += fmt.Sprintf(" %s without a cluster in the ownership tags.", count(s.WithoutCluster, "load balancer"))
	}
	if s.Blocked > 0 {
		text += fmt.Sprintf(" Blocked: %d.", s.Blocked)
	}
	return text
}

// count says how many there are of something: "1 Node", "3 Nodes".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

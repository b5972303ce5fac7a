package adopt

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Text writes the report for people: who gets which load balancer, what is written, what is done
// besides, and what is otherwise from then on. "!" marks what somebody has to look after. Control
// characters are escaped: values come from objects that anybody may have written.
func (r Report) Text(w io.Writer, colour bool) error {
	var out strings.Builder
	fmt.Fprintf(&out, "The switch from %s on %s: %s, %s for a load balancer\n", r.From, printable(r.Cloud), count(r.Summary.Nodes, "Node"), count(r.Summary.Services, "Service"))
	if len(r.OtherClusters) > 0 {
		fmt.Fprintf(&out, "! The load balancers have ownership tags of another cluster (%s): --cluster-name or --cluster-id is most likely wrong\n", printable(strings.Join(r.OtherClusters, ", ")))
	}
	if err := r.balancers(&out); err != nil {
		return err
	}
	r.ownershipTags(&out)
	if len(r.Plans) > 0 {
		out.WriteString("\nOther changes and events\n")
		for _, e := range r.Plans {
			out.WriteString(indented(e.Text(colour)))
		}
	}
	r.differences(&out)
	fmt.Fprintf(&out, "\n%s\n", r.verdict())
	if r.NotLooked != "" {
		fmt.Fprintf(&out, "Not looked at: %s.\n", r.NotLooked)
	}
	fmt.Fprintf(&out, "The guide: %s\n", r.Guide)
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing what the switch does: %w", err)
	}
	return nil
}

func (r Report) balancers(out *strings.Builder) error {
	if len(r.Balancers) == 0 {
		return nil
	}
	out.WriteString("\nLoad balancers\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range r.Balancers {
		sign, found, why := " ", "none", "neither an id, nor an ownership tag, nor a name leads to one"
		switch {
		case b.Error != nil:
			sign, found, why = "!", "not known", b.Error.Message
		case b.ID != "":
			found, why = b.ID, strings.Join(b.Evidence, "; ")
		}
		fmt.Fprintf(table, "%s %s\t%s\t%s\t(%s)\n", sign, printable(b.Service), printable(found), printable(strings.Join(b.Addresses, " ")), printable(why))
		for _, refused := range b.Refused {
			fmt.Fprintf(table, "! %s\trefused\t\t(%s)\n", printable(b.Service), printable(refused))
		}
	}
	return table.Flush()
}

func (r Report) ownershipTags(out *strings.Builder) {
	if len(r.OwnershipTags) == 0 {
		return
	}
	out.WriteString("\nOwnership tags that are written\n")
	for _, m := range r.OwnershipTags {
		fmt.Fprintf(out, "  %s\n", printable(m.Subject))
		for _, ownershipTag := range m.Added {
			fmt.Fprintf(out, "    + %s\n", printable(ownershipTag))
		}
		for _, ownershipTag := range m.Removed {
			fmt.Fprintf(out, "    - %s\n", printable(ownershipTag))
		}
		for n, step := range m.Steps {
			fmt.Fprintf(out, "    %3d. %s\n", n+1, plan.Describe(step))
		}
	}
}

func (r Report) differences(out *strings.Builder) {
	if len(r.Differences) == 0 {
		return
	}
	out.WriteString("\nOtherwise from then on\n")
	for _, d := range r.Differences {
		fmt.Fprintf(out, "  %s: %s\n    %s\n", printable(d.Subject), d.Text, d.Link)
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

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
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

package firewall

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// limits are how much one firewall holds; 0 is no limit.
type limits struct {
	rules int
	// sources are the most sources and balancers of one rule.
	sources int
}

// of returns how many rules these openings are.
func (l limits) of(openings ...cloud.Opening) int {
	n := 0
	for _, o := range openings {
		n++
		if size := len(o.Sources) + len(o.Balancers); l.sources > 0 && size > l.sources {
			n += (size - 1) / l.sources
		}
	}
	return n
}

func (l limits) hold(n int) bool { return l.rules == 0 || n <= l.rules }

// split returns openings as the rules that the firewall holds: what has more sources than one
// rule can have becomes several.
func (l limits) split(openings []cloud.Opening) []cloud.Opening {
	var rules []cloud.Opening
	for _, o := range openings {
		for l.of(o) > 1 {
			part, rest := o, o
			n := min(l.sources, len(o.Sources))
			part.Sources, rest.Sources = o.Sources[:n:n], o.Sources[n:]
			m := min(l.sources-n, len(o.Balancers))
			part.Balancers, rest.Balancers = o.Balancers[:m:m], o.Balancers[m:]
			rules, o = append(rules, part), rest
		}
		rules = append(rules, o)
	}
	return rules
}

// within returns the part of an opening that is open already.
func within(o cloud.Opening, present []cloud.Opening) []cloud.Opening {
	var parts []cloud.Opening
	for _, p := range present {
		part := o
		part.From, part.To = max(o.From, p.From), min(o.To, p.To)
		if p.Protocol != o.Protocol || part.From > part.To {
			continue
		}
		part.Sources = common(o.Sources, p.Sources)
		part.Balancers = slices.DeleteFunc(slices.Clone(o.Balancers), func(id string) bool { return !slices.Contains(p.Balancers, id) })
		if len(part.Sources)+len(part.Balancers) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

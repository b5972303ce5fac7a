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

func (l limits) hold(openings []cloud.Opening) bool {
	return l.rules == 0 || l.of(openings...) <= l.rules
}

// fill adds one unit after the other, as long as there is room.
func (l limits) fill(kept []cloud.Opening, units [][]cloud.Opening) []cloud.Opening {
	for _, unit := range units {
		if more := add(kept, unit...); l.hold(more) {
			kept = more
		}
	}
	return kept
}

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

// within returns the parts of openings that are open already.
func within(openings, open []cloud.Opening) []cloud.Opening {
	var parts []cloud.Opening
	for _, rule := range open {
		for _, part := range onPorts(openings, rule) {
			part.Sources = common(part.Sources, rule.Sources)
			part.Balancers = slices.DeleteFunc(slices.Clone(part.Balancers), func(id string) bool {
				return !slices.Contains(rule.Balancers, id) && !slices.Equal(rule.Sources, everywhere())
			})
			if len(part.Sources)+len(part.Balancers) > 0 {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// onPorts returns the parts of openings on the ports of a rule, whoever it lets in.
func onPorts(openings []cloud.Opening, rule cloud.Opening) []cloud.Opening {
	var parts []cloud.Opening
	for _, o := range openings {
		o.From, o.To = max(o.From, rule.From), min(o.To, rule.To)
		if o.Protocol == rule.Protocol && o.From <= o.To {
			parts = append(parts, o)
		}
	}
	return parts
}

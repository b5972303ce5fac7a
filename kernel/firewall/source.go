package firewall

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// everywhere is all of IPv4 and IPv6.
func everywhere() []string { return []string{"0.0.0.0/0", "::/0"} }

// sourceRanges returns the client networks of a Service; none means everyone.
func sourceRanges(svc *corev1.Service) ([]string, error) {
	field, given, _ := annotation.SourceRangesOf(svc.Spec.LoadBalancerSourceRanges, svc.Annotations)
	var ranges []string
	for _, text := range given {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, &cloud.Invalid{Field: field, Value: text, Want: `want a network such as "10.0.0.0/8"`}
		}
		ranges = append(ranges, prefix.Masked().String())
	}
	return ranges, nil
}

// narrow returns the part of the sources that lies in the ranges; no ranges narrow nothing.
func narrow(sources, ranges []string) ([]string, error) {
	if len(ranges) == 0 {
		return sources, nil
	}
	for _, text := range sources {
		if _, err := netip.ParsePrefix(text); err != nil {
			return nil, fmt.Errorf("source of an opening: %w", err)
		}
	}
	return common(sources, ranges), nil
}

// widest returns the sources without those that lie in another one, sorted. What is not a
// network is kept as it is.
func widest(sources []string) []string {
	type network struct {
		prefix netip.Prefix
		text   string
	}
	var networks []network
	var kept []string
	for _, text := range sources {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, network{prefix.Masked(), text})
		} else {
			kept = append(kept, text)
		}
	}
	// A network comes right before those that lie in it.
	slices.SortFunc(networks, func(a, b network) int {
		return cmp.Or(a.prefix.Addr().Compare(b.prefix.Addr()), cmp.Compare(a.prefix.Bits(), b.prefix.Bits()), cmp.Compare(a.text, b.text))
	})
	var last netip.Prefix
	for _, n := range networks {
		if !last.IsValid() || !last.Contains(n.prefix.Addr()) {
			last = n.prefix
			kept = append(kept, n.text)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// common returns what lies in both a and b.
func common(a, b []string) []string { return widest(append(lying(a, b), lying(b, a)...)) }

// lying returns those of the sources that lie in one of the others. What is not a network does where it
// is one of them.
func lying(sources, others []string) []string {
	around := map[netip.Prefix]bool{}
	for _, text := range others {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			around[prefix.Masked()] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(sources), func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return !slices.Contains(others, text)
		}
		for bits := prefix.Bits(); bits >= 0; bits-- {
			if wider, _ := prefix.Addr().Prefix(bits); around[wider] {
				return false
			}
		}
		return true
	})
}

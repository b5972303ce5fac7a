package firewall

import (
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
	networks := prefixes(sources)
	kept := slices.DeleteFunc(slices.Clone(sources), func(text string) bool { return inside(text, networks, 1) })
	slices.Sort(kept)
	return slices.Compact(kept)
}

// common returns what lies in both a and b.
func common(a, b []string) []string { return widest(append(lying(a, b), lying(b, a)...)) }

// lying returns those of the sources that lie in one of the others. What is not a network does where it
// is one of them.
func lying(sources, others []string) []string {
	networks := prefixes(others)
	return slices.DeleteFunc(slices.Clone(sources), func(text string) bool {
		return !inside(text, networks, 0) && !slices.Contains(others, text)
	})
}

// prefixes returns the networks among sources.
func prefixes(sources []string) map[netip.Prefix]bool {
	networks := make(map[netip.Prefix]bool, len(sources))
	for _, text := range sources {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			networks[prefix.Masked()] = true
		}
	}
	return networks
}

// inside reports whether a source lies in one of the networks that is wider by so many bits, or by more.
func inside(source string, networks map[netip.Prefix]bool, wider int) bool {
	prefix, err := netip.ParsePrefix(source)
	for bits := prefix.Bits() - wider; err == nil && bits >= 0; bits-- {
		if network, _ := prefix.Addr().Prefix(bits); networks[network] {
			return true
		}
	}
	return false
}

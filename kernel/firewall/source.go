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
func sourceRanges(svc *corev1.Service) ([]netip.Prefix, error) {
	field, given, _ := annotation.SourceRangesOf(svc.Spec.LoadBalancerSourceRanges, svc.Annotations)
	var ranges []netip.Prefix
	for _, text := range given {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, &cloud.Invalid{Field: field, Value: text, Want: `want a network such as "10.0.0.0/8"`}
		}
		ranges = append(ranges, prefix.Masked())
	}
	return ranges, nil
}

// narrow returns the part of the sources that lies in the ranges; no ranges narrow nothing.
func narrow(sources []string, ranges []netip.Prefix) ([]string, error) {
	if len(ranges) == 0 {
		return sources, nil
	}
	var narrowed []string
	for _, text := range sources {
		source, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("source of an opening: %w", err)
		}
		for _, r := range ranges {
			if !source.Overlaps(r) {
				continue
			}
			// Of two networks that overlap, one lies in the other.
			if r.Bits() < source.Bits() {
				narrowed = append(narrowed, source.Masked().String())
			} else {
				narrowed = append(narrowed, r.String())
			}
		}
	}
	slices.Sort(narrowed)
	return slices.Compact(narrowed), nil
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

// common returns the networks that lie in both a and b. What is not a network is common where
// both have it.
func common(a, b []string) []string {
	var both, networks []string
	for _, text := range a {
		if _, err := netip.ParsePrefix(text); err == nil {
			networks = append(networks, text)
		} else if slices.Contains(b, text) {
			both = append(both, text)
		}
	}
	var ranges []netip.Prefix
	for _, text := range b {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			ranges = append(ranges, prefix.Masked())
		}
	}
	if len(ranges) == 0 {
		return both
	}
	narrowed, _ := narrow(networks, ranges) // all of them are networks
	return append(both, narrowed...)
}

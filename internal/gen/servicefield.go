package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// writeServiceFields writes what becomes of the fields of a Service on each cloud. The kernel says on a Service what the same declarations say.
func writeServiceFields(b *bytes.Buffer, all []registry.Provider) {
	all = slices.DeleteFunc(slices.Clone(all), func(p registry.Provider) bool { return !p.Descriptor.Capabilities.Balancers })
	b.WriteString("# Fields of a Service\n\n" + header)
	fmt.Fprintf(b, "What becomes of the fields of `spec` that may say something about a load balancer. What has no effect is said on the Service, by an event with the reason `%s`. "+
		"What is refused is said by `%s`, or `%s`; the Service gets no load balancer, and one that is there keeps serving as it is. "+
		"Where it depends on the load balancer, an event says what of a field has no effect on this one. Annotations are on a [page of their own](annotations.md).\n\n",
		event.ConfigurationIgnored.Name, event.InvalidConfiguration.Name, event.SourceRangesRefused.Name)
	head := []string{"Field"}
	for _, p := range all {
		head = append(head, fmt.Sprintf("[%s](providers/%s.md)", p.Descriptor.Title, p.Descriptor.Name))
	}
	tableHead(b, head...)
	var others []cloud.ServiceField
	for _, field := range cloud.ServiceFields() {
		if !forBalancers(field, all) {
			others = append(others, field)
			continue
		}
		cells := []string{code(string(field))}
		for _, p := range all {
			use := p.Descriptor.Capabilities.Use(field)
			cells = append(cells, string(use.Handling)+": "+keysAsCode(use.Note))
		}
		row(b, cells...)
	}
	fmt.Fprintf(b, "\n## Not for load balancers\n\nThe same on every cloud. Where an event says so, it is a normal one with the reason `%s`, because nothing is wrong.\n\n", event.Unaffected.Name)
	tableHead(b, "Field", "What becomes of it", "Event")
	for _, field := range others {
		use := cloud.Capabilities{}.Use(field)
		row(b, code(string(field)), use.Note, yes(use.Handling == cloud.Others))
	}
}

// forBalancers reports whether load balancers of a cloud do something with a field, or could.
func forBalancers(field cloud.ServiceField, all []registry.Provider) bool {
	return slices.ContainsFunc(all, func(p registry.Provider) bool {
		handling := p.Descriptor.Capabilities.Use(field).Handling
		return handling != cloud.Others && handling != cloud.Silent
	})
}

// keysAsCode formats the annotation keys of a note as code.
func keysAsCode(note string) string {
	words := strings.Split(note, " ")
	for i, word := range words {
		bare := strings.TrimRight(word, ",;.")
		if strings.Contains(bare, "/") && !strings.ContainsAny(bare, "`[(") {
			words[i] = code(bare) + word[len(bare):]
		}
	}
	return strings.Join(words, " ")
}

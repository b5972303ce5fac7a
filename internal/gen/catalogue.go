package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/flag"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

func writeEvents(b *bytes.Buffer) {
	b.WriteString("# Events\n\n" + header)
	b.WriteString("Events of multicloud-ccm on Services and Nodes, beside those of the framework's controllers.\n\n")
	tableHead(b, "Reason", "Type", "On", "What it means")
	for _, r := range event.All() {
		kind := "Normal"
		if r.Warning {
			kind = "Warning"
		}
		row(b, code(r.Name), kind, r.On, r.Doc)
	}
}

func writeMetrics(b *bytes.Buffer) {
	b.WriteString("# Metrics\n\n" + header)
	b.WriteString("Metrics of multicloud-ccm on `/metrics` of the secure port, beside those of the framework.\n\n")
	tableHead(b, "Metric", "Type", "Labels", "What it says")
	for _, m := range metric.All() {
		row(b, code(m.Name), string(m.Type), codes(m.Labels), m.Help)
	}
}

func writeFlags(b *bytes.Buffer, sets cliflag.NamedFlagSets) {
	b.WriteString("# Flags\n\n" + header)
	b.WriteString("All flags of `cloud-controller-manager`. Where its default is not the framework's, that one stands in brackets.\n")
	for _, name := range sets.Order {
		set := sets.FlagSets[name]
		if !set.HasAvailableFlags() {
			continue
		}
		fmt.Fprintf(b, "\n## %s\n\n", name)
		tableHead(b, "Flag", "Default", "What it does")
		set.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Deprecated == "" {
				value := code(f.DefValue)
				if upstream := f.Annotations[flag.UpstreamDefault]; len(upstream) > 0 {
					value += " (" + code(upstream[0]) + ")"
				}
				row(b, code("--"+f.Name), value, f.Usage)
			}
		})
	}
}

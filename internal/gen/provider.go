package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

func writeProviders(b *bytes.Buffer, all []registry.Provider) {
	b.WriteString("# Providers\n\n" + header)
	tableHead(b, "Name", "Cloud", "Status", "Load balancers", "Routes", "Firewall", "Provider-ID")
	for _, p := range all {
		d := p.Descriptor
		row(b, fmt.Sprintf("[`%s`](providers/%s.md)", d.Name, d.Name), d.Title, string(d.Status),
			yes(d.Capabilities.Balancers), yes(d.Capabilities.Routes), yes(d.Capabilities.Firewalls), code(d.ProviderIDForm))
	}
}

func yes(has bool) string {
	if has {
		return "yes"
	}
	return "–"
}

// writeAPIs writes how APIs are limited that are so apart from the others, those with the same limit together.
func writeAPIs(b *bytes.Buffer, apis []cloud.API) {
	var limits []string
	names := map[string][]string{}
	for _, api := range apis {
		limit := cmp.Or(rate(api.RequestsPerHour, api.RequestsPerMinute), "by no published number of requests in a minute or an hour: 50 a second at first, fewer when the cloud throttles")
		if names[limit] == nil {
			limits = append(limits, limit)
		}
		names[limit] = append(names[limit], fmt.Sprintf("`api=\"%s\"`", api.Name))
	}
	for _, limit := range limits {
		each := ""
		if len(names[limit]) > 1 {
			each = ", each"
		}
		fmt.Fprintf(b, "Limited apart%s (metrics with %s): %s.\n", each, strings.Join(names[limit], ", "), limit)
	}
}

func writeProvider(b *bytes.Buffer, p registry.Provider) {
	d := p.Descriptor
	fmt.Fprintf(b, "# %s: settings and annotations\n\n%s", d.Title, header)
	fmt.Fprintf(b, "`--cloud-provider=%s`, provider-ID %s, status %s.\n", d.Name, code(d.ProviderIDForm), d.Status)
	if published := rate(d.Limits.RequestsPerHour, d.Limits.RequestsPerMinute); published != "" {
		fmt.Fprintf(b, "Published limits: %s.\n", published)
	}
	writeAPIs(b, d.Limits.APIs)
	if len(d.Capabilities.Immutable) > 0 {
		fmt.Fprintf(b, "Fields of an existing balancer that the cloud cannot change: %s.\n", codes(d.Capabilities.Immutable))
	}
	for _, note := range d.Notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
	b.WriteString("\n## Environment variables\n\n")
	if slices.ContainsFunc(d.Settings, func(s cloud.Setting) bool { return s.Secret }) {
		b.WriteString("A secret may be given as a file instead: the variable with `_FILE` appended holds its path, and the file is read again when it changes.\n\n")
	}
	writeSettings(b, d.Settings)
	if d.ConfigFile != nil {
		writeConfigKeys(b, d.Name, *d.ConfigFile)
	}
	b.WriteString("\n## Annotations of a Service\n\n")
	if !d.Capabilities.Balancers {
		b.WriteString("None: the provider has no load balancers. Services of type LoadBalancer are left to others, or stay without an address.\n")
		return
	}
	b.WriteString("Where several spellings are set and disagree, the last one in the list wins. Keys under `" + annotation.Prefix + "` mean [the same on every cloud](../annotations.md) that has them.\n\n")
	writeAnnotations(b, annotation.Kernel().With(p.Annotations))
}

// rate says how many requests there may be, "" where nothing is published.
func rate(hour, minute int) string {
	switch {
	case hour > 0 && minute > 0:
		return fmt.Sprintf("%d requests an hour, %d a minute", hour, minute)
	case hour > 0:
		return fmt.Sprintf("%d requests an hour", hour)
	case minute > 0:
		return fmt.Sprintf("%d requests a minute", minute)
	}
	return ""
}

func writeSettings(b *bytes.Buffer, settings []cloud.Setting) {
	tableHead(b, "Variable", "Default", "Required", "Secret", "What it does")
	for _, s := range settings {
		row(b, code(s.Name), code(s.Default), yes(s.Required), secret(s), s.Doc)
	}
}

func secret(s cloud.Setting) string {
	if s.Public {
		return "no, but it may be a file too"
	}
	return yes(s.Secret)
}

// writeConfigKeys writes a table for each section of a configuration file.
func writeConfigKeys(b *bytes.Buffer, provider string, file cloud.ConfigFile) {
	fmt.Fprintf(b, "\n## Keys of %s\n\n%s\n", file.Key, file.Doc)
	if file.Inventory {
		writeInventory(b, provider, file)
		return
	}
	section := ""
	for _, k := range file.Keys {
		if k.Section != section {
			section = k.Section
			fmt.Fprintf(b, "\n### [%s]\n\n", section)
			tableHead(b, "Key", "Value", "Default", "Secret", "What it does")
		}
		row(b, code(k.Name), k.Type, code(k.Default), yes(k.Secret), k.Doc)
	}
}

func writeAnnotations(b *bytes.Buffer, keys annotation.Set) {
	tableHead(b, "Key", "Values", "Default", "Works with", "What it does")
	for _, k := range keys {
		spellings := k.Spellings()
		slices.Reverse(spellings)
		for i, s := range spellings {
			spellings[i] = code(s)
		}
		row(b, strings.Join(slices.Compact(spellings), "<br>"), values(k), code(k.Default), orDash(k.Applies), strings.TrimSpace(k.Doc+" "+k.Note))
	}
}

func values(k annotation.Key) string {
	if k.PerPort {
		k.PerPort = false
		return values(k) + annotation.PerPortForm
	}
	switch {
	case k.Type == annotation.TypeEnum:
		return codes(k.Enum)
	case k.Type == annotation.TypeInt && k.Max > 0:
		return fmt.Sprintf("int, %d–%d", k.Min, k.Max)
	case k.Type == annotation.TypeDuration && k.Max > 0:
		return fmt.Sprintf("whole seconds, %d–%d, such as %d or %ds", k.Min, k.Max, k.Min, k.Min)
	case k.Want != "":
		return string(k.Type) + ": " + k.Want
	default:
		return string(k.Type)
	}
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

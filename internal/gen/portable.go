package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

// writePortable writes the page of the annotations that mean the same on every cloud.
func writePortable(b *bytes.Buffer, all []registry.Provider) {
	b.WriteString("# Portable annotations\n\n" + header)
	b.WriteString("Annotations under `" + annotation.Prefix + "` mean the same on every cloud that has them. Upstream's annotations keep working; " +
		"where one of them and a portable one say different things, upstream's wins, and an event says so. " +
		"A portable annotation that a cloud, or this kind of balancer, cannot do has no effect, and an event says that. " +
		"A value beyond a cloud's bounds is refused; the event names the annotation, the value and the bounds.\n\n")
	b.WriteString("## On every cloud\n\n")
	writeKeys(b, annotation.Kernel())
	b.WriteString("\n## Where the cloud can do it\n\n")
	writeKeys(b, annotation.Portable())
	b.WriteString("\n## Which cloud has which\n\n")
	all = slices.DeleteFunc(slices.Clone(all), func(p registry.Provider) bool { return !p.Descriptor.Capabilities.Balancers })
	head := []string{"Key"}
	for _, p := range all {
		head = append(head, fmt.Sprintf("[%s](providers/%s.md#annotations-of-a-service)", p.Descriptor.Title, p.Descriptor.Name))
	}
	tableHead(b, head...)
	for _, key := range annotation.Portable() {
		cells := []string{code(strings.TrimPrefix(key.Name, annotation.Prefix))}
		for _, p := range all {
			cells = append(cells, ability(key, p.Annotations))
		}
		row(b, cells...)
	}
	b.WriteString("\nA dash says that it is not possible there.\n")
}

func writeKeys(b *bytes.Buffer, keys annotation.Set) {
	tableHead(b, "Key", "Values", "Default", "What it does")
	for _, k := range keys {
		row(b, code(k.Name), values(k), code(k.Default), k.Doc)
	}
}

// ability says how a provider has a portable key: what of its values, and on which balancers.
func ability(common annotation.Key, keys annotation.Set) string {
	key, has := keys.Find(common.Name)
	if !has {
		return "–"
	}
	var parts []string
	switch {
	case key.Max != common.Max || key.Min != common.Min:
		parts = append(parts, fmt.Sprintf("%d–%d", key.Min, key.Max))
	case !slices.Equal(key.Enum, common.Enum):
		parts = append(parts, codes(key.Enum))
	case key.Want != common.Want && key.Aliased == nil:
		parts = append(parts, key.Want)
	}
	if key.Applies != "" {
		parts = append(parts, "with "+key.Applies)
	}
	if len(parts) == 0 {
		return "yes"
	}
	return strings.Join(parts, "; ")
}

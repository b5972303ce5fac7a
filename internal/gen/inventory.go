package main

import (
	"bytes"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// writeInventory writes what is in the file that says which machines there are, and what becomes of a change.
func writeInventory(b *bytes.Buffer, provider string, file cloud.ConfigFile) {
	fmt.Fprintf(b, "The file is that of `--cloud-config`. The chart makes it of the value `%s.%s`, where `apiVersion` and `kind` may be left out.\n\n", provider, file.Value)
	fmt.Fprintf(b, "```yaml\n%s```\n", cloud.InventoryExample)
	section := ""
	for _, k := range file.Keys {
		if k.Section != section {
			section = k.Section
			fmt.Fprintf(b, "\n### %s\n\n", code(section))
			tableHead(b, "Key", "Value", "Default", "What it does")
		}
		row(b, code(k.Name), k.Type, code(k.Default), k.Doc)
	}
	b.WriteString("\n### When the file changes\n\n")
	tableHead(b, "The file", "What happens")
	for _, r := range inventoryChanges() {
		row(b, r[0], r[1])
	}
}

// inventoryChanges are what can become of the file, and what follows.
func inventoryChanges() [][2]string {
	return [][2]string{
		{"changes", "It is read again every 10 seconds. No restart is needed. A kubelet brings a changed ConfigMap into the Pod within about a minute. Nodes that wait for their cloud are looked at again at once. Addresses of initialised Nodes follow within `--node-status-update-frequency`. Region, zone, type and labels are written once, when a Node is initialised, and are not changed later."},
		{"loses the entry of a Node", "A Node that is initialised stays static, with its provider-ID, labels and addresses. No Node is ever deleted. One that waits goes on waiting."},
		{"has a mistake", "Nothing changes: the last version without mistakes counts. The log has each mistake with its place, once, and the metric " + code(metric.InventoryFileWrong.Name) + " is 1 until the file is right again."},
		{"is deleted, or cannot be read", "The same as with a mistake."},
		{"is wrong or missing when the program starts", "The program ends, and says each mistake. There is no version without mistakes then, and to take every Node that waits for a static machine could not be undone."},
	}
}

package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Outdated returns the labels of type, zone and region that a Node has and that its machine has other values for, with the
// machine's. The node controller writes them when it initialises the Node and never later. Where there is no API, further labels
// count too, and those that the Node lacks: somebody wrote them down for this Node. Of one that no entry of the inventory fits any more
// nothing is said.
func Outdated(c *run.Cloud, node *corev1.Node, machine cloud.Instance) map[string]string {
	outdated, all := map[string]string{}, c.Descriptor.Offline
	if c.Inventory != nil {
		if _, fits := c.Inventory.Match(instance.Attributes(node)); !fits {
			return outdated
		}
	}
	for _, label := range labels(machine) {
		before, has := node.Labels[label.key]
		switch {
		case before == label.value && has:
		case has && (label.forced || all), !has && all && !former[label.key]:
			outdated[label.key] = label.value
		}
	}
	return outdated
}

// former are labels with another name today, which need not be there.
var former = map[string]bool{corev1.LabelInstanceType: true, corev1.LabelFailureDomainBetaZone: true, corev1.LabelFailureDomainBetaRegion: true}

// LabelCommand is the command that gives a Node these labels.
func LabelCommand(node string, values map[string]string) string {
	command := "kubectl label node " + node + " --overwrite"
	for _, key := range slices.Sorted(maps.Keys(values)) {
		command += " " + key + "=" + values[key]
	}
	return command
}

// Differences says of each of these labels what the Node has and what its machine has. A label with two names is there once.
func Differences(node *corev1.Node, values map[string]string) string {
	var says []string
	for key, value := range values {
		before := node.Labels[key]
		if before == "" {
			before = "none"
		}
		says = append(says, path.Base(key)+" "+before+" → "+value)
	}
	slices.Sort(says)
	return strings.Join(slices.Compact(says), ", ")
}

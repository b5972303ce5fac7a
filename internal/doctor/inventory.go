package doctor

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
)

// judgeInventory looks for what in the inventory has no effect. That it has mistakes is said by the check of the settings.
func judgeInventory(f *facts) Outcome {
	if err := f.nodesKnown(); err != nil {
		return cannot(err)
	}
	file := f.Cloud.Inventory
	if file == nil {
		return fine("no inventory is used")
	}
	fits := map[string]bool{}
	for _, node := range f.nodes.value {
		if f.owner(node) != instance.Mine {
			continue
		}
		if entry, found := file.Match(instance.Attributes(node)); found {
			fits[entry.Entry] = true
		}
	}
	found := slices.Clone(file.Warnings())
	for _, entry := range file.Entries() {
		hidden := slices.ContainsFunc(file.Warnings(), func(w string) bool { return strings.HasPrefix(w, entry+": it never counts") })
		if !fits[entry] && !hidden {
			found = append(found, entry+": no Node of the cluster fits")
		}
	}
	if len(found) > 0 {
		return Outcome{Level: Warning, Message: "the inventory has what is without effect, or hardly meant", Evidence: bounded(found)}
	}
	return fine("each of %d entries fits a Node", len(file.Entries()))
}

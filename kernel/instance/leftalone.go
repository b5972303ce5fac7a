package instance

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Whose says whose a Node is that nothing is done for, seen from a cloud: in a few words, and why. Both are "" for a Node of ours.
func Whose(c *run.Cloud, node *corev1.Node) (owner, why string) {
	scheme, _, schemed := strings.Cut(node.Spec.ProviderID, "://")
	switch Owner(node, c.Concerns) {
	case Mine:
		return "", ""
	case OptedOut:
		return "nobody", "a label such as " + LabelUnmanaged + " keeps cloud controllers away; it is never touched"
	case Unmanaged:
		why = "neither provider-ID nor taint: its kubelet registered without --cloud-provider=external"
		if !c.Descriptor.Offline {
			why += "; it is a target at most"
		}
		return "nobody", why
	}
	switch {
	case Unseen(c, node):
		return "another part of " + c.Name, "its provider-ID is of a project, account or region that these credentials are not for; it is never touched"
	case schemed:
		return others(c), fmt.Sprintf("its provider-ID is one of %s, and none of %s; it is never touched", scheme, schemes(c))
	}
	return others(c), "its provider-ID names no cloud; it is never touched"
}

// others are whose the Nodes of other schemes are: where no API is asked their machines need not be of a cloud either.
func others(c *run.Cloud) string {
	if c.Descriptor.Offline {
		return "somebody else"
	}
	return "another cloud"
}

// schemes are those of the provider's own provider-IDs, and the setting that adds others.
func schemes(c *run.Cloud) string {
	text := strings.Join(c.Descriptor.ProviderIDSchemes, ", ")
	if setting := c.Descriptor.SchemesSetting; setting != "" {
		text += " and " + setting
	}
	return text
}

// Unseen reports whether a Node's provider-ID is one of the provider's own, but of a part of the cloud that the credentials are
// not for. Where there are no credentials there is no such part.
func Unseen(c *run.Cloud, node *corev1.Node) bool {
	if c.Descriptor.Offline {
		return false
	}
	scheme, _, found := strings.Cut(node.Spec.ProviderID, "://")
	return found && slices.Contains(c.Descriptor.ProviderIDSchemes, scheme) && Owner(node, c.Concerns) == Foreign
}

package desired

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Parts of a network balancer that upstream never changes on one that is there.
const (
	partTargets = "targetType"
	partSubnets = "subnets"
	partStack   = "ipFamilies"
	partUDP     = "udpHealthCheck"
)

// holds decides about a part of the balancer that upstream does not change, whatever the Service
// asks for (input). Such a part takes effect when its user changes it here, or consents:
//
//	differs  replacement allowed  balancer                     asked for      the part
//	no       –                    –                            –              is as asked for
//	yes      yes                  –                            –              becomes what is asked for
//	yes      no                   without our tags             –              stays, and that is recorded
//	yes      no                   with the part in its record  as recorded    stays
//	yes      no                   with the part in its record  something else becomes what is asked for
//	yes      no                   made here                    –              becomes what is asked for
func (w *builder) holds(part, input, field string, differs bool) bool {
	if !differs || annotation.AllowReplacement.Bool(w.input.Options) {
		return false
	}
	sum := sha256.Sum256([]byte(input))
	entry := part + "=" + hex.EncodeToString(sum[:4])
	if !w.present.Foreign && !slices.Contains(strings.Fields(w.present.Held), entry) {
		return false
	}
	if !slices.Contains(w.held, entry) {
		w.held = append(w.held, entry)
		w.note(field, fmt.Sprintf("the balancer was there before, and its %s stays as it is: the upstream CCM did not read this. It takes effect when you change it, or set %s",
			part, annotation.AllowReplacement.Name))
	}
	return true
}

// heldOwnershipTag is the ownership tag of the parts that stay, "" for none.
func (w *builder) heldOwnershipTag() string {
	if len(w.held) == 0 {
		return ""
	}
	slices.Sort(w.held)
	return tag.Held + "=" + strings.Join(w.held, " ")
}

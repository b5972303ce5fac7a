package desired

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
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
//	yes      no                   without our marks            –              stays, and that is recorded
//	yes      no                   with the part in its record  as recorded    stays
//	yes      no                   with the part in its record  something else becomes what is asked for
//	yes      no                   made here                    –              becomes what is asked for
func (w *builder) holds(part, input, field string, differs bool) bool {
	if !differs || annotation.AllowReplacement.Bool(w.spec.Options) {
		return false
	}
	sum := sha256.Sum256([]byte(input))
	entry := part + "=" + hex.EncodeToString(sum[:4])
	if w.spec.Lookups[balancer.LookupTaken] != "true" && !slices.Contains(strings.Fields(w.spec.Lookups[balancer.LookupHeld]), entry) {
		return false
	}
	if !slices.Contains(w.held, entry) {
		w.held = append(w.held, entry)
		w.note(field, fmt.Sprintf("the balancer was there before, and its %s stays as it is: the upstream CCM did not read this. It takes effect when you change it, or set %s",
			part, annotation.AllowReplacement.Name))
	}
	return true
}

// heldMark is the mark of the parts that stay, "" for none.
func (w *builder) heldMark() string {
	if len(w.held) == 0 {
		return ""
	}
	slices.Sort(w.held)
	return tag.Held + "=" + strings.Join(w.held, " ")
}

// present is what a listener and its target group are like, as in balancer.LookupListeners.
type present struct{ targetType, check string }

// presentAt returns what the listener at a port is like, or where there is none any other.
func (w *builder) presentAt(port int) (p present, exists bool) {
	for entry := range strings.SplitSeq(w.spec.Lookups[balancer.LookupListeners], ",") {
		parts := strings.Split(entry, ":")
		if len(parts) != 3 {
			continue
		}
		if at := parts[0] == strconv.Itoa(port); at || !exists {
			p, exists = present{parts[1], parts[2]}, true
			if at {
				return p, true
			}
		}
	}
	return p, exists
}

// DefaultTimeout is AWS's idle timeout of TCP connections, in seconds, and leastTimeout the shortest there
// can be (ListenerAttribute, tcp.idle_timeout.seconds).
const (
	DefaultTimeout = "350"
	leastTimeout   = 60
)

// HasTimeout reports whether the idle timeout of a listener can be changed. AWS's own stays on those of
// UDP and TLS.
func HasTimeout(p cloud.Protocol) bool {
	return p == cloud.ProtocolTCP || p == secgroup.ProtocolBoth
}

// timeouts sets the idle timeouts, where the annotation says one or the listeners were given one before.
func (w *builder) timeouts(listeners []cloud.Listener) {
	asked := option.IdleTimeout.Has(w.spec.Options)
	if !asked && w.spec.Lookups[balancer.LookupTimed] != "true" {
		return
	}
	timeout := DefaultTimeout
	if asked {
		timeout = option.IdleTimeout.In(w.spec.Options)
	}
	if asked && option.IdleTimeout.Int(w.spec.Options) < leastTimeout {
		w.refuse(option.IdleTimeout.Name, timeout, fmt.Sprintf("want at least %d for a Network Load Balancer", leastTimeout))
	}
	var others []string
	for _, l := range listeners {
		if HasTimeout(l.Protocol) {
			l.ProviderFields[balancer.FieldIdleTimeout] = timeout
		} else {
			others = append(others, string(l.Protocol)+" port "+strconv.Itoa(l.Port))
		}
	}
	if asked && len(others) > 0 {
		w.note(option.IdleTimeout.Name, "not possible on "+strings.Join(others, ", ")+": AWS has it for TCP ports only")
	}
}

// PreservesByDefault reports whether targets see the clients' addresses where nothing is said of it: but for TCP and TLS to
// targets that are addresses (API reference of TargetGroupAttribute).
func PreservesByDefault(targetType string, p cloud.Protocol) bool {
	return targetType == option.TargetInstance || p == cloud.ProtocolUDP || p == secgroup.ProtocolBoth
}

package desired

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// DefaultTimeout is AWS's idle timeout of TCP connections, in seconds, and leastTimeout the shortest there
// can be (ListenerAttribute, tcp.idle_timeout.seconds).
const (
	DefaultTimeout = "350"
	leastTimeout   = 60
)

// HasTimeout reports whether the idle timeout of a listener can be changed. AWS's own stays on those of
// UDP and TLS.
func HasTimeout(p cloud.Protocol) bool {
	return p == cloud.ProtocolTCP || p == targetgroup.ProtocolBoth
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

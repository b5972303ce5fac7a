package desired

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// listeners sets the listeners, one for each port of the Service; a TCP and a UDP port with one
// number and one node port share one.
func (w *builder) listeners(b *cloud.Balancer) {
	for i, port := range w.input.Ports {
		twin := slices.IndexFunc(w.input.Ports, func(p cloud.Port) bool { return p.Port == port.Port && p.Protocol != port.Protocol })
		both := twin >= 0 && w.input.Ports[twin].NodePort == port.NodePort
		switch {
		case twin >= 0 && !both && twin < i:
			w.refuse(fmt.Sprintf("spec.ports[%d].nodePort", i), strconv.Itoa(port.NodePort),
				fmt.Sprintf("TCP and UDP on port %d share one listener, so they need the same node port: %d", port.Port, w.input.Ports[twin].NodePort))
		case both && twin < i:
			continue
		}
		b.Listeners = append(b.Listeners, w.listener(port, both))
	}
	cloud.SortListeners(b.Listeners)
}

func (w *builder) listener(port cloud.Port, both bool) cloud.Listener {
	l := port.Listener()
	if both {
		l.Protocol, l.TargetProtocol = option.ProtocolBoth, option.ProtocolBoth
	}
	targetType := option.TargetType.In(w.input.Options)
	if now, exists := w.present.At(port.Port); w.holds(partTargets, targetType, option.TargetType.Name, exists && now.TargetType != targetType) {
		targetType = now.TargetType
	}
	l.ProviderFields = map[string]string{balancer.FieldTargetType: targetType, balancer.FieldSticky: strconv.FormatBool(w.input.ClientIP)}
	if port.Protocol == cloud.ProtocolTCP && option.Terminates(w.input.Spec, port) {
		certificates := option.Certificate.List(w.input.Options)
		slices.Sort(certificates[1:])
		l.Protocol = cloud.ProtocolTLS
		l.ProviderFields[balancer.FieldCertificates] = strings.Join(slices.Compact(certificates), ",")
		l.ProviderFields[balancer.FieldTLSPolicy] = balancer.TLSPolicy(w.input.Spec)
		if option.Backend.In(w.input.Options) == "ssl" {
			l.TargetProtocol = cloud.ProtocolTLS
		}
		if w.input.ClientIP {
			w.refuse("spec.sessionAffinity", "ClientIP", fmt.Sprintf("port %d terminates TLS, and AWS keeps no client with a node there", port.Port))
		}
		if both {
			w.refuse(option.TLSPorts.Name, option.TLSPorts.In(w.input.Options), fmt.Sprintf("port %d is open for TCP and UDP, which can't terminate TLS", port.Port))
		}
	}
	w.attributes(&l, targetType)
	l.Health = w.health(port)
	return l
}

// attributes sets what the annotation says of target groups.
func (w *builder) attributes(l *cloud.Listener, targetType string) {
	given := option.ParseTags(option.TargetAttributes.In(w.input.Options))
	l.ProviderFields[balancer.FieldProxy], l.ProviderFields[balancer.FieldPreserve] = "false", strconv.FormatBool(PreservesByDefault(targetType, l.TargetProtocol))
	if option.ProxyProtocol.In(w.input.Options) == "true" || given[option.AttributeProxy] == "true" {
		l.ProviderFields[balancer.FieldProxy] = "true"
	}
	switch preserve := given[option.AttributePreserve]; {
	case preserve == "false" && l.TargetProtocol != cloud.ProtocolTCP && l.TargetProtocol != cloud.ProtocolTLS:
		w.refuse(option.TargetAttributes.Name, option.TargetAttributes.In(w.input.Options), "AWS keeps the clients' addresses on UDP ports: "+option.AttributePreserve+"=false is for TCP only")
	case preserve != "":
		l.ProviderFields[balancer.FieldPreserve] = preserve
	}
}

// PreservesByDefault reports whether targets see the clients' addresses where nothing is said of it: but for TCP and TLS to
// targets that are addresses (API reference of TargetGroupAttribute).
func PreservesByDefault(targetType string, p cloud.Protocol) bool {
	return targetType == option.TargetInstance || p == cloud.ProtocolUDP || p == option.ProtocolBoth
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
	return p == cloud.ProtocolTCP || p == option.ProtocolBoth
}

// timeouts sets the idle timeouts, where the annotation says one or the listeners were given one before.
func (w *builder) timeouts(listeners []cloud.Listener) {
	asked := option.IdleTimeout.Has(w.input.Options)
	if !asked && !w.present.Timed {
		return
	}
	timeout := DefaultTimeout
	if asked {
		timeout = option.IdleTimeout.In(w.input.Options)
	}
	if asked && option.IdleTimeout.Int(w.input.Options) < leastTimeout {
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

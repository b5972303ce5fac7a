package annotation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Values that differ between the ports of a Service, for keys with PerPort:
//
//	https            for every port
//	80=http,443=tls  for these ports; the default for all others
//	http,443=tls     for this port, and for all others
//	443=a,b,8443=c   an item without a port belongs to the one before it

// PerPortForm is what documentation says behind the values of such a key.
const PerPortForm = "; or for each port, such as 80=…,443=…"

// PerPorts returns the key with values that may differ between ports.
func (k Key) PerPorts() Key {
	k.PerPort = true
	return k
}

// OfPort returns the value of a key with PerPort for one port of the Service, its default when it has
// none.
func (k Key) OfPort(values map[string]string, port int) string {
	rest, named, _ := splitPorts(k.In(values))
	for _, n := range named {
		if n.port == port {
			return n.value
		}
	}
	return cmp.Or(rest, k.plainDefault())
}

// PortsNamed returns the ports that a key with PerPort names, sorted.
func (k Key) PortsNamed(values map[string]string) []int {
	_, named, _ := splitPorts(k.In(values))
	var ports []int
	for _, n := range named {
		ports = append(ports, n.port)
	}
	return ports
}

// UnknownPorts remarks on TCP ports in the values of these keys that the Service does not have.
func UnknownPorts(spec cloud.Spec, keys ...Key) []cloud.Warning {
	var notes []cloud.Warning
	for _, key := range keys {
		ports := key.Ports(spec.Options)
		if key.PerPort {
			ports = key.PortsNamed(spec.Options)
		}
		for _, port := range ports {
			if !slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Protocol == cloud.ProtocolTCP && p.Port == port }) {
				notes = append(notes, cloud.Warning{Field: key.Name, Message: "the Service has no TCP port " + strconv.Itoa(port) + "; it is ignored"})
			}
		}
	}
	return notes
}

// plainDefault is what ports have of which nothing says anything.
func (k Key) plainDefault() string {
	rest, _, _ := splitPorts(k.Default)
	return rest
}

// ofPort is the value of one port.
type ofPort struct {
	port  int
	value string
}

// splitPorts returns the value for ports that are not named, and those of the others by port. It is not
// ok when a port is named twice, or has no value.
func splitPorts(value string) (rest string, named []ofPort, ok bool) {
	for _, item := range split(value) {
		number, text, found := strings.Cut(item, "=")
		port, err := strconv.Atoi(strings.TrimSpace(number))
		switch {
		case found && err == nil && port > 0 && port <= 65535:
			named = append(named, ofPort{port, strings.TrimSpace(text)})
		case len(named) > 0:
			named[len(named)-1].value += "," + item
		case rest == "":
			rest = item
		default:
			rest += "," + item
		}
	}
	slices.SortFunc(named, func(a, b ofPort) int { return cmp.Compare(a.port, b.port) })
	for i, n := range named {
		if n.value == "" || i > 0 && named[i-1].port == n.port {
			return "", nil, false
		}
	}
	return rest, named, true
}

// canonicalByPort returns the canonical form of a value that may differ between ports.
func canonicalByPort(value string, canonical func(string) (string, bool)) (string, bool) {
	rest, named, ok := splitPorts(value)
	switch {
	case !ok:
		return "", false
	case len(named) == 0:
		return canonical(value)
	}
	var items []string
	if rest != "" {
		if rest, ok = canonical(rest); !ok {
			return "", false
		}
		items = append(items, rest)
	}
	for _, n := range named {
		text, ok := canonical(n.value)
		if !ok || text == "" {
			return "", false
		}
		items = append(items, strconv.Itoa(n.port)+"="+text)
	}
	return strings.Join(items, ","), true
}

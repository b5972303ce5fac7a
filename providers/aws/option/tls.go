package option

import (
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Terminates reports whether the port terminates TLS: there is a certificate, and the port is
// one of those it is for, by number or name.
func Terminates(spec cloud.Spec, port cloud.Port) bool {
	ports := TLSPorts.List(spec.Options)
	return len(Certificate.List(spec.Options)) > 0 &&
		(slices.Contains(ports, TLSPorts.Default) || slices.Contains(ports, strconv.Itoa(port.Port)) || port.Name != "" && slices.Contains(ports, port.Name))
}

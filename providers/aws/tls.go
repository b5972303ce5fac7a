package aws

import (
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// defaultTLSPolicy is what AWS gives to listeners of both kinds that terminate TLS and name no
// policy (CreateListener, SslPolicy; Elastic Load Balancing guide, "Predefined SSL security
// policies for Classic Load Balancers").
const defaultTLSPolicy = predefinedPolicy + "2016-08"

// predefinedPolicy is how the names of AWS's own policies begin.
const predefinedPolicy = "ELBSecurityPolicy-"

// terminates reports whether the port terminates TLS: there is a certificate, and the port is
// one of those it is for, by number or name.
func terminates(spec cloud.Spec, port cloud.Port) bool {
	ports := keyTLSPorts.List(spec.Options)
	return len(keyCertificate.List(spec.Options)) > 0 &&
		(slices.Contains(ports, keyTLSPorts.Default) || slices.Contains(ports, strconv.Itoa(port.Port)) || port.Name != "" && slices.Contains(ports, port.Name))
}

package annotation

import (
	"cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// OwnCheck returns protocol, port and path of the health check that the portable keys ask for, nil
// where they ask for none:
//
//	key                     given                  else
//	health-check-protocol   tcp, http, https       http where there is a path, else tcp
//	health-check-port       the port's node port   that of the first TCP port
//	health-check-path       of http and https      /
//
// Without any of them the cloud's own check stays. Where the Service has no such port it is refused.
func OwnCheck(spec cloud.Spec) (*cloud.Health, error) {
	o := spec.Options
	asked := ""
	for _, key := range []Key{HealthPort, HealthPath, HealthProtocol} {
		if key.Has(o) {
			asked = cmp.Or(asked, key.Name)
		}
	}
	if asked == "" {
		return nil, nil
	}
	return ServiceCheck(spec, asked)
}

// ServiceCheck is OwnCheck where another key, asked, says that the Service's own port is checked.
func ServiceCheck(spec cloud.Spec, asked string) (*cloud.Health, error) {
	o := spec.Options
	port, err := checkedPort(spec, asked)
	if err != nil {
		return nil, err
	}
	h := &cloud.Health{Port: port, Path: HealthPath.In(o)}
	switch protocol := HealthProtocol.In(o); {
	case protocol != "":
		h.Protocol = cloud.ProtocolOf(protocol)
	case h.Path != "":
		h.Protocol = cloud.ProtocolHTTP
	default:
		h.Protocol = cloud.ProtocolTCP
	}
	h.Path = CheckPath(h.Protocol, h.Path)
	return h, nil
}

// CheckPath is the path of a health check as it is compared: TCP has none, and the default of the
// others is "/".
func CheckPath(p cloud.Protocol, path string) string {
	if p == cloud.ProtocolTCP {
		return ""
	}
	return cmp.Or(path, "/")
}

// checkedPort returns the node port of the Service port that is checked.
func checkedPort(spec cloud.Spec, asked string) (int, error) {
	given := HealthPort.In(spec.Options)
	for _, p := range spec.Ports {
		if p.Protocol != cloud.ProtocolTCP || (given != "" && p.Port != HealthPort.Int(spec.Options)) {
			continue
		}
		if p.NodePort == 0 {
			return 0, &cloud.Invalid{Field: asked, Value: spec.Options[asked], Want: "the Service allocates no node port that could be checked"}
		}
		return p.NodePort, nil
	}
	if given != "" {
		return 0, &cloud.Invalid{Field: HealthPort.Name, Value: given, Want: "want a TCP port of the Service"}
	}
	return 0, &cloud.Invalid{Field: asked, Value: spec.Options[asked], Want: "the Service has no TCP port that could be checked"}
}

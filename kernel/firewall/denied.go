package firewall

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Ports are ports and ranges of them.
type Ports []PortRange

// PortRange is a first and a last port.
type PortRange struct{ From, To int }

// DefaultDenied are the ports of nodes that are never opened for clients: those that would let
// a Service's user reach a node, the control plane or the Pod network rather than Pods.
//
//	22            SSH
//	2379-2381     etcd
//	4789, 6081, 8472  VXLAN and Geneve: packets to Pods from anybody
//	6443, 9345    kube-apiserver, RKE2's supervisor
//	10248-10250, 10255  kubelet and kube-proxy
//	10256         kube-proxy's health; health checks of load balancers reach it
//	10257-10260   controller managers and scheduler
//	50000, 50001  Talos: apid and trustd (https://www.talos.dev, network connectivity)
func DefaultDenied() []string {
	return []string{"22", "2379-2381", "4789", "6081", "6443", "8472", "9345", "10248-10250", "10255-10260", "50000-50001"}
}

// ParsePorts reads ports and ranges such as "22" and "2379-2381".
func ParsePorts(texts []string) (Ports, error) {
	var ports Ports
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		low, high, isRange := strings.Cut(text, "-")
		if !isRange {
			high = low
		}
		from, errFrom := strconv.ParseUint(low, 10, 16)
		to, errTo := strconv.ParseUint(high, 10, 16)
		if errFrom != nil || errTo != nil || from == 0 || to < from {
			return nil, fmt.Errorf("%q is no port or range of ports, such as 22 or 2379-2381", text)
		}
		ports = append(ports, PortRange{int(from), int(to)})
	}
	return ports, nil
}

// cut returns openings without these ports, and the parts that were taken away. Health checks of
// load balancers stay: they carry nothing of a client.
func (p Ports) cut(openings []cloud.Opening) (kept, taken []cloud.Opening) {
	for _, r := range p {
		kept = nil
		for _, o := range openings {
			from, to := max(o.From, r.From), min(o.To, r.To)
			if from > to || len(o.Sources) == 0 {
				kept = append(kept, o)
				continue
			}
			part := func(from, to int, sources []string) {
				piece := o
				piece.From, piece.To, piece.Sources = from, to, sources
				if from <= to && len(piece.Sources)+len(piece.Balancers) > 0 {
					kept = append(kept, piece)
				}
			}
			part(o.From, from-1, o.Sources)
			part(from, to, nil)
			part(to+1, o.To, o.Sources)
			o.From, o.To, o.Balancers = from, to, nil
			taken = append(taken, o)
		}
		openings = kept
	}
	return openings, taken
}

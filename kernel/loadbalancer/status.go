package loadbalancer

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// status returns where the Service is reached:
//
//	hostname annotation  one entry with that name
//	else                 one entry for each address, the Service's first family first
//
// and for each entry with an address:
//
//	ip-mode annotation   ipMode
//	set                  as set
//	not set              Proxy where the balancer changes the connection
//	                     else as it is on the Service, if that is VIP, else not set
//
// The last row is there because the API server writes VIP where nothing is set: a status
// without it would differ for ever.
func (p *pipeline) status(o cloud.Observed) *corev1.LoadBalancerStatus {
	if name := annotation.Hostname.In(p.values); name != "" {
		return &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{Hostname: name}}}
	}
	addresses := byFamily(o.Addresses, p.service.Spec.IPFamilies)
	status := &corev1.LoadBalancerStatus{}
	for _, address := range addresses {
		ingress := corev1.LoadBalancerIngress{IP: address.IP}
		if address.IP == "" {
			ingress.Hostname = address.Hostname
		} else {
			ingress.IPMode = p.ipMode(address)
		}
		status.Ingress = append(status.Ingress, ingress)
	}
	return status
}

func (p *pipeline) ipMode(address cloud.BalancerAddress) *corev1.LoadBalancerIPMode {
	if mode := annotation.IPMode.In(p.values); mode != "" {
		return new(corev1.LoadBalancerIPMode(mode))
	}
	if address.Proxy {
		return new(corev1.LoadBalancerIPModeProxy)
	}
	for _, present := range p.service.Status.LoadBalancer.Ingress {
		if present.IP == address.IP && present.IPMode != nil && *present.IPMode == corev1.LoadBalancerIPModeVIP {
			return new(corev1.LoadBalancerIPModeVIP)
		}
	}
	return nil
}

// byFamily sorts addresses so that those of the first family come first, and drops
// duplicates. Otherwise the cloud's order stays.
func byFamily(addresses []cloud.BalancerAddress, families []corev1.IPFamily) []cloud.BalancerAddress {
	var first, rest []cloud.BalancerAddress
	prefers6 := len(families) > 0 && families[0] == corev1.IPv6Protocol
	for _, a := range addresses {
		if a.IP == "" && a.Hostname == "" || slices.Contains(first, a) || slices.Contains(rest, a) {
			continue
		}
		ip, err := netip.ParseAddr(a.IP)
		if err == nil && ip.Is6() == prefers6 {
			first = append(first, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(first, rest...)
}

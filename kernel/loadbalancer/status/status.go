// Package status has what a Service is told: where its load balancer is reached.
package status

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// Of returns where the Service is reached:
//
//	hostname annotation  one entry with that name
//	else                 one entry for each address, one of the Service's first family first
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
func Of(r *request.Request, o cloud.Observed) *corev1.LoadBalancerStatus {
	if name := annotation.Hostname.In(r.Values); name != "" {
		return &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{Hostname: name}}}
	}
	addresses := byFamily(o.Addresses, r.Service.Spec.IPFamilies)
	status := &corev1.LoadBalancerStatus{}
	for _, address := range addresses {
		ingress := corev1.LoadBalancerIngress{IP: address.IP}
		if address.IP == "" {
			ingress.Hostname = address.Hostname
		} else {
			ingress.IPMode = ipMode(r, address)
		}
		status.Ingress = append(status.Ingress, ingress)
	}
	return status
}

func ipMode(r *request.Request, address cloud.BalancerAddress) *corev1.LoadBalancerIPMode {
	if mode := annotation.IPMode.In(r.Values); mode != "" {
		return new(corev1.LoadBalancerIPMode(mode))
	}
	if address.Proxy {
		return new(corev1.LoadBalancerIPModeProxy)
	}
	for _, present := range r.Service.Status.LoadBalancer.Ingress {
		if present.IP == address.IP && present.IPMode != nil && *present.IPMode == corev1.LoadBalancerIPModeVIP {
			return new(corev1.LoadBalancerIPModeVIP)
		}
	}
	return nil
}

// byFamily puts the first address of the Service's first family before all others, and drops duplicates.
// Otherwise the cloud's order stays.
func byFamily(addresses []cloud.BalancerAddress, families []corev1.IPFamily) []cloud.BalancerAddress {
	var ordered []cloud.BalancerAddress
	prefers6 := len(families) > 0 && families[0] == corev1.IPv6Protocol
	preferred := slices.IndexFunc(addresses, func(a cloud.BalancerAddress) bool {
		ip, err := netip.ParseAddr(a.IP)
		return err == nil && ip.Is6() == prefers6
	})
	if preferred >= 0 {
		ordered = append(ordered, addresses[preferred])
	}
	for _, a := range addresses {
		if (a.IP != "" || a.Hostname != "") && !slices.Contains(ordered, a) {
			ordered = append(ordered, a)
		}
	}
	return ordered
}

// Tells reports whether the Service's status says where the balancer is reached, by address or name.
func Tells(r *request.Request, o cloud.Observed) bool {
	wanted := Of(r, o).Ingress
	missing := slices.ContainsFunc(wanted, func(w corev1.LoadBalancerIngress) bool {
		return !slices.ContainsFunc(r.Service.Status.LoadBalancer.Ingress, func(i corev1.LoadBalancerIngress) bool {
			return i.IP == w.IP && i.Hostname == w.Hostname
		})
	})
	return len(wanted) > 0 && !missing
}

// Publishes reports whether a Service's status has an address of the balancer. Host names do not
// count: users can put any into the status.
func Publishes(svc *corev1.Service, observed cloud.Observed) bool {
	return slices.ContainsFunc(svc.Status.LoadBalancer.Ingress, func(ingress corev1.LoadBalancerIngress) bool {
		return ingress.IP != "" && slices.ContainsFunc(observed.Addresses, func(a cloud.BalancerAddress) bool { return a.IP == ingress.IP })
	})
}

// Record returns the annotations to write, nil when all are there.
func Record(r *request.Request, before, after cloud.Observed) map[string]string {
	wanted := maps.Clone(after.Record)
	if wanted == nil {
		wanted = map[string]string{}
	}
	if before.ID == after.ID {
		for key, value := range before.Record {
			wanted[key] = cmp.Or(wanted[key], value)
		}
	}
	if r.IDAnnotation != "" {
		wanted[r.IDAnnotation] = after.ID
	}
	return request.Missing(r.Service, wanted)
}

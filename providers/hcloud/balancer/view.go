package balancer

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/label"
)

// view is the load balancer in the kernel's words.
func (b *Balancers) view(spec cloud.Spec, s state) cloud.Balancer {
	lb := s.lb
	v := cloud.Balancer{
		Name: lb.Name, Scope: cloud.ScopeOf(!lb.PublicNet.Enabled), OwnershipTags: label.Tags(lb.Labels),
		ProviderFields: map[string]string{
			cloud.FieldSize: lb.LoadBalancerType.Name, cloud.FieldAlgorithm: string(lb.Algorithm.Type),
			desired.FieldLocation: lb.Location.Name, desired.FieldNetworkZone: string(lb.Location.NetworkZone),
			desired.FieldPrivateTargets: privateTargets(spec, s), cloud.FieldAddress: "", cloud.FieldSubnet: desired.Subnet.In(spec.Options),
			desired.FieldMaxTargets: strconv.Itoa(max(1, lb.LoadBalancerType.MaxTargets-s.foreign)),
		},
	}
	if b.Network != 0 {
		v.ProviderFields[desired.FieldNetwork] = networkText(b.networkOf(lb))
	}
	if at := lb.PrivateNetFor(&hcloud.Network{ID: b.Network}); at != nil {
		v.ProviderFields[cloud.FieldAddress] = at.IP.String()
		v.ProviderFields[cloud.FieldSubnet] = subnetOf(spec, at.IP)
	}
	for _, service := range lb.Services {
		if s.owns(serviceKey(service.ListenPort)) {
			v.Listeners = append(v.Listeners, s.listener(service))
		}
	}
	cloud.SortListeners(v.Listeners)
	for _, target := range lb.Targets {
		if key := targetKey(target); s.owns(key) {
			v.Targets = append(v.Targets, s.ids[key])
		}
	}
	slices.Sort(v.Targets)
	v.Targets = slices.Compact(v.Targets)
	return v
}

// privateTargets says how targets are reached: what the Service asks for where there is none, and
// "mixed" while only some are as they have to be.
func privateTargets(spec cloud.Spec, s state) string {
	value := ""
	for _, target := range s.lb.Targets {
		if target.Type != hcloud.LoadBalancerTargetTypeServer || !s.owns(targetKey(target)) {
			continue
		}
		private := strconv.FormatBool(target.UsePrivateIP)
		if value != "" && value != private {
			return desired.Mixed
		}
		value = private
	}
	return cmp.Or(value, strconv.FormatBool(desired.WantsPrivate(spec)))
}

// addresses are where the load balancer is reached, in upstream's order.
func addresses(spec cloud.Spec, lb *hcloud.LoadBalancer) []cloud.BalancerAddress {
	var all []cloud.BalancerAddress
	proxy := slices.ContainsFunc(lb.Services, func(s hcloud.LoadBalancerService) bool { return s.Proxyprotocol })
	add := func(ip string, wanted bool) {
		if wanted && ip != "" && ip != "<nil>" {
			all = append(all, cloud.BalancerAddress{IP: ip, Proxy: proxy})
		}
	}
	public := lb.PublicNet.Enabled && !desired.IsInternal(spec)
	add(lb.PublicNet.IPv4.IP.String(), public)
	add(lb.PublicNet.IPv6.IP.String(), public && !desired.NoIPv6.Bool(spec.Options))
	for _, attached := range lb.PrivateNet {
		add(attached.IP.String(), !desired.NoPrivateIngress.Bool(spec.Options))
	}
	return all
}

// listener is a service in the kernel's words.
func (s state) listener(service hcloud.LoadBalancerService) cloud.Listener {
	l := cloud.Listener{
		Protocol: cloud.ProtocolOf(string(service.Protocol)), Port: service.ListenPort, TargetProtocol: cloud.ProtocolTCP, TargetPort: service.DestinationPort,
		Health:         observedHealth(service.HealthCheck),
		ProviderFields: map[string]string{cloud.FieldProxyProtocol: strconv.FormatBool(service.Proxyprotocol)},
	}
	if l.Protocol == cloud.ProtocolTCP {
		return l
	}
	l.TargetProtocol = cloud.ProtocolHTTP
	f, http := l.ProviderFields, service.HTTP
	f[cloud.FieldSessionCookie], f[cloud.FieldSessionCookieTTL] = "", ""
	if http.StickySessions {
		f[cloud.FieldSessionCookie], f[cloud.FieldSessionCookieTTL] = http.CookieName, seconds(http.CookieLifetime)
	}
	f[cloud.FieldIdleTimeout], f[desired.FieldRedirect] = seconds(http.TimeoutIdle), strconv.FormatBool(http.RedirectHTTP)
	f[cloud.FieldCertificate] = s.certificateField(http.Certificates)
	return l
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

func observedHealth(c hcloud.LoadBalancerServiceHealthCheck) *cloud.Health {
	h := &cloud.Health{
		Protocol: cloud.ProtocolOf(string(c.Protocol)), Port: c.Port, Interval: c.Interval, Timeout: c.Timeout, Healthy: c.Retries, Unhealthy: c.Retries,
	}
	if h.Protocol != cloud.ProtocolTCP && c.HTTP != nil {
		h.Path = annotation.CheckPath(h.Protocol, c.HTTP.Path)
		statuses, _ := desired.SortedList(strings.Join(c.HTTP.StatusCodes, ","))
		h.ProviderFields = map[string]string{
			desired.FieldDomain: strings.ToLower(c.HTTP.Domain), desired.FieldStatuses: statuses, desired.FieldTLS: strconv.FormatBool(c.HTTP.TLS),
		}
	}
	return h
}

// certificateField names certificates as listeners do.
func (s state) certificateField(used []*hcloud.Certificate) string {
	var ids []string
	for _, c := range used {
		ids = append(ids, strconv.FormatInt(c.ID, 10))
	}
	for _, c := range s.certificates {
		if len(ids) == 1 && strconv.FormatInt(c.ID, 10) == ids[0] && s.certificateOf(domainsOf(c)) == c {
			return desired.ManagedPrefix + domainsOf(c)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ",")
}

// subnetOf is the subnet that is asked for where the address is in it, and else the address.
func subnetOf(spec cloud.Spec, ip net.IP) string {
	wanted := desired.Subnet.In(spec.Options)
	prefix, err := netip.ParsePrefix(wanted)
	if at, ok := netip.AddrFromSlice(ip.To4()); err == nil && ok && !prefix.Contains(at) {
		return at.String()
	}
	return wanted
}

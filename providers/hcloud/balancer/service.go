package balancer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
)

func serviceKey(port int) string { return "service " + strconv.Itoa(port) }

// services are the listeners of the Service.
func (s state) services(change cloud.Change) (present, wanted []cloud.Resource) {
	for _, l := range change.Before.Balancer.Listeners {
		present = append(present, service(l))
	}
	if change.After == nil {
		return present, nil
	}
	for _, l := range change.After.Listeners {
		wanted = append(wanted, s.served(service(l)))
	}
	return present, wanted
}

// service is a listener in the words of the API.
func service(l cloud.Listener) cloud.Resource {
	f := l.ProviderFields
	var http *schema.LoadBalancerActionAddServiceRequestHTTP
	var certificates []cloud.Reference
	if l.Protocol != cloud.ProtocolTCP {
		http = &schema.LoadBalancerActionAddServiceRequestHTTP{
			TimeoutIdle: new(desired.Number(f[cloud.FieldIdleTimeout])), StickySessions: new(f[cloud.FieldSessionCookie] != ""),
			CookieName:     new(cmp.Or(f[cloud.FieldSessionCookie], desired.DefaultCookie)),
			CookieLifetime: new(desired.Number(cmp.Or(f[cloud.FieldSessionCookieTTL], desired.CookieTTL.Default))),
		}
	}
	if l.Protocol == cloud.ProtocolHTTPS {
		http.RedirectHTTP, certificates = new(f[desired.FieldRedirect] == yes), certificateReferences(f[cloud.FieldCertificate])
	}
	return part(kindService, serviceKey(l.Port),
		fieldProtocol.Is(l.Protocol.Lower()), fieldListenPort.Is(l.Port), fieldDestinationPort.Is(l.TargetPort), fieldProxyProtocol.Is(f[cloud.FieldProxyProtocol] == yes),
		fieldHealthCheck.Is(healthCheck(l.Health)), fieldHTTP.Is(http), fieldCertificates.Is(certificates))
}

// certificateReferences are the certificates of a listener: ids, or what stands for that of the one that is
// made for the Service.
func certificateReferences(field string) []cloud.Reference {
	if names, managed := strings.CutPrefix(field, desired.ManagedPrefix); managed {
		return []cloud.Reference{cloud.To(cloud.IDOf{Kind: kindCertificate, Key: names})}
	}
	ids := []cloud.Reference{}
	for _, id := range desired.Items(field) {
		ids = append(ids, cloud.ToID(id))
	}
	return ids
}

func healthCheck(h *cloud.Health) schema.LoadBalancerActionAddServiceRequestHealthCheck {
	check := schema.LoadBalancerActionAddServiceRequestHealthCheck{
		Protocol: h.Protocol.Lower(), Port: new(h.Port), Interval: new(int(h.Interval.Seconds())), Timeout: new(int(h.Timeout.Seconds())), Retries: new(h.Unhealthy),
	}
	if h.Protocol != cloud.ProtocolTCP {
		check.HTTP = &schema.LoadBalancerActionAddServiceRequestHealthCheckHTTP{
			Path: new(h.Path), Domain: new(h.ProviderFields[desired.FieldDomain]), TLS: new(h.ProviderFields[desired.FieldTLS] == yes),
			StatusCodes: new(desired.Items(h.ProviderFields[desired.FieldStatuses])),
		}
	}
	return check
}

// served returns a service with why it has to wait: the API takes no certificate whose issuance failed.
func (s state) served(r cloud.Resource) cloud.Resource {
	used := fieldCertificates.Of(r)
	for _, c := range s.certificates {
		if !isFailed(c) || s.uses(c) || s.certificateOf(domainsOf(c)) != c || !slices.Contains(used, cloud.To(cloud.IDOf{Kind: kindCertificate, Key: domainsOf(c)})) {
			continue
		}
		message := "the managed certificate could not be issued, and " + r.Key + " waits for it"
		if c.Status.Error != nil {
			message += fmt.Sprintf(": %s (%s)", c.Status.Error.Message, c.Status.Error.Code)
		}
		r.Problem = &cloud.Waiting{After: issuedAgain, Warnings: []cloud.Warning{{Field: desired.Domains.Name, Message: message}}}
	}
	return r
}

package balancer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// serviceFields are the fields that a service is made with. "certificates" are part of "http" in the
// API; they are a field of their own because they can be those of a resource.
var serviceFields = []string{"protocol", "listen_port", "destination_port", "proxyprotocol", "http", "health_check"}

// service is a listener in the words of the API.
func service(l cloud.Listener) cloud.Resource {
	f := l.ProviderFields
	fields := map[string]any{
		"protocol": l.Protocol.Lower(), "listen_port": l.Port, "destination_port": l.TargetPort,
		"proxyprotocol": f[cloud.FieldProxyProtocol] == yes, "health_check": healthCheck(l.Health), "http": nil, "certificates": nil,
	}
	if l.Protocol != cloud.ProtocolTCP {
		http := map[string]any{"timeout_idle": desired.Number(f[cloud.FieldIdleTimeout]), "sticky_sessions": f[cloud.FieldSessionCookie] != ""}
		if l.Protocol == cloud.ProtocolHTTPS {
			http["redirect_http"] = f[desired.FieldRedirect] == yes
			fields["certificates"] = certificateIDs(f[cloud.FieldCertificate])
		}
		http["cookie_name"] = cmp.Or(f[cloud.FieldSessionCookie], desired.DefaultCookie)
		http["cookie_lifetime"] = desired.Number(cmp.Or(f[cloud.FieldSessionCookieTTL], desired.CookieTTL.Default))
		fields["http"] = http
	}
	return part(kindService, serviceKey(l.Port), fields)
}

// certificateIDs are the certificates of a listener: ids, or what stands for that of the one that is
// made for the Service.
func certificateIDs(field string) any {
	if names, managed := strings.CutPrefix(field, desired.ManagedPrefix); managed {
		return []any{cloud.IDOf{Kind: kindCertificate, Key: names}}
	}
	ids := []any{}
	for _, id := range desired.Items(field) {
		ids = append(ids, id)
	}
	return ids
}

func healthCheck(h *cloud.Health) map[string]any {
	check := map[string]any{
		"protocol": h.Protocol.Lower(), "port": h.Port, "interval": int(h.Interval.Seconds()), "timeout": int(h.Timeout.Seconds()), "retries": h.Unhealthy,
	}
	if h.Protocol != cloud.ProtocolTCP {
		check["http"] = map[string]any{
			"path": h.Path, "domain": h.ProviderFields[desired.FieldDomain], "status_codes": desired.Items(h.ProviderFields[desired.FieldStatuses]), "tls": h.ProviderFields[desired.FieldTLS] == yes,
		}
	}
	return check
}

// served returns a service with why it has to wait: the API takes no certificate whose issuance failed.
func (s state) served(r cloud.Resource) cloud.Resource {
	ids, _ := r.Fields["certificates"].([]any)
	for _, c := range s.certificates {
		if !isFailed(c) || s.uses(c) || s.certificateOf(domainsOf(c)) != c || !slices.Contains(ids, any(cloud.IDOf{Kind: kindCertificate, Key: domainsOf(c)})) {
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

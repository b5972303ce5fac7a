package balancer

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func serviceKey(port int) string { return "service " + strconv.Itoa(port) }

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
		http := map[string]any{"timeout_idle": number(f[cloud.FieldIdleTimeout]), "sticky_sessions": f[cloud.FieldSessionCookie] != ""}
		if l.Protocol == cloud.ProtocolHTTPS {
			http["redirect_http"] = f[fieldRedirect] == yes
			fields["certificates"] = certificateIDs(f[cloud.FieldCertificate])
		}
		http["cookie_name"] = cmp.Or(f[cloud.FieldSessionCookie], defaultCookie)
		http["cookie_lifetime"] = number(cmp.Or(f[cloud.FieldSessionCookieTTL], cookieTTL.Default))
		fields["http"] = http
	}
	return part(kindService, serviceKey(l.Port), fields)
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// certificateIDs are the certificates of a listener: ids, or what stands for that of the one that is
// made for the Service.
func certificateIDs(field string) any {
	if names, managed := strings.CutPrefix(field, managedPrefix); managed {
		return []any{cloud.IDOf{Kind: kindCertificate, Key: names}}
	}
	ids := []any{}
	for _, id := range items(field) {
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
			"path": h.Path, "domain": h.ProviderFields[fieldDomain], "status_codes": items(h.ProviderFields[fieldStatuses]), "tls": h.ProviderFields[fieldTLS] == yes,
		}
	}
	return check
}

// body returns these fields of a resource as the API takes them.
func body(r cloud.Resource, fields ...string) map[string]any {
	b := map[string]any{}
	for _, field := range fields {
		if value := r.Fields[field]; value != nil {
			b[field] = value
		}
	}
	if certificates, ok := r.Fields["certificates"].([]any); ok && b["http"] != nil {
		http, ids := map[string]any{}, []int64{}
		for name, value := range r.Fields["http"].(map[string]any) {
			http[name] = value
		}
		for _, id := range certificates {
			n, _ := strconv.ParseInt(id.(string), 10, 64)
			ids = append(ids, n)
		}
		http["certificates"], b["http"] = ids, http
	}
	return b
}

// updateService changes fields of a service in one request.
func (b *Balancers) updateService(ctx context.Context, _, wanted cloud.Resource, fields []string) error {
	request := []string{"listen_port"}
	for _, field := range fields {
		if field == "certificates" {
			field = "http"
		}
		request = append(request, field)
	}
	return b.act(ctx, wanted, "update_service", body(wanted, request...))
}

package digitalocean_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// The functions here read one field of a balancer as text.

func name(b *do.Balancer) string          { return b.Name }
func size(b *do.Balancer) string          { return strconv.Itoa(b.SizeUnit) }
func allowed(b *do.Balancer) string       { return strings.Join(b.Firewall.Allow, " ") }
func refused(b *do.Balancer) string       { return strings.Join(b.Firewall.Deny, " ") }
func noDNSRecords(b *do.Balancer) string  { return strconv.FormatBool(b.DisableLetsEncryptDNSRecords) }
func redirect(b *do.Balancer) string      { return strconv.FormatBool(b.RedirectHTTPToHTTPS) }
func proxyProtocol(b *do.Balancer) string { return strconv.FormatBool(b.EnableProxyProtocol) }
func keepalive(b *do.Balancer) string     { return strconv.FormatBool(b.EnableBackendKeepalive) }
func idleTimeout(b *do.Balancer) string   { return strconv.Itoa(b.HTTPIdleTimeoutSeconds) }
func kind(b *do.Balancer) string          { return b.Type }
func network(b *do.Balancer) string       { return b.Network }
func stack(b *do.Balancer) string         { return b.NetworkStack }
func subnet(b *do.Balancer) string        { return b.SubnetUUID }
func address(b *do.Balancer) string       { return b.IP }

func healthInterval(b *do.Balancer) string { return strconv.Itoa(b.HealthCheck.CheckIntervalSeconds) }
func healthTimeout(b *do.Balancer) string  { return strconv.Itoa(b.HealthCheck.ResponseTimeoutSeconds) }
func healthHealthy(b *do.Balancer) string  { return strconv.Itoa(b.HealthCheck.HealthyThreshold) }
func healthUnhealthy(b *do.Balancer) string {
	return strconv.Itoa(b.HealthCheck.UnhealthyThreshold)
}

// health is "http 10256 /healthz"; a TCP check has no path.
func health(b *do.Balancer) string {
	c := b.HealthCheck
	text := fmt.Sprintf("%s %d", c.Protocol, c.Port)
	if c.Protocol != "tcp" {
		text += " " + c.Path
	}
	return text
}

// rules is "80 http>http, 443 https>http certificate".
func rules(b *do.Balancer) string {
	list := slices.Clone(b.ForwardingRules)
	slices.SortFunc(list, func(x, y do.ForwardingRule) int {
		return cmp.Or(cmp.Compare(x.EntryPort, y.EntryPort), cmp.Compare(x.EntryProtocol, y.EntryProtocol))
	})
	var texts []string
	for _, r := range list {
		text := fmt.Sprintf("%d %s>%s", r.EntryPort, r.EntryProtocol, r.TargetProtocol)
		switch {
		case r.CertificateID == certificate.ID:
			text += " certificate"
		case r.CertificateID != "":
			text += " " + r.CertificateID
		case r.TLSPassthrough:
			text += " passthrough"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func sticky(b *do.Balancer) string {
	s := b.StickySessions
	if s.Type != "cookies" {
		return s.Type
	}
	return fmt.Sprintf("%s %s %d", s.Type, s.CookieName, s.CookieTTLSeconds)
}

// targets says how many of the pool's droplets are targets.
func targets(b *do.Balancer) string {
	n := 0
	for _, d := range pool {
		if slices.Contains(b.DropletIDs, d.ID) {
			n++
		}
	}
	return fmt.Sprintf("%d of the pool", n)
}

// ingress is where the Service says it is reached, and how.
func ingress(svc *corev1.Service) string {
	var texts []string
	for _, i := range svc.Status.LoadBalancer.Ingress {
		switch {
		case i.Hostname != "":
			texts = append(texts, "host "+i.Hostname)
		case i.IPMode == nil:
			texts = append(texts, "ip")
		default:
			texts = append(texts, "ip "+string(*i.IPMode))
		}
	}
	return strings.Join(texts, ", ")
}

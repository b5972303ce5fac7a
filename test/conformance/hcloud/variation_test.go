package hcloud_test

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
)

// upstream is the prefix of upstream's annotations.
const upstream = "load-balancer.hetzner.cloud/"

// certificate is the id of the uploaded certificate that every emulator of these tests has.
const certificate = "1500001"

// variations are sample values of all annotations. The suite's Service has the ports 80 and 443.
func variations() map[string]conformance.Variation {
	portable := func(name string) string { return annotation.Prefix + name }
	and := func(more ...string) map[string]string {
		with := map[string]string{}
		for i := 0; i < len(more); i += 2 {
			with[upstream+more[i]] = more[i+1]
		}
		return with
	}
	http := and("protocol", "http")
	https := and("protocol", "443=https", "http-certificates", certificate)
	managed := and("protocol", "443=https", "certificate-type", "managed", "http-managed-certificate-domains", "example.com")
	const stays = "where it goes, what was set stays"
	return map[string]conformance.Variation{
		portable("name"):               {Value: "shop-front"},
		portable("hcloud-adopt-whole"): {Skip: "it is about load balancers that were there before"},
		portable("size"):               {Skip: stays},
		upstream + "location":          {Value: "nbg1"},
		upstream + "network-zone":      {Skip: "without a location; TestPlace"},
		portable("algorithm"):          {Value: "least_connections"},

		portable("internal"):                 {Value: "true"},
		upstream + "disable-private-ingress": {Skip: "it is about the status"},
		upstream + "ipv6-disabled":           {Skip: "it is about the status"},
		upstream + "use-private-ip":          {Value: "true"},
		portable("address"):                  {Skip: "where it goes, the present address stays"},
		portable("subnet"):                   {Value: "10.0.64.0/18"},
		upstream + "ipv4-rdns":               {Skip: stays},
		upstream + "ipv6-rdns":               {Skip: stays},

		upstream + "protocol":             {Value: "80=http"},
		portable("tls-ports"):             {Value: "80", With: and("http-certificates", certificate)},
		portable("proxy-protocol"):        {Value: "true"},
		portable("session-cookie"):        {Value: "SHOP", With: http},
		portable("session-cookie-ttl"):    {Value: "600", With: and("protocol", "http", "http-sticky-sessions", "true")},
		portable("idle-timeout"):          {Value: "90s", With: http},
		upstream + "http-sticky-sessions": {Value: "true", With: http},
		upstream + "http-redirect-http":   {Skip: "the suite's Service has port 80 too"},

		upstream + "certificate-type":                      {Value: "managed", With: and("protocol", "443=https", "http-certificates", certificate, "http-managed-certificate-domains", "example.com")},
		portable("certificate"):                            {Value: certificate},
		upstream + "http-managed-certificate-name":         {Skip: "it is a field of the certificate"},
		upstream + "http-managed-certificate-domains":      {Value: "example.com,www.example.com", With: managed},
		upstream + "http-managed-certificate-acme-staging": {Skip: "it is a field of the certificate"},

		portable("health-check-protocol"):                   {Value: "http"},
		portable("health-check-port"):                       {Value: "443"},
		portable("health-check-path"):                       {Value: "/ready"},
		portable("health-check-interval"):                   {Value: "20s"},
		portable("health-check-timeout"):                    {Value: "4"},
		portable("health-check-unhealthy-threshold"):        {Value: "2"},
		upstream + "health-check-protocol":                  {Value: "https"},
		upstream + "health-check-port":                      {Value: "30000"},
		upstream + "health-check-http-path":                 {Value: "/ready"},
		upstream + "health-check-http-domain":               {Value: "example.com"},
		upstream + "health-check-http-validate-certificate": {Value: "true", With: and("health-check-protocol", "https")},
		upstream + "http-status-codes":                      {Value: "200", With: https},
	}
}

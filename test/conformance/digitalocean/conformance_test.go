// Package digitalocean_test holds the DigitalOcean driver against the suite every driver has
// to pass, and against what only this cloud does, on a strict emulator of its API.
package digitalocean_test

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
)

const upstream = "service.beta.kubernetes.io/do-loadbalancer-"

func TestConformance(t *testing.T) {
	server, _ := start(t) // ids are the same in every emulator
	certificate := server.State().Certificates[0].ID
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			server, url := start(t)
			firewall := map[string]string{"PUBLIC_ACCESS_FIREWALL_NAME": "k8s-public", "PUBLIC_ACCESS_FIREWALL_TAGS": "k8s-node"}
			return connect(t, url, firewall), control{t, server}
		},
		Descriptor:  digitalocean.Descriptor(),
		Annotations: digitalocean.Annotations(),
		Variations:  variations(certificate),
		Traffic:     carriedOut,
		Constant: map[string]string{
			"health.proxyProtocol": "kube-proxy's health port never expects a PROXY header; of other ports it is not managed",
		},
		Errors: map[string]conformance.APIError{
			"403":       {Fault: conformance.Fault{Status: http.StatusForbidden}, Want: cloud.FailureUnauthorized},
			"busy":      refusal("Load Balancer can't be updated while it processes previous actions", cloud.FailureConflict),
			"quota":     refusal("this would exceed your load balancer limit of 10", cloud.FailureQuota),
			"too early": refusal("the load balancer can be resized once per hour", cloud.FailureQuota),
		},
	})
}

func refusal(message string, want cloud.Class) conformance.APIError {
	return conformance.APIError{
		Fault: conformance.Fault{Status: http.StatusUnprocessableEntity, Body: `{"id": "unprocessable_entity", "message": "` + message + `"}`},
		Want:  want,
	}
}

// variations are sample values of all annotations. The suite's Service has the ports 80 and 443.
func variations(certificate string) map[string]conformance.Variation {
	portable := func(name string) string { return annotation.Prefix + name }
	regional := map[string]string{upstream + "type": "REGIONAL"}
	and := func(more ...string) map[string]string {
		with := map[string]string{upstream + "type": "REGIONAL"}
		for i := 0; i < len(more); i += 2 {
			with[upstream+more[i]] = more[i+1]
		}
		return with
	}
	cookie := map[string]string{upstream + "type": "REGIONAL", portable("session-cookie"): "DO-LB", portable("session-cookie-ttl"): "300"}
	override := map[string]string{upstream + "override-health-check": "true"}
	return map[string]conformance.Variation{
		portable("name"):           {Value: "shop-front"},
		upstream + "type":          {Value: "REGIONAL"},
		portable("internal"):       {Value: "true", With: map[string]string{upstream + "network-stack": "IPV4"}},
		upstream + "network-stack": {Value: "DUALSTACK"},
		portable("subnet"):         {Value: "5ee0a1f2-0000-4000-8000-000000000001"},
		portable("address"):        {Value: "203.0.113.9"},
		portable("size"):           {Value: "2"},
		upstream + "size-slug":     {Value: "lb-medium"},

		upstream + "protocol":         {Value: "http", With: regional},
		upstream + "http-ports":       {Value: "80", With: regional},
		portable("tls-ports"):         {Value: "80", With: and("certificate-id", certificate)},
		upstream + "http2-ports":      {Value: "443", With: and("certificate-id", certificate)},
		upstream + "http3-port":       {Value: "443", With: and("certificate-id", certificate)},
		upstream + "tls-passthrough":  {Value: "true", With: regional},
		portable("certificate"):       {Value: certificate, With: regional},
		upstream + "certificate-id":   {Value: certificate, With: regional},
		upstream + "certificate-name": {Value: "encrypt", With: regional},

		upstream + "disable-lets-encrypt-dns-records": {Value: "true", With: regional},
		upstream + "redirect-http-to-https":           {Value: "true", With: and("protocol", "http", "certificate-id", certificate)},
		portable("proxy-protocol"):                    {Value: "true", With: regional},
		upstream + "enable-backend-keepalive":         {Value: "true", With: regional},
		portable("idle-timeout"):                      {Value: "90s", With: regional},
		upstream + "sticky-sessions-type":             {Value: "cookies", With: and("sticky-sessions-cookie-name", "DO-LB", "sticky-sessions-cookie-ttl", "300")},
		portable("session-cookie"):                    {Value: "OTHER", With: cookie},
		portable("session-cookie-ttl"):                {Value: "600", With: cookie},
		upstream + "algorithm":                        {Skip: "the API ignores it"},

		portable("health-check-interval"):            {Value: "10s"},
		portable("health-check-timeout"):             {Value: "4"},
		portable("health-check-unhealthy-threshold"): {Value: "2"},
		portable("health-check-healthy-threshold"):   {Value: "2"},
		upstream + "override-health-check":           {Value: ""},
		portable("health-check-port"):                {Value: "443", With: override},
		portable("health-check-path"):                {Value: "/ready", With: override},
		portable("health-check-protocol"):            {Value: "https", With: override},

		upstream + "allow-rules":     {Value: "ip:192.0.2.1,cidr:10.0.0.0/8"},
		upstream + "deny-rules":      {Value: "cidr:198.51.100.0/24"},
		portable("firewall-managed"): {Skip: "it is about the cloud firewall, not the balancer"},
	}
}

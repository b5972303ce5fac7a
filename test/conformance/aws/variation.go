package aws

import (
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// prefix is that of upstream's annotations.
const prefix = "service.beta.kubernetes.io/aws-load-balancer-"

// variations are sample values of all annotations.
func variations(w *lab.World, f furniture) map[string]conformance.Variation {
	with := func(pairs ...string) map[string]string {
		all := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			all[prefix+pairs[i]] = pairs[i+1]
		}
		return all
	}
	secure := with("ssl-cert", w.Certificate("web"))
	logged := with("access-log-enabled", "true", "access-log-s3-bucket-name", "logs")
	checked := with("healthcheck-protocol", "HTTP")
	return map[string]conformance.Variation{
		annotation.Prefix + "name":                    {Value: "shop-front"},
		annotation.Prefix + "internal":                {Value: "true"},
		annotation.Prefix + "proxy-protocol":          {Value: "true"},
		annotation.Prefix + "aws-security-group-mode": {Value: "managed", Skip: "a balancer that was made without a group can't get one: see test/e2e/aws"},
		annotation.Prefix + "deletion-protection":     {Value: "true", Skip: "such a balancer can't be deleted: see test/e2e/aws"},
		annotation.Prefix + "health-check-protocol":   {Value: "http"},
		annotation.Prefix + "health-check-port":       {Value: "443"},
		annotation.Prefix + "health-check-path":       {Value: "/ready"},
		annotation.Prefix + "node-selector":           {Skip: "the kernel selects nodes"},

		prefix + "type":                        {Skip: "it can't be changed, and both types have a run of their own"},
		annotation.Prefix + "subnet":           {Value: strings.Join(w.Private[:2], ",")},
		prefix + "security-groups":             {Value: f.groups[0]},
		prefix + "extra-security-groups":       {Value: f.groups[1]},
		prefix + "backend-protocol":            {Value: "ssl", With: secure},
		annotation.Prefix + "certificate":      {Value: w.Certificate("web")},
		annotation.Prefix + "tls-ports":        {Value: "443", With: secure},
		prefix + "ssl-negotiation-policy":      {Value: "ELBSecurityPolicy-TLS-1-2-2017-01", With: secure},
		prefix + "access-log-enabled":          {Value: "true", With: with("access-log-s3-bucket-name", "logs")},
		prefix + "access-log-emit-interval":    {Value: "5", With: logged},
		prefix + "access-log-s3-bucket-name":   {Value: "others", With: logged},
		prefix + "access-log-s3-bucket-prefix": {Value: "shop", With: logged},

		prefix + "connection-draining-enabled":       {Value: "true"},
		prefix + "connection-draining-timeout":       {Value: "60", With: with("connection-draining-enabled", "true")},
		prefix + "connection-idle-timeout":           {Value: "600"},
		annotation.Prefix + "idle-timeout":           {Value: "600"},
		prefix + "cross-zone-load-balancing-enabled": {Value: "true"},
		prefix + "additional-resource-tags":          {Value: "team=web,stage=prod"},

		prefix + "healthcheck-protocol":                        {Value: "HTTP"},
		prefix + "healthcheck-port":                            {Value: "10256"},
		prefix + "healthcheck-path":                            {Value: "/ready", With: checked},
		annotation.Prefix + "health-check-healthy-threshold":   {Value: "4"},
		annotation.Prefix + "health-check-unhealthy-threshold": {Value: "4"},
		annotation.Prefix + "health-check-timeout":             {Value: "7"},
		annotation.Prefix + "health-check-interval":            {Value: "20"},

		prefix + "nlb-target-type":         {Value: "ip"},
		prefix + "target-group-attributes": {Value: "preserve_client_ip.enabled=false"},
		prefix + "eip-allocations":         {Value: strings.Join(f.addresses, ",")},
		prefix + "private-ipv4-addresses":  {Value: "10.0.0.77,10.0.16.77,10.0.32.77", With: map[string]string{annotation.Prefix + "internal": "true"}},
	}
}

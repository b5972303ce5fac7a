package desired

import (
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// fields are those that only this cloud's balancers have, with the annotation that asks for each as it stands.
var fields = map[string]annotation.Key{
	object.FieldSubnet:           keySubnet,
	object.FieldIP:               keyIP,
	object.FieldProxyProtocol:    keyProxyProtocol,
	object.FieldBackendKeepalive: keyBackendKeepalive,
	object.FieldRedirect:         keyRedirect,
	object.FieldNoDNSRecords:     keyNoDNSRecords,
	object.FieldIdleTimeout:      keyIdleTimeout,
	object.FieldSticky:           keySticky,
}

// Managed returns what the Service has a say in on a load balancer of a type.
func (r Rules) Managed(kind string, spec cloud.Spec) object.Managed {
	values := map[string]string{object.FieldType: kind, object.FieldTag: ""}
	for name, key := range fields {
		value := key.In(spec.Options)
		if name == object.FieldSticky && value == object.StickyCookies {
			value = object.Cookies(keyCookieName.In(spec.Options), keyCookieTTL.Int(spec.Options))
		}
		if value != "" && (key.Applies != regionalOnly || kind == config.TypeRegional) {
			values[name] = value
		}
	}
	if r.VPC != "" {
		values[object.FieldVPC] = r.VPC
	}
	if size := wantedSize(spec.Options); size != "" {
		values[object.FieldSize] = size
	}
	return object.Managed{Fields: values, HealthProxy: !keyHealthOverride.Has(spec.Options)}
}

// wantedSize is the number of nodes asked for, "" when the Service leaves it alone.
func wantedSize(options map[string]string) string {
	if slug := keySizeSlug.In(options); slug != "" {
		return object.SlugSizes[slug]
	}
	if n := keySize.Int(options); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

package object

import (
	"cmp"
	"strconv"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Fields only this cloud's balancers have, beside the portable ones, that something else than their row has to know.
const (
	FieldType   = "type"
	FieldVPC    = "vpc"
	FieldTag    = "targetTag"
	FieldSize   = "size"
	FieldSticky = option.FieldSticky
)

// Fields only this cloud's listeners and health checks have.
const (
	FieldCertificate = "certificate"
	FieldPassthrough = "passthrough"
	FieldHealthProxy = "proxyProtocol"
)

// field is a field of a balancer: its name in plans, and where a request has it. What there is is read from the request that would
// make it.
type field struct {
	name  string
	value value
	// key is the annotation that asks for it as it stands, the zero Key where none does.
	key annotation.Key
	// immutable says that it can't be changed later.
	immutable bool
}

// fields are all of them but the size, which requests have in two forms. A new one is a row here, with its annotation. One that is to
// stay as it is while a Service says nothing of it has an annotation without a default: Standing("").
var fields = []field{
	{name: FieldType, value: text(func(r *request) *string { return &r.Type }), immutable: true},
	{name: FieldVPC, value: text(func(r *request) *string { return &r.VPCUUID }), immutable: true},
	{name: "subnet", value: text(func(r *request) *string { return &r.VPCSubnetUUID }), key: option.Subnet, immutable: true},
	{name: option.FieldIP, value: text(func(r *request) *string { return &r.IP }), key: option.IP, immutable: true},
	{name: FieldTag, value: text(func(r *request) *string { return &r.Tag })},
	{name: "proxyProtocol", value: flag(func(r *request) *bool { return &r.EnableProxyProtocol }),
		key: option.Regional(annotation.ProxyProtocol.WithAliases(option.Upstream + "enable-proxy-protocol"))},
	{name: "backendKeepalive", value: flag(func(r *request) *bool { return &r.EnableBackendKeepalive }),
		key: option.Regional(option.Own("enable-backend-keepalive", annotation.TypeBool, "Keep HTTP connections to the nodes open."))},
	{name: "redirectHTTPToHTTPS", value: flag(func(r *request) *bool { return &r.RedirectHttpToHttps }),
		key: option.Regional(option.Own("redirect-http-to-https", annotation.TypeBool, "Redirect HTTP on port 80 to HTTPS on port 443."))},
	{name: "disableLetsEncryptDNSRecords", value: optionalFlag(func(r *request) **bool { return &r.DisableLetsEncryptDNSRecords }),
		key: option.Regional(option.Own("disable-lets-encrypt-dns-records", annotation.TypeBool, "Don't create DNS records for the domains of a Let's Encrypt certificate."))},
	{name: "idleTimeout", value: idleSeconds(func(r *request) **uint64 { return &r.HTTPIdleTimeoutSeconds }),
		key: option.Regional(annotation.IdleTimeout.WithAliases(option.Upstream+"http-idle-timeout-seconds")).Within(30, 600).Standing(option.StandardTimeout).
			Noted("Of HTTP connections.")},
	{name: FieldSticky, value: sessions(func(r *request) **godo.StickySessions { return &r.StickySessions }), key: option.Sticky},
}

// Keys are the annotations that ask for a field as it stands.
func Keys() (keys annotation.Set) {
	for _, f := range fields {
		if f.key.Name != "" {
			keys = append(keys, f.key)
		}
	}
	return keys
}

// Immutable are the names of the fields that can't be changed later.
func Immutable() (names []string) {
	for _, f := range fields {
		if f.immutable {
			names = append(names, f.name)
		}
	}
	return names
}

// AskedFields returns the fields of a load balancer of that type that annotations ask for, with the values.
func AskedFields(kind string, options map[string]string) map[string]string {
	values := map[string]string{}
	for _, f := range fields {
		value := f.key.In(options)
		if f.name == FieldSticky && value == option.StickyCookies {
			value = option.Cookies(option.CookieName.In(options), option.CookieTTL.Int(options))
		}
		if value != "" && (f.key.Applies != option.RegionalOnly || kind == config.TypeRegional) {
			values[f.name] = value
		}
	}
	return values
}

// present returns the managed fields of a load balancer as they are.
func present(lb *godo.LoadBalancer, managed map[string]string) map[string]string {
	request := requestOf(lb)
	request.Type, request.IP = KindOf(lb), cmp.Or(lb.IP, managed[option.FieldIP]) // a new one has no address for a while
	values := map[string]string{}
	for _, f := range fields {
		if _, ok := managed[f.name]; ok {
			values[f.name] = f.value.read(request)
		}
	}
	if _, ok := managed[FieldSize]; ok {
		values[FieldSize] = sizeOf(lb)
	}
	return values
}

func sizeOf(lb *godo.LoadBalancer) string {
	if lb.SizeUnit > 0 {
		return strconv.FormatUint(uint64(lb.SizeUnit), 10)
	}
	return cmp.Or(option.SlugSizes[lb.SizeSlug], "1")
}

// writeSize writes a managed size, as the slug where that is how it was asked for.
func writeSize(r *godo.LoadBalancerRequest, size, slug string) {
	if size == "" {
		return
	}
	r.SizeSlug, r.SizeUnit = "", 0
	if option.SlugSizes[slug] == size {
		r.SizeSlug = slug
		return
	}
	units, _ := strconv.ParseUint(size, 10, 32)
	r.SizeUnit = uint32(units)
}

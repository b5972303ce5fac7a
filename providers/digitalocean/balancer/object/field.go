package object

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"
)

// Fields only this cloud's balancers have, beside the portable ones.
const (
	FieldType             = "type"
	FieldVPC              = "vpc"
	FieldSubnet           = "subnet"
	FieldIP               = "ip"
	FieldTag              = "targetTag"
	FieldProxyProtocol    = "proxyProtocol"
	FieldBackendKeepalive = "backendKeepalive"
	FieldRedirect         = "redirectHTTPToHTTPS"
	FieldNoDNSRecords     = "disableLetsEncryptDNSRecords"
	FieldIdleTimeout      = "idleTimeout"
	FieldSticky           = "stickySessions"
	FieldSize             = "size"
)

// Fields only this cloud's listeners and health checks have.
const (
	FieldCertificate = "certificate"
	FieldPassthrough = "passthrough"
	FieldHealthProxy = "proxyProtocol"
)

// field says where a request has a field. What there is is read from the request that would make it.
type field struct {
	name string
	at   func(r *godo.LoadBalancerRequest) any
}

// fields are all of them but the size, which requests have in two forms.
var fields = []field{
	{FieldType, func(r *godo.LoadBalancerRequest) any { return &r.Type }},
	{FieldVPC, func(r *godo.LoadBalancerRequest) any { return &r.VPCUUID }},
	{FieldSubnet, func(r *godo.LoadBalancerRequest) any { return &r.VPCSubnetUUID }},
	{FieldIP, func(r *godo.LoadBalancerRequest) any { return &r.IP }},
	{FieldTag, func(r *godo.LoadBalancerRequest) any { return &r.Tag }},
	{FieldProxyProtocol, func(r *godo.LoadBalancerRequest) any { return &r.EnableProxyProtocol }},
	{FieldBackendKeepalive, func(r *godo.LoadBalancerRequest) any { return &r.EnableBackendKeepalive }},
	{FieldRedirect, func(r *godo.LoadBalancerRequest) any { return &r.RedirectHttpToHttps }},
	{FieldNoDNSRecords, func(r *godo.LoadBalancerRequest) any { return &r.DisableLetsEncryptDNSRecords }},
	{FieldIdleTimeout, func(r *godo.LoadBalancerRequest) any { return &r.HTTPIdleTimeoutSeconds }},
	{FieldSticky, func(r *godo.LoadBalancerRequest) any { return &r.StickySessions }},
}

// present returns the managed fields of a load balancer as they are.
func present(lb *godo.LoadBalancer, managed map[string]string) map[string]string {
	request := requestOf(lb)
	request.Type, request.IP = KindOf(lb), cmp.Or(lb.IP, managed[FieldIP]) // a new one has no address for a while
	values := map[string]string{}
	for _, f := range fields {
		if _, ok := managed[f.name]; ok {
			values[f.name] = read(f.at(request))
		}
	}
	if _, ok := managed[FieldSize]; ok {
		values[FieldSize] = sizeOf(lb)
	}
	return values
}

// read returns what a request says, as annotations have it.
func read(at any) string {
	switch at := at.(type) {
	case *string:
		return *at
	case *bool:
		return strconv.FormatBool(*at)
	case **bool:
		return strconv.FormatBool(*at != nil && **at)
	case **uint64:
		if *at != nil && **at > 0 {
			return strconv.FormatUint(**at, 10)
		}
		return StandardTimeout
	case **godo.StickySessions:
		if s := *at; s != nil && s.Type == StickyCookies {
			return Cookies(s.CookieName, s.CookieTtlSeconds)
		}
		return StickyNone
	}
	return ""
}

// StandardTimeout is how many seconds HTTP connections can be idle on a balancer that says nothing of it.
const StandardTimeout = "60"

// write is the inverse of read. Without a value a text stays, and anything else is off.
func write(at any, value string) {
	switch at := at.(type) {
	case *string:
		*at = cmp.Or(value, *at)
	case *bool:
		*at = value == "true"
	case **bool:
		*at = godo.PtrTo(value == "true")
	case **uint64:
		seconds, err := strconv.ParseUint(value, 10, 64)
		if silent := *at == nil && value == StandardTimeout; err == nil && !silent {
			*at = &seconds
		}
	case **godo.StickySessions:
		*at = &godo.StickySessions{Type: StickyNone}
		if name, seconds, ok := ParseCookies(value); ok {
			*at = &godo.StickySessions{Type: StickyCookies, CookieName: name, CookieTtlSeconds: seconds}
		}
	}
}

// Values of sticky sessions, as the API spells them.
const (
	StickyNone    = "none"
	StickyCookies = "cookies"
)

// Cookies is the field of sticky sessions with cookies as one comparable value: "cookies 300 DO-LB".
func Cookies(name string, seconds int) string {
	return strings.Join([]string{StickyCookies, strconv.Itoa(seconds), name}, " ")
}

// ParseCookies is the inverse of Cookies; ok is false where there are no cookies.
func ParseCookies(value string) (name string, seconds int, ok bool) {
	parts := strings.SplitN(value, " ", 3)
	if len(parts) != 3 {
		return "", 0, false
	}
	seconds, _ = strconv.Atoi(parts[1])
	return parts[2], seconds, true
}

// SlugSizes are the deprecated size slugs in nodes.
var SlugSizes = map[string]string{"lb-small": "1", "lb-medium": "3", "lb-large": "6"}

func sizeOf(lb *godo.LoadBalancer) string {
	if lb.SizeUnit > 0 {
		return strconv.FormatUint(uint64(lb.SizeUnit), 10)
	}
	return cmp.Or(SlugSizes[lb.SizeSlug], "1")
}

// writeSize writes a managed size, as the slug where that is how it was asked for.
func writeSize(r *godo.LoadBalancerRequest, size, slug string) {
	if size == "" {
		return
	}
	r.SizeSlug, r.SizeUnit = "", 0
	if SlugSizes[slug] == size {
		r.SizeSlug = slug
		return
	}
	units, _ := strconv.ParseUint(size, 10, 32)
	r.SizeUnit = uint32(units)
}

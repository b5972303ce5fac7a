package balancer

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Fields only this cloud's balancers have, beside the portable ones.
const (
	FieldType    = "type"
	FieldVPC     = "vpc"
	FieldSubnet  = "subnet"
	FieldIP      = "ip"
	fieldSize    = "size"
	fieldTag     = "targetTag"
	fieldTimeout = "idleTimeout"
	fieldSticky  = "stickySessions"
)

// Fields only this cloud's listeners and health checks have.
const (
	fieldCertificate = "certificate"
	fieldPassthrough = "passthrough"
	fieldHealthProxy = "proxyProtocol"
)

// field is a field only this cloud's balancers have: the annotation that asks for it, and where a request
// has it. What there is is read from the request that would make it.
type field struct {
	name string
	key  annotation.Key
	at   func(r *godo.LoadBalancerRequest) any
}

// fields are all of them but the size, which requests have in two forms.
var fields = []field{
	{FieldType, annotation.Key{}, func(r *godo.LoadBalancerRequest) any { return &r.Type }},
	{FieldVPC, annotation.Key{}, func(r *godo.LoadBalancerRequest) any { return &r.VPCUUID }},
	{FieldSubnet, keySubnet, func(r *godo.LoadBalancerRequest) any { return &r.VPCSubnetUUID }},
	{FieldIP, keyIP, func(r *godo.LoadBalancerRequest) any { return &r.IP }},
	{fieldTag, annotation.Key{}, func(r *godo.LoadBalancerRequest) any { return &r.Tag }},
	{"proxyProtocol", keyProxyProtocol, func(r *godo.LoadBalancerRequest) any { return &r.EnableProxyProtocol }},
	{"backendKeepalive", keyBackendKeepalive, func(r *godo.LoadBalancerRequest) any { return &r.EnableBackendKeepalive }},
	{"redirectHTTPToHTTPS", keyRedirect, func(r *godo.LoadBalancerRequest) any { return &r.RedirectHttpToHttps }},
	{"disableLetsEncryptDNSRecords", keyNoDNSRecords, func(r *godo.LoadBalancerRequest) any { return &r.DisableLetsEncryptDNSRecords }},
	{fieldTimeout, keyIdleTimeout, func(r *godo.LoadBalancerRequest) any { return &r.HTTPIdleTimeoutSeconds }},
	{fieldSticky, keySticky, func(r *godo.LoadBalancerRequest) any { return &r.StickySessions }},
}

// wanted returns the managed fields of a load balancer of a type, as the Service asks for them. What it has no
// say in is not compared, and keeps the value that somebody else gave it.
func (r *Rules) wanted(kind string, spec cloud.Spec) map[string]string {
	values := map[string]string{}
	for _, f := range fields {
		value := f.key.In(spec.Options)
		switch f.name {
		case FieldType:
			value = kind
		case FieldVPC:
			value = r.Settings.Vpc
		case fieldSticky:
			value = stickyText(&godo.StickySessions{Type: value, CookieName: keyCookieName.In(spec.Options), CookieTtlSeconds: keyCookieTTL.Int(spec.Options)})
		}
		if (value != "" || f.name == fieldTag) && (f.key.Applies != regionalOnly || kind == config.TypeRegional) {
			values[f.name] = value
		}
	}
	if size := wantedSize(spec.Options); size != "" {
		values[fieldSize] = size
	}
	return values
}

// present returns the managed fields of a load balancer as they are.
func (r *Rules) present(lb *godo.LoadBalancer, spec cloud.Spec) map[string]string {
	request := requestOf(lb)
	request.Type, request.IP = kindOf(lb), cmp.Or(lb.IP, keyIP.In(spec.Options)) // a new one has no address for a while
	values := r.wanted(request.Type, spec)
	for _, f := range fields {
		if _, managed := values[f.name]; managed {
			values[f.name] = read(f.at(request))
		}
	}
	if _, managed := values[fieldSize]; managed {
		values[fieldSize] = sizeOf(lb)
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
		return keyIdleTimeout.Default
	case **godo.StickySessions:
		return stickyText(*at)
	}
	return ""
}

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
		if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
			*at = &seconds
		}
	case **godo.StickySessions:
		*at = parseSticky(value)
	}
}

// stickyText is a setting of sticky sessions as one comparable value: "cookies 300 DO-LB", or "none".
func stickyText(s *godo.StickySessions) string {
	if s == nil || s.Type != stickyCookies {
		return stickyNone
	}
	return strings.Join([]string{s.Type, strconv.Itoa(s.CookieTtlSeconds), s.CookieName}, " ")
}

func parseSticky(value string) *godo.StickySessions {
	parts := strings.SplitN(value, " ", 3)
	if len(parts) != 3 {
		return &godo.StickySessions{Type: stickyNone}
	}
	ttl, _ := strconv.Atoi(parts[1])
	return &godo.StickySessions{Type: parts[0], CookieName: parts[2], CookieTtlSeconds: ttl}
}

// sizes are the deprecated size slugs in nodes.
var sizes = map[string]string{"lb-small": "1", "lb-medium": "3", "lb-large": "6"}

// wantedSize is the number of nodes asked for, "" when the Service leaves it alone.
func wantedSize(options map[string]string) string {
	if slug := keySizeSlug.In(options); slug != "" {
		return sizes[slug]
	}
	if n := keySize.Int(options); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

func sizeOf(lb *godo.LoadBalancer) string {
	if lb.SizeUnit > 0 {
		return strconv.FormatUint(uint64(lb.SizeUnit), 10)
	}
	return cmp.Or(sizes[lb.SizeSlug], "1")
}

// fillSize writes a managed size in the form the Service asked for it.
func fillSize(r *godo.LoadBalancerRequest, size string, spec cloud.Spec) {
	if size == "" {
		return
	}
	r.SizeSlug, r.SizeUnit = "", 0
	if slug := keySizeSlug.In(spec.Options); sizes[slug] == size {
		r.SizeSlug = slug
		return
	}
	units, _ := strconv.ParseUint(size, 10, 32)
	r.SizeUnit = uint32(units)
}

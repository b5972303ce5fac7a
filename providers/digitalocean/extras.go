package digitalocean

import (
	"cmp"
	"maps"
	"strconv"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Values of sticky sessions and algorithms, as the API spells them.
const (
	stickyNone       = "none"
	stickyCookies    = "cookies"
	roundRobin       = "round_robin"
	leastConnections = "least_connections"
)

// sizes are the deprecated size slugs in nodes.
var sizes = map[string]string{"lb-small": "1", "lb-medium": "3", "lb-large": "6"}

// manages reports whether the Service has a say in a field. What it has no say in is not
// compared and keeps the value somebody else gave it.
func (d *Driver) manages(field, kind string, spec cloud.Spec) bool {
	switch field {
	case fieldVPC:
		return d.settings.vpc != ""
	case fieldSubnet:
		return keySubnet.In(spec.Options) != ""
	case fieldIP:
		return keyIP.In(spec.Options) != ""
	case fieldSize:
		return wantedSize(spec.Options) != ""
	case fieldProxyProtocol, fieldBackendKeepalive, fieldRedirect, fieldNoDNSRecords, fieldIdleTimeout, fieldSticky:
		return kind == typeRegional
	}
	return true
}

func (d *Driver) managed(all map[string]string, kind string, spec cloud.Spec) map[string]string {
	maps.DeleteFunc(all, func(field, _ string) bool { return !d.manages(field, kind, spec) })
	return all
}

// wantedProviderFields are the managed fields only this cloud has, as the Service wants them.
func (d *Driver) wantedProviderFields(kind string, spec cloud.Spec) map[string]string {
	o := spec.Options
	all := map[string]string{
		fieldType:             kind,
		fieldVPC:              d.settings.vpc,
		fieldSubnet:           keySubnet.In(o),
		fieldIP:               keyIP.In(o),
		fieldSize:             wantedSize(o),
		fieldTargetTag:        "",
		fieldProxyProtocol:    formatBool(keyProxyProtocol.Bool(o)),
		fieldBackendKeepalive: formatBool(keyBackendKeepalive.Bool(o)),
		fieldRedirect:         formatBool(keyRedirect.Bool(o)),
		fieldNoDNSRecords:     formatBool(keyNoDNSRecords.Bool(o)),
		fieldIdleTimeout:      keyIdleTimeout.In(o),
		fieldSticky:           sticky{keySticky.In(o), keyCookieName.In(o), keyCookieTTL.Int(o)}.String(),
	}
	for _, field := range []string{fieldVPC, fieldSubnet, fieldIP} {
		if value, ok := spec.Preserved[field]; ok {
			all[field] = value
		}
	}
	return d.managed(all, kind, spec)
}

// observedExtras are the same fields of an existing balancer.
func (d *Driver) observedExtras(lb *godo.LoadBalancer, spec cloud.Spec) map[string]string {
	all := map[string]string{
		fieldType:             kindOf(lb),
		fieldVPC:              lb.VPCUUID,
		fieldSubnet:           lb.VPCSubnetUUID,
		fieldIP:               lb.IP,
		fieldSize:             sizeOf(lb),
		fieldTargetTag:        lb.Tag,
		fieldProxyProtocol:    formatBool(lb.EnableProxyProtocol),
		fieldBackendKeepalive: formatBool(lb.EnableBackendKeepalive),
		fieldRedirect:         formatBool(lb.RedirectHttpToHttps),
		fieldNoDNSRecords:     formatBool(lb.DisableLetsEncryptDNSRecords != nil && *lb.DisableLetsEncryptDNSRecords),
		fieldIdleTimeout:      keyIdleTimeout.Default,
		fieldSticky:           stickyNone,
	}
	if lb.IP == "" {
		// A new balancer has no address for a while: nothing to compare yet.
		all[fieldIP] = keyIP.In(spec.Options)
	}
	if lb.HTTPIdleTimeoutSeconds != nil && *lb.HTTPIdleTimeoutSeconds > 0 {
		all[fieldIdleTimeout] = strconv.FormatUint(*lb.HTTPIdleTimeoutSeconds, 10)
	}
	if s := lb.StickySessions; s != nil {
		all[fieldSticky] = sticky{s.Type, s.CookieName, s.CookieTtlSeconds}.String()
	}
	return d.managed(all, kindOf(lb), spec)
}

// kindOf returns the type of an existing balancer. The field is younger than the API, whose
// default is REGIONAL.
func kindOf(lb *godo.LoadBalancer) string { return cmp.Or(lb.Type, typeRegional) }

func sizeOf(lb *godo.LoadBalancer) string {
	if lb.SizeUnit > 0 {
		return strconv.FormatUint(uint64(lb.SizeUnit), 10)
	}
	return cmp.Or(sizes[lb.SizeSlug], "1")
}

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

// sticky is a setting of sticky sessions as one comparable value.
type sticky struct {
	kind   string
	cookie string
	ttl    int
}

func (s sticky) String() string {
	if s.kind != stickyCookies {
		return stickyNone
	}
	return strings.Join([]string{s.kind, strconv.Itoa(s.ttl), s.cookie}, " ")
}

func parseSticky(value string) *godo.StickySessions {
	parts := strings.SplitN(value, " ", 3)
	if len(parts) != 3 {
		return &godo.StickySessions{Type: stickyNone}
	}
	ttl, _ := strconv.Atoi(parts[1])
	return &godo.StickySessions{Type: parts[0], CookieName: parts[2], CookieTtlSeconds: ttl}
}

// checkExtras refuses combinations of annotations.
func checkExtras(kind string, options map[string]string) []error {
	var problems []error
	if slug := keySizeSlug.In(options); slug != "" && keySize.Int(options) > 0 {
		problems = append(problems, &cloud.Invalid{Field: keySizeSlug.Name, Value: slug, Want: "want either it or " + keySize.Name})
	}
	if kind == typeRegional && keySticky.In(options) == stickyCookies {
		for _, key := range []annotation.Key{keyCookieName, keyCookieTTL} {
			if key.In(options) == "" {
				problems = append(problems, &cloud.Invalid{Field: key.Name, Value: "", Want: "want a value, because sticky-sessions-type is cookies"})
			}
		}
	}
	return problems
}

func formatBool(b bool) string { return strconv.FormatBool(b) }

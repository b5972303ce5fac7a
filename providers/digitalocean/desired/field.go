package desired

import (
	"maps"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// sizes are the deprecated size slugs in nodes.
var sizes = map[string]string{"lb-small": "1", "lb-medium": "3", "lb-large": "6"}

// manages reports whether the Service has a say in a field. What it has no say in is not
// compared and keeps the value somebody else gave it.
func (r *Rules) manages(field, kind string, spec cloud.Spec) bool {
	switch field {
	case FieldVPC:
		return r.Settings.Vpc != ""
	case FieldSubnet:
		return option.KeySubnet.In(spec.Options) != ""
	case FieldIP:
		return option.KeyIP.In(spec.Options) != ""
	case fieldSize:
		return wantedSize(spec.Options) != ""
	case fieldProxyProtocol, fieldBackendKeepalive, fieldRedirect, fieldNoDNSRecords, fieldIdleTimeout, fieldSticky:
		return kind == config.TypeRegional
	}
	return true
}

func (r *Rules) managed(all map[string]string, kind string, spec cloud.Spec) map[string]string {
	maps.DeleteFunc(all, func(field, _ string) bool { return !r.manages(field, kind, spec) })
	return all
}

// wantedProviderFields are the managed fields only this cloud has, as the Service wants them.
func (r *Rules) wantedProviderFields(kind string, spec cloud.Spec) map[string]string {
	o := spec.Options
	all := map[string]string{
		FieldType:             kind,
		FieldVPC:              r.Settings.Vpc,
		FieldSubnet:           option.KeySubnet.In(o),
		FieldIP:               option.KeyIP.In(o),
		fieldSize:             wantedSize(o),
		fieldTargetTag:        "",
		fieldProxyProtocol:    formatBool(option.KeyProxyProtocol.Bool(o)),
		fieldBackendKeepalive: formatBool(option.KeyBackendKeepalive.Bool(o)),
		fieldRedirect:         formatBool(option.KeyRedirect.Bool(o)),
		fieldNoDNSRecords:     formatBool(option.KeyNoDNSRecords.Bool(o)),
		fieldIdleTimeout:      option.KeyIdleTimeout.In(o),
		fieldSticky:           sticky{option.KeySticky.In(o), option.KeyCookieName.In(o), option.KeyCookieTTL.Int(o)}.String(),
	}
	for _, field := range []string{FieldVPC, FieldSubnet, FieldIP} {
		if value, ok := spec.Preserved[field]; ok {
			all[field] = value
		}
	}
	return r.managed(all, kind, spec)
}

// wantedSize is the number of nodes asked for, "" when the Service leaves it alone.
func wantedSize(options map[string]string) string {
	if slug := option.KeySizeSlug.In(options); slug != "" {
		return sizes[slug]
	}
	if n := option.KeySize.Int(options); n > 0 {
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
	if s.kind != option.StickyCookies {
		return option.StickyNone
	}
	return strings.Join([]string{s.kind, strconv.Itoa(s.ttl), s.cookie}, " ")
}

// checkExtras refuses combinations of annotations.
func checkExtras(kind string, options map[string]string) []error {
	var problems []error
	if slug := option.KeySizeSlug.In(options); slug != "" && option.KeySize.Int(options) > 0 {
		problems = append(problems, &cloud.Invalid{Field: option.KeySizeSlug.Name, Value: slug, Want: "want either it or " + option.KeySize.Name})
	}
	if kind == config.TypeRegional && option.KeySticky.In(options) == option.StickyCookies {
		for _, key := range []annotation.Key{option.KeyCookieName, option.KeyCookieTTL} {
			if key.In(options) == "" {
				problems = append(problems, &cloud.Invalid{Field: key.Name, Value: "", Want: "want a value, because sticky-sessions-type is cookies"})
			}
		}
	}
	return problems
}

func formatBool(b bool) string { return strconv.FormatBool(b) }

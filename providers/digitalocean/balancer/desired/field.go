package desired

import (
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
)

// Annotations returns every key this provider understands, beside the kernel's own.
func Annotations() annotation.Set { return slices.Concat(option.Annotations(), object.Keys()) }

// Managed returns what the Service has a say in on a load balancer of a type.
func (r Rules) Managed(kind string, spec cloud.Spec) object.Managed {
	values := object.AskedFields(kind, spec.Options)
	values[object.FieldType], values[object.FieldTag] = kind, ""
	if r.VPC != "" {
		values[object.FieldVPC] = r.VPC
	}
	if size := wantedSize(spec.Options); size != "" {
		values[object.FieldSize] = size
	}
	return object.Managed{Fields: values, HealthProxy: !option.HealthOverride.Has(spec.Options)}
}

// wantedSize is the number of nodes asked for, "" when the Service leaves it alone.
func wantedSize(options map[string]string) string {
	if slug := option.SizeSlug.In(options); slug != "" {
		return option.SlugSizes[slug]
	}
	if n := option.Size.Int(options); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

package desired

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
)

// Asked returns what a request has to say for the Service beside its balancer.
func (r Rules) Asked(spec cloud.Spec) object.Asked {
	asked := object.Asked{Region: r.Region, SizeSlug: option.SizeSlug.In(spec.Options)}
	if option.Algorithm.Has(spec.Options) {
		asked.Algorithm = option.Algorithm.In(spec.Options)
	}
	return asked
}

// Certificate returns the certificate that the Service asks for, by id or else by name.
func Certificate(options map[string]string) (id, name string) {
	return cmp.Or(option.CertificateID.In(options), option.Certificate.In(options)), option.CertificateName.In(options)
}

// Address returns the address that the Service asks for, "" for any.
func Address(options map[string]string) string { return option.IP.In(options) }

// Names are those under which the Service's balancer can be found: its own, and the default one.
func Names(spec cloud.Spec) []string {
	standard := cloud.UIDName(spec.Owner.UID)
	return slices.Compact([]string{cmp.Or(option.Name.In(spec.Options), standard), standard})
}

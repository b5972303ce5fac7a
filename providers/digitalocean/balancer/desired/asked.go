package desired

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
)

// Asked returns what a request has to say for the Service beside its balancer.
func (r Rules) Asked(spec cloud.Spec) object.Asked {
	asked := object.Asked{Region: r.Region, SizeSlug: keySizeSlug.In(spec.Options)}
	if keyAlgorithm.Has(spec.Options) {
		asked.Algorithm = keyAlgorithm.In(spec.Options)
	}
	return asked
}

// Certificate returns the certificate that the Service asks for, by id or else by name.
func Certificate(options map[string]string) (id, name string) {
	return cmp.Or(KeyCertificateID.In(options), keyCertificate.In(options)), KeyCertificateName.In(options)
}

// Address returns the address that the Service asks for, "" for any.
func Address(options map[string]string) string { return keyIP.In(options) }

// Names are those under which the Service's balancer can be found: its own, and the default one.
func Names(spec cloud.Spec) []string {
	standard := cloud.UIDName(spec.Owner.UID)
	return slices.Compact([]string{cmp.Or(keyName.In(spec.Options), standard), standard})
}

package desired

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// What is looked up for Normalize. The type and the stack of an existing balancer decide what an unset annotation means, because
// the API can't change them.
const (
	LookupType  = "type"
	LookupStack = "stack"
	// LookupCertificate is the id of the certificate that the balancer shall have.
	LookupCertificate = "certificate"
	// LookupNoCertificates says that the token may not read certificates.
	LookupNoCertificates = "certificatesForbidden"
)

// Certificate returns the certificate that the Service asks for, by id or else by name.
func Certificate(options map[string]string) (id, name string) {
	return cmp.Or(KeyCertificateID.In(options), keyCertificate.In(options)), KeyCertificateName.In(options)
}

// Address returns the address that the Service asks for, "" for any.
func Address(options map[string]string) string { return keyIP.In(options) }

// Names are those under which the Service's balancer can be found: its own, and the default one.
func Names(spec cloud.Spec) []string {
	standard := cloud.UIDName(spec.Ref.Owner.UID)
	return slices.Compact([]string{cmp.Or(keyName.In(spec.Options), standard), standard})
}

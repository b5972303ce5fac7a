package desired

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Findings are what Observe finds out for Normalize. The zero value is nothing.
type Findings struct {
	// Type and Stack are those of the balancer there is, "" for none. They decide what an unset annotation means, because the API can't
	// change them.
	Type, Stack string
	// Certificate is the id of the certificate that the balancer shall have, "" for none.
	Certificate string
	// CertificatesForbidden says that the token may not read certificates.
	CertificatesForbidden bool
}

// On returns the findings where the balancer is changed to what now says of it. Which certificates there are has not changed.
func (f Findings) On(now Findings) Findings {
	now.Certificate, now.CertificatesForbidden = f.Certificate, f.CertificatesForbidden
	return now
}

// Found makes and opens findings.
var Found cloud.FindingsOf[Findings]

package inspect

import (
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
)

// soonDecided is how long the decision about a request, and then its certificate, may take.
const soonDecided = time.Minute

// ServingRequest is what is known of the certificate that a Node's kubelet asked for last.
type ServingRequest struct {
	// Request is nil where there is none, see certificate.Latest.
	Request *certificatesv1.CertificateSigningRequest
	// Waits is what is known of why a request waits.
	Waits string
	// Err is why nothing is known.
	Err error
}

// AddServingRequest adds what became of the request for a serving certificate.
//
//	the request                        is shown as
//	was not read                       not known
//	is not there                       none
//	is denied, or its signing failed   a problem
//	is approved, and not signed        a problem after a minute
//	is approved                        approved
//	is undecided                       a problem after a minute
func (e *Explanation) AddServingRequest(r ServingRequest, now time.Time) {
	s, csr := e.section("Serving certificate"), r.Request
	switch {
	case r.Err != nil:
		s.add("request", "not known", r.Err.Error())
		return
	case csr == nil:
		s.add("request", "none", "the kubelet has not asked, which it does with serverTLSBootstrap: true, or Kubernetes has deleted the request since")
		return
	}
	s.add("request", csr.Name, "made "+csr.CreationTimestamp.UTC().Format(time.RFC3339))
	found := func(kind certificatesv1.RequestConditionType) *certificatesv1.CertificateSigningRequestCondition {
		at := slices.IndexFunc(csr.Status.Conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool {
			return c.Type == kind && c.Status != corev1.ConditionFalse
		})
		if at < 0 {
			return nil
		}
		return &csr.Status.Conditions[at]
	}
	denied, failed, approved := found(certificatesv1.CertificateDenied), found(certificatesv1.CertificateFailed), found(certificatesv1.CertificateApproved)
	because := func(c *certificatesv1.CertificateSigningRequestCondition) string {
		return strings.Trim(c.Reason+": "+c.Message, ": ")
	}
	switch {
	case denied != nil:
		s.problem("decision", "denied", because(denied))
	case failed != nil:
		s.problem("decision", "not signed", because(failed))
	case approved == nil && now.Sub(csr.CreationTimestamp.Time) < soonDecided:
		s.add("decision", "waits", "it is new")
	case approved == nil:
		why := r.Waits
		if command := certificate.Approval(csr.Name); command != "" {
			why += "; look at what it asks for before you approve it: kubectl describe csr " + csr.Name + "; " + command
		}
		s.problem("decision", "waits", why)
	case len(csr.Status.Certificate) == 0 && now.Sub(approved.LastUpdateTime.Time) > soonDecided:
		s.problem("decision", "approved", "nobody signs it: kube-controller-manager does, with --cluster-signing-cert-file or --cluster-signing-kubelet-serving-cert-file")
	default:
		s.add("decision", "approved", because(approved))
	}
}

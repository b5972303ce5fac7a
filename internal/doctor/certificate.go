package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// mostRequests bounds the requests for certificates that are read.
const mostRequests = 500

// waitingRequest is a kubelet's request for a certificate that nobody has decided.
type waitingRequest struct {
	name, node string
	since      time.Time
}

// servingRequests returns the requests of kubelets that wait, the latest of each Node, with the oldest first.
func servingRequests(ctx context.Context, r *reader) fact[[]waitingRequest] {
	list := read(ctx, r, right{"list", "certificates.k8s.io", "certificatesigningrequests", "", ""}, func() (*certificatesv1.CertificateSigningRequestList, error) {
		return r.client.CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("spec.signerName", certificatesv1.KubeletServingSignerName).String(), Limit: mostRequests,
		})
	})
	if list.err != nil {
		return missing[[]waitingRequest](list.err)
	}
	latest := map[string]waitingRequest{}
	for n := range list.value.Items {
		csr := &list.value.Items[n]
		node := judge.NodeOf(csr)
		if node == "" || latest[node].since.After(csr.CreationTimestamp.Time) {
			continue
		}
		latest[node] = waitingRequest{csr.Name, node, csr.CreationTimestamp.Time}
		if !judge.Open(csr) {
			latest[node] = waitingRequest{node: node, since: csr.CreationTimestamp.Time} // decided
		}
	}
	var waiting []waitingRequest
	for _, request := range latest {
		if request.name != "" {
			waiting = append(waiting, request)
		}
	}
	slices.SortFunc(waiting, func(a, b waitingRequest) int { return a.since.Compare(b.since) })
	return fact[[]waitingRequest]{value: waiting}
}

// judgeCertificates says which kubelets wait for the certificate that they serve with.
//
//	requests of this cloud's Nodes that have waited   outcome
//	none for longer than patience                     ok
//	some, and the controller does not run             warning: nobody approves them
//	some, and it runs                                 warning, with the reason of the event
func judgeCertificates(f *facts) Outcome {
	switch {
	case f.nodesKnown() != nil:
		return cannot(f.nodesKnown())
	case f.certificates.err != nil:
		return cannot(f.certificates.err)
	}
	initialised, _ := f.mine()
	own := map[string]bool{}
	for _, node := range initialised {
		own[node.Name] = true
	}
	var evidence []string
	for _, request := range f.certificates.value {
		if age := f.now.Sub(request.since); own[request.node] && age > f.Patience {
			evidence = append(evidence, fmt.Sprintf("%s: request %s waits for %s%s", request.node, request.name, age.Round(time.Second), f.whyWaiting(request.node)))
		}
	}
	switch {
	case len(evidence) == 0:
		return fine("no kubelet waits for the certificate that it serves with")
	case !f.runs(controller.KubeletCertificate):
		return warning("kubelets wait for the certificates that they serve with, and this controller manager approves none",
			"run the controller "+controller.KubeletCertificate+" (chart: controllers.kubeletServingCertificate.enabled), or approve each by hand: kubectl certificate approve NAME", bounded(evidence)...)
	}
	return warning("kubelets wait for the certificates that they serve with", "", bounded(evidence)...)
}

// whyWaiting is what the controller's latest event on a Node says, "" where there is none.
func (f *facts) whyWaiting(node string) string {
	var latest time.Time
	why := ""
	for n := range f.events.value {
		e := &f.events.value[n]
		if e.Reason == event.CertificateWaits.Name && e.InvolvedObject.Kind == "Node" && e.InvolvedObject.Name == node && !eventTime(e).Before(latest) {
			latest, why = eventTime(e), ": "+e.Message
		}
	}
	return why
}

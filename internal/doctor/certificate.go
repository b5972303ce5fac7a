package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
)

// waitingRequest is a kubelet's request for a certificate that nobody has decided.
type waitingRequest struct {
	name, node string
	since      time.Time
}

// servingRequests returns the requests of kubelets that wait, the latest of each Node, with the oldest first.
func servingRequests(ctx context.Context, r *reader) fact[[]waitingRequest] {
	latest := read(ctx, r, right{"list", "certificates.k8s.io", "certificatesigningrequests", "", ""}, func() (map[string]waitingRequest, error) {
		return latestRequests(ctx, r)
	})
	if latest.err != nil {
		return missing[[]waitingRequest](latest.err)
	}
	var waiting []waitingRequest
	for _, request := range latest.value {
		if request.name != "" {
			waiting = append(waiting, request)
		}
	}
	slices.SortFunc(waiting, func(a, b waitingRequest) int { return a.since.Compare(b.since) })
	return fact[[]waitingRequest]{value: waiting}
}

// latestRequests returns the latest request of each Node, without a name where it is decided. A page is in the order of names. Of those of
// one second it is an undecided one.
func latestRequests(ctx context.Context, r *reader) (map[string]waitingRequest, error) {
	latest := map[string]waitingRequest{}
	_, err := certificate.EachServing(ctx, r.client.CertificatesV1().CertificateSigningRequests(), func(csr *certificatesv1.CertificateSigningRequest) {
		name, node, made := strings.Clone(csr.Name), judge.NodeOf(csr), csr.CreationTimestamp.Time
		if !judge.Open(csr) {
			name = ""
		}
		switch before := latest[node]; {
		case node == "", before.since.After(made), before.since.Equal(made) && before.name != "" && name == "":
		default:
			node = strings.Clone(node)
			latest[node] = waitingRequest{name, node, made}
		}
	})
	return latest, err
}

// judgeCertificates says which kubelets wait for the certificate that they serve with.
//
//	requests of this cloud's Nodes that have waited   outcome
//	none for longer than patience                     ok
//	some, and the controller does not run             warning: nobody approves them
//	some, and it runs                                 warning, with the reason of the event
//
// Where it runs, a kubelet that signs its certificate itself is a warning too.
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
			evidence = append(evidence, fmt.Sprintf("%s: request %q waits for %s%s", request.node, request.name, age.Round(time.Second), whyWaiting(f.events.value, request.node)))
		}
	}
	switch {
	case len(evidence) == 0 && len(f.kubelets.selfSigned) > 0:
		return warning("the certificates of kubelets are approved, but these sign theirs themselves: "+names(f.kubelets.selfSigned),
			"set serverTLSBootstrap: true in their configuration, and restart them: docs/how-to/kubelet-certificates.md")
	case len(evidence) == 0 && len(f.kubelets.unreached) > 0:
		return fine("no kubelet waits for the certificate that it serves with; not reached from here: %s", names(f.kubelets.unreached))
	case len(evidence) == 0:
		return fine("no kubelet waits for the certificate that it serves with")
	case !f.runs(controller.KubeletCertificate):
		return warning("kubelets wait for the certificates that they serve with, and this controller manager approves none",
			"run the controller "+controller.KubeletCertificate+" (chart: controllers.kubeletServingCertificate.enabled), or approve each by hand: kubectl certificate approve NAME", bounded(evidence)...)
	}
	evidence = bounded(evidence)
	if len(f.kubelets.selfSigned) > 0 {
		evidence = append(evidence, "these sign their certificates themselves: "+names(f.kubelets.selfSigned))
	}
	return warning("kubelets wait for the certificates that they serve with", "", evidence...)
}

// whyWaiting is what the latest event of the controller's name on a Node says, "" where there is none. Kubelets may write events too.
func whyWaiting(events []corev1.Event, node string) string {
	var latest time.Time
	why := ""
	for n := range events {
		e := &events[n]
		if e.Reason == event.CertificateWaits.Name && e.InvolvedObject.Kind == "Node" && e.InvolvedObject.Name == node && !eventTime(e).Before(latest) {
			latest, why = eventTime(e), fmt.Sprintf("; an event says: %q", e.Message)
		}
	}
	return why
}

package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
)

// servingRequests returns the requests of kubelets by their Nodes, of each the latest.
func servingRequests(ctx context.Context, r *reader) fact[map[string]*certificatesv1.CertificateSigningRequest] {
	return read(ctx, r, right{"list", "certificates.k8s.io", "certificatesigningrequests", "", ""}, func() (map[string]*certificatesv1.CertificateSigningRequest, error) {
		return certificate.Latest(ctx, r.client.CertificatesV1().CertificateSigningRequests(), nil)
	})
}

// judgeCertificates says which kubelets wait for the certificate that they serve with.
//
//	requests of this cloud's Nodes that have waited   outcome
//	none for longer than patience                     ok
//	some, and by the flags the controller does not    warning: nobody approves them
//	run, nor does an event say why they wait
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
	evidence, judged := waitingKubelets(f, initialised)
	switch {
	case len(evidence) == 0 && len(f.kubelets.selfSigned) > 0:
		return warning("the certificates of kubelets are approved, but these sign theirs themselves: "+names(f.kubelets.selfSigned),
			"set serverTLSBootstrap: true in their configuration, and restart them: docs/how-to/kubelet-certificates.md")
	case len(evidence) == 0 && len(f.kubelets.unreached) > 0:
		return fine("no kubelet waits for the certificate that it serves with; not reached from here: %s", names(f.kubelets.unreached))
	case len(evidence) == 0:
		return fine("no kubelet waits for the certificate that it serves with")
	case !f.runs(controller.KubeletCertificate) && !judged:
		return warning("kubelets wait for the certificates that they serve with, and this controller manager approves none",
			"run the controller "+controller.KubeletCertificate+" (--controllers='*,"+controller.KubeletCertificate+"', chart: controllers.kubeletServingCertificate.enabled), or approve each by hand: kubectl certificate approve NAME", bounded(evidence)...)
	}
	evidence = bounded(evidence)
	if len(f.kubelets.selfSigned) > 0 {
		evidence = append(evidence, "these sign their certificates themselves: "+names(f.kubelets.selfSigned))
	}
	return warning("kubelets wait for the certificates that they serve with", "", evidence...)
}

// waitingKubelets says which Nodes' kubelets have waited for longer than patience, the oldest request first, and why. judged says that an event
// tells why one of these requests waits: the controller runs, whatever the flags say that are known. Kubelets may write events too.
func waitingKubelets(f *facts, nodes []*corev1.Node) (evidence []string, judged bool) {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node *corev1.Node) bool {
		request := f.certificates.value[node.Name]
		return request == nil || !judge.Open(request) || f.now.Sub(request.CreationTimestamp.Time) <= f.Patience
	})
	made := func(node *corev1.Node) time.Time { return f.certificates.value[node.Name].CreationTimestamp.Time }
	slices.SortStableFunc(nodes, func(a, b *corev1.Node) int { return made(a).Compare(made(b)) })
	for _, node := range nodes {
		line := fmt.Sprintf("%s: request %q waits for %s", node.Name, f.certificates.value[node.Name].Name, f.now.Sub(made(node)).Round(time.Second))
		why := inspect.LatestEvent(f.events.value, func(e *corev1.Event) bool {
			return e.Reason == event.CertificateWaits.Name && e.InvolvedObject.Kind == "Node" && e.InvolvedObject.Name == node.Name && e.Source.Component == recorder.Component
		})
		if why != nil {
			line += fmt.Sprintf("; an event says: %q", why.Message)
			judged = judged || !inspect.EventTime(why).Before(made(node))
		}
		evidence = append(evidence, line)
	}
	return evidence, judged
}

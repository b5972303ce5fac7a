package app

import (
	"context"
	"errors"
	"fmt"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// servingRequest returns what is known of the certificate that a Node's kubelet asked for last.
func (e *explaining) servingRequest(ctx context.Context, node *corev1.Node) inspect.ServingRequest {
	client, err := e.client()
	if err != nil {
		return inspect.ServingRequest{Err: err}
	}
	latest, err := latestServingRequest(ctx, client, node.Name)
	found := inspect.ServingRequest{Request: latest, Err: err}
	if latest != nil && judge.Open(latest) {
		found.Waits = whyRequestWaits(ctx, client, node)
	}
	return found
}

// latestServingRequest returns the latest request of a Node's kubelet, nil where there is none. Of those of one second it is an undecided one.
func latestServingRequest(ctx context.Context, client kubernetes.Interface, node string) (latest *certificatesv1.CertificateSigningRequest, err error) {
	_, err = certificate.EachServing(ctx, client.CertificatesV1().CertificateSigningRequests(), func(csr *certificatesv1.CertificateSigningRequest) {
		if judge.NodeOf(csr) != node {
			return
		}
		if latest == nil || csr.CreationTimestamp.After(latest.CreationTimestamp.Time) || csr.CreationTimestamp.Equal(&latest.CreationTimestamp) && judge.Open(csr) {
			latest = csr.DeepCopy()
		}
	})
	if apierrors.IsForbidden(err) {
		return nil, errors.New("this account may not list certificatesigningrequests")
	}
	if err != nil {
		return nil, fmt.Errorf("listing the requests of kubelets: %w", err)
	}
	return latest, nil
}

// whyRequestWaits is what the latest event of the controller's name on the Node says. Kubelets may write events too.
func whyRequestWaits(ctx context.Context, client kubernetes.Interface, node *corev1.Node) string {
	if allowed, err := mayListEvents(ctx, client, metav1.NamespaceDefault); err != nil || !allowed {
		return "kubectl describe node " + node.Name + " shows why"
	}
	list, err := client.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": "Node", "involvedObject.name": node.Name, "reason": event.CertificateWaits.Name}.String(),
	})
	switch {
	case err != nil:
		return "reading events: " + err.Error()
	case len(list.Items) == 0:
		return "no event says why"
	}
	latest := list.Items[0]
	for _, e := range list.Items[1:] {
		if e.LastTimestamp.After(latest.LastTimestamp.Time) {
			latest = e
		}
	}
	return fmt.Sprintf("an event says: %q", cloud.Shorten(latest.Message, event.MostOfMessage))
}

package app

import (
	"context"
	"errors"
	"fmt"

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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
)

// servingRequest returns what is known of the certificate that a Node's kubelet asked for last.
func (e *explaining) servingRequest(ctx context.Context, node *corev1.Node) inspect.ServingRequest {
	client, err := e.client()
	if err != nil {
		return inspect.ServingRequest{Err: err}
	}
	latest, err := certificate.Latest(ctx, client.CertificatesV1().CertificateSigningRequests(), func(name string) bool { return name == node.Name })
	switch {
	case apierrors.IsForbidden(err):
		return inspect.ServingRequest{Err: errors.New("this account may not list certificatesigningrequests")}
	case err != nil:
		return inspect.ServingRequest{Err: fmt.Errorf("listing the requests of kubelets: %w", err)}
	}
	found := inspect.ServingRequest{Request: latest[node.Name]}
	if found.Request != nil && judge.Open(found.Request) {
		found.Waits = whyRequestWaits(ctx, client, node)
	}
	return found
}

// whyRequestWaits is what the latest event of the controller's name on the Node says. Kubelets may write events too.
func whyRequestWaits(ctx context.Context, client kubernetes.Interface, node *corev1.Node) string {
	if allowed, err := mayListEvents(ctx, client, metav1.NamespaceDefault); err != nil || !allowed {
		return "kubectl describe node " + node.Name + " shows why"
	}
	list, err := client.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": "Node", "involvedObject.name": node.Name, "reason": event.CertificateWaits.Name}.String(),
	})
	if err != nil {
		return "reading events: " + err.Error()
	}
	latest := inspect.LatestEvent(list.Items, func(e *corev1.Event) bool { return e.Source.Component == recorder.Component })
	if latest == nil {
		return "no event says why"
	}
	return fmt.Sprintf("an event says: %q", cloud.Shorten(latest.Message, event.MostOfMessage))
}

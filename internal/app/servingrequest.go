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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"

	"github.com/multicloud-ccm/multicloud-ccm/internal/inspect"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// servingRequest returns what is known of the certificate that a Node's kubelet asked for last.
func (e *explaining) servingRequest(ctx context.Context, node *corev1.Node) inspect.ServingRequest {
	client, err := e.client()
	if err != nil {
		return inspect.ServingRequest{Err: err}
	}
	latest, err := latestServingRequest(ctx, client, node.Name)
	if apierrors.IsForbidden(err) {
		err = errors.New("this account may not list certificatesigningrequests")
	}
	found := inspect.ServingRequest{Request: latest, Err: err}
	if latest != nil && judge.Open(latest) {
		found.Waits = whyRequestWaits(ctx, client, node)
	}
	return found
}

// latestServingRequest returns the latest request of a Node's kubelet, nil where there is none. Of those of one second it is an undecided one.
func latestServingRequest(ctx context.Context, client kubernetes.Interface, node string) (latest *certificatesv1.CertificateSigningRequest, err error) {
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CertificatesV1().CertificateSigningRequests().List(ctx, o)
	})
	serving := fields.OneTermEqualSelector("spec.signerName", certificatesv1.KubeletServingSignerName).String()
	err = pages.EachListItem(ctx, metav1.ListOptions{FieldSelector: serving}, func(obj runtime.Object) error {
		csr, ok := obj.(*certificatesv1.CertificateSigningRequest)
		switch {
		case !ok, judge.NodeOf(csr) != node:
		case latest == nil, csr.CreationTimestamp.After(latest.CreationTimestamp.Time), csr.CreationTimestamp.Equal(&latest.CreationTimestamp) && judge.Open(csr):
			latest = csr
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the requests of kubelets: %w", err)
	}
	return latest, nil
}

// whyRequestWaits is what the controller manager's latest event on the Node says, "" where there is none or it may not be read.
func whyRequestWaits(ctx context.Context, client kubernetes.Interface, node *corev1.Node) string {
	if allowed, err := mayListEvents(ctx, client, metav1.NamespaceDefault); err != nil || !allowed {
		return ""
	}
	list, err := client.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
		FieldSelector: fields.Set{"involvedObject.kind": "Node", "involvedObject.name": node.Name, "reason": event.CertificateWaits.Name}.String(),
	})
	if err != nil || len(list.Items) == 0 {
		return ""
	}
	latest := list.Items[0]
	for _, e := range list.Items[1:] {
		if e.LastTimestamp.After(latest.LastTimestamp.Time) {
			latest = e
		}
	}
	return latest.Message
}

package framework

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// annotator writes annotations on Services.
type annotator struct {
	client typedcorev1.ServicesGetter
	// before is told what is about to be written.
	before func(*corev1.Service, map[string]string)
}

// write makes the Service carry the annotations, with one request or none. The UID keeps
// it from reaching another Service of the same name.
func (a *annotator) write(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
	missing := map[string]string{}
	for key, value := range annotations {
		if got, ok := svc.Annotations[key]; !ok || got != value {
			missing[key] = value
		}
	}
	if len(missing) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": svc.UID, "annotations": missing}})
	if err != nil {
		return fmt.Errorf("encoding annotations: %w", err)
	}
	a.before(svc, missing)
	_, err = a.client.Services(svc.Namespace).Patch(ctx, svc.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("recording annotations on service %s/%s: %w", svc.Namespace, svc.Name, err)
	}
	return nil
}

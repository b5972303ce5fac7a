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
// it from reaching another Service of the same name. A value that is replaced may have been
// changed by its user since the Service was read: then the write is refused, and asked for again.
func (a *annotator) write(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
	missing, metadata := map[string]string{}, map[string]any{"uid": svc.UID}
	for key, value := range annotations {
		got, ok := svc.Annotations[key]
		if !ok || got != value {
			missing[key] = value
		}
		if ok && got != value && svc.ResourceVersion != "" {
			metadata["resourceVersion"] = svc.ResourceVersion
		}
	}
	if len(missing) == 0 {
		return nil
	}
	metadata["annotations"] = missing
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
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

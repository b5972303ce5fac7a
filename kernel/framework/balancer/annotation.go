package balancer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/replacement"
)

// annotator writes annotations on Services.
type annotator struct {
	client typedcorev1.ServicesGetter
	// before is told what is about to be written.
	before func(*corev1.Service, map[string]string)
}

// write makes the Service carry the annotations, with one request or none. One that is "" is
// removed. The UID keeps the request from reaching another Service of the same name.
//
// Where a replacement begins or ends, another request writes its condition first. It does so also
// where the annotation is there already, because its user may have written it.
//
// A value that is replaced may have been changed by its user since the Service was read: then the
// write is refused, and asked for again. Nothing else that has changed stands in its way: the
// controller adds its finalizer and goes on with the copy it had.
//
//	annotations        patch
//	only new ones      merge
//	replaced, removed  JSON, which tests each value that goes
func (a *annotator) write(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
	missing, goes := map[string]string{}, false
	for key, value := range annotations {
		got, ok := svc.Annotations[key]
		if got != value || !ok && value != "" {
			missing[key] = value
			goes = goes || ok
		}
	}
	if err := a.writeCondition(ctx, svc, replacement.Condition(annotations)); err != nil || len(missing) == 0 {
		return err
	}
	kind, content := types.MergePatchType, any(map[string]any{"metadata": map[string]any{"uid": svc.UID, "annotations": missing}})
	if goes {
		kind, content = types.JSONPatchType, exchange(svc, missing)
	}
	patch, err := json.Marshal(content)
	if err != nil {
		return fmt.Errorf("encoding annotations: %w", err)
	}
	a.before(svc, missing)
	_, err = a.client.Services(svc.Namespace).Patch(ctx, svc.Name, kind, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("recording annotations on service %s/%s: %w", svc.Namespace, svc.Name, err)
	}
	return nil
}

// writeCondition makes the status of the Service have the condition, if there is one to write.
func (a *annotator) writeCondition(ctx context.Context, svc *corev1.Service, condition *metav1.Condition) error {
	if condition == nil || slices.ContainsFunc(svc.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == condition.Type && c.Status == condition.Status && c.Message == condition.Message
	}) {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": svc.UID}, "status": map[string]any{"conditions": []metav1.Condition{*condition}},
	})
	if err != nil {
		return fmt.Errorf("encoding a condition: %w", err)
	}
	_, err = a.client.Services(svc.Namespace).Patch(ctx, svc.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("recording a condition on service %s/%s: %w", svc.Namespace, svc.Name, err)
	}
	return nil
}

// withdraw takes our address out of the status of another controller's Service. An address that the other one has written
// meanwhile stays: then the write is refused.
func (a *annotator) withdraw(ctx context.Context, svc *corev1.Service) error {
	const ingress = "/status/loadBalancer/ingress"
	patch, err := json.Marshal([]operation{
		{"test", "/metadata/uid", svc.UID}, {"test", ingress, svc.Status.LoadBalancer.Ingress}, {"remove", ingress, nil},
	})
	if err != nil {
		return fmt.Errorf("encoding a status: %w", err)
	}
	_, err = a.client.Services(svc.Namespace).Patch(ctx, svc.Name, types.JSONPatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("taking the address of service %s/%s back: %w", svc.Namespace, svc.Name, err)
	}
	return nil
}

// operation is one operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// exchange returns the patch that puts the annotations in the place of those the Service has.
func exchange(svc *corev1.Service, annotations map[string]string) []operation {
	patch := []operation{{"test", "/metadata/uid", svc.UID}}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		path := "/metadata/annotations/" + escape.Replace(key)
		if got, ok := svc.Annotations[key]; ok {
			patch = append(patch, operation{"test", path, got})
		}
		if value := annotations[key]; value == "" {
			patch = append(patch, operation{"remove", path, nil})
		} else {
			patch = append(patch, operation{"add", path, value})
		}
	}
	return patch
}

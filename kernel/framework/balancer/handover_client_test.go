package balancer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"
)

// The process as a client.

func (p *process) CoreV1() typedcorev1.CoreV1Interface { return &modelCore{process: p} }

type modelCore struct {
	typedcorev1.CoreV1Interface
	process *process
}

func (c *modelCore) Services(string) typedcorev1.ServiceInterface {
	return &modelServices{process: c.process}
}

func (c *modelCore) Events(string) typedcorev1.EventInterface { return modelEvents{} }

type modelEvents struct{ typedcorev1.EventInterface }

func (modelEvents) CreateWithEventNamespace(e *corev1.Event) (*corev1.Event, error) {
	return e, nil
}

func (modelEvents) PatchWithEventNamespace(e *corev1.Event, _ []byte) (*corev1.Event, error) {
	return e, nil
}

type modelServices struct {
	typedcorev1.ServiceInterface
	process *process
}

func (s *modelServices) Patch(_ context.Context, name string, kind types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (got *corev1.Service, err error) {
	p := s.process
	err = p.call(func() error {
		svc := p.services[name]
		if svc == nil {
			return apierrors.NewNotFound(corev1.Resource("services"), name)
		}
		if !p.ever[svc.UID] {
			p.problem("%s never was ours, and was written: %s", name, data)
		}
		if got, err = patched(svc, kind, data); err != nil {
			return err
		}
		if svc.DeletionTimestamp != nil && len(got.Finalizers) > len(svc.Finalizers) {
			return fmt.Errorf("no finalizers can be added to a Service that is being deleted")
		}
		if p.random.IntN(100) < p.failing {
			return fmt.Errorf("the API server is away")
		}
		if servicehelper.HasLBFinalizer(svc) && strings.Contains(string(data), `"finalizers":[`) {
			p.both[name] = true
		}
		p.set(got, us)
		return nil
	})
	return got, err
}

// patched returns the Service with the patch. Of JSON patches it knows those that the program writes.
func patched(svc *corev1.Service, kind types.PatchType, data []byte) (*corev1.Service, error) {
	if kind == types.JSONPatchType {
		return exchanged(svc.DeepCopy(), data)
	}
	before, err := json.Marshal(svc)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, data, corev1.Service{})
	if err != nil {
		return nil, err
	}
	next := &corev1.Service{}
	if err := json.Unmarshal(after, next); err != nil {
		return nil, err
	}
	if next.UID != svc.UID {
		return nil, fmt.Errorf("the UID is another one")
	}
	return next, nil
}

func exchanged(svc *corev1.Service, data []byte) (*corev1.Service, error) {
	var operations []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if err := json.Unmarshal(data, &operations); err != nil {
		return nil, err
	}
	for _, o := range operations {
		var present any
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(o.Path, "/metadata/annotations/"))
		switch o.Path {
		case "/metadata/uid":
			present = svc.UID
		case "/status/loadBalancer/ingress":
			present = svc.Status.LoadBalancer.Ingress
		default:
			present = svc.Annotations[key]
		}
		text, err := json.Marshal(present)
		switch {
		case err != nil:
			return nil, err
		case o.Op == "test" && string(text) != string(o.Value):
			return nil, fmt.Errorf("%s is %s", o.Path, text)
		case o.Op == "remove" && o.Path == "/status/loadBalancer/ingress":
			svc.Status.LoadBalancer = corev1.LoadBalancerStatus{}
		case o.Op == "remove":
			delete(svc.Annotations, key)
		case o.Op == "add":
			var value string
			if err := json.Unmarshal(o.Value, &value); err != nil {
				return nil, err
			}
			metav1.SetMetaDataAnnotation(&svc.ObjectMeta, key, value)
		}
	}
	return svc, nil
}

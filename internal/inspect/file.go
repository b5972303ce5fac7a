package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// The UID and the first node port of a Service that is not applied yet: the API server chooses
// others.
const (
	exampleUID      = types.UID("00000000-0000-4000-8000-000000000000")
	exampleNodePort = 30000
)

// ParseService reads a Service from YAML or JSON. Unknown fields are refused.
func ParseService(content []byte) (*corev1.Service, error) {
	switch n, err := documents(content); {
	case err != nil:
		return nil, err
	case n > 1:
		return nil, fmt.Errorf("it has %d objects: want one Service, so that none is overlooked", n)
	}
	var svc corev1.Service
	if err := yaml.UnmarshalStrict(content, &svc); err != nil {
		return nil, fmt.Errorf("reading a Service: %w", err)
	}
	switch {
	case svc.Kind != "Service" || svc.APIVersion != "v1":
		return nil, fmt.Errorf("want one object with apiVersion v1 and kind Service, got %q and %q", svc.APIVersion, svc.Kind)
	case svc.Name == "":
		return nil, errors.New("metadata.name is empty: a Service needs a name")
	}
	svc.Namespace = cmp.Or(svc.Namespace, corev1.NamespaceDefault)
	return &svc, nil
}

// documents counts the objects of YAML or JSON. What is wrong with the first one is left to who reads it.
func documents(content []byte) (n int, err error) {
	for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
		var object json.RawMessage
		switch err := decoder.Decode(&object); {
		case errors.Is(err, io.EOF), err != nil && n == 0:
			return n, nil
		case err != nil:
			return n, fmt.Errorf("reading what follows the first object: %w", err)
		}
		if len(object) > 0 && string(object) != "null" {
			n++
		}
	}
}

// Applied returns the Service as it would be after `kubectl apply`. What others wrote on the one in
// the cluster stays: node ports, UID, status, and annotations that were not applied before. live is
// nil when there is none. invented says that node ports or the UID are examples.
func Applied(svc, live *corev1.Service) (applied *corev1.Service, invented bool) {
	applied = svc.DeepCopy()
	ports := map[portKey]int32{}
	if live != nil {
		applied.UID, applied.Finalizers, applied.ResourceVersion = live.UID, live.Finalizers, live.ResourceVersion
		applied.CreationTimestamp, applied.Status = live.CreationTimestamp, *live.Status.DeepCopy()
		applied.Annotations = mergeAnnotations(svc, live)
		for _, p := range live.Spec.Ports {
			ports[keyOf(p)] = p.NodePort
		}
		applied.Spec.HealthCheckNodePort = cmp.Or(applied.Spec.HealthCheckNodePort, live.Spec.HealthCheckNodePort)
		applied.Spec.IPFamilies, applied.Spec.IPFamilyPolicy = orLive(applied.Spec.IPFamilies, live.Spec.IPFamilies), cmp.Or(applied.Spec.IPFamilyPolicy, live.Spec.IPFamilyPolicy)
	}
	applied.UID = cmp.Or(applied.UID, exampleUID)
	return applied, setDefaults(&applied.Spec, ports) || live == nil
}

// mergeAnnotations returns the annotations after `kubectl apply`: it removes those that were applied
// before and are not any more, and leaves all others.
func mergeAnnotations(svc, live *corev1.Service) map[string]string {
	var last corev1.Service
	// Without a record, or with one that cannot be read, nothing is removed.
	_ = yaml.Unmarshal([]byte(live.Annotations[corev1.LastAppliedConfigAnnotation]), &last)
	merged := map[string]string{}
	for key, value := range live.Annotations {
		if _, applied := last.Annotations[key]; !applied {
			merged[key] = value
		}
	}
	maps.Copy(merged, svc.Annotations)
	return merged
}

func orLive(given, live []corev1.IPFamily) []corev1.IPFamily {
	if len(given) > 0 {
		return given
	}
	return live
}

// portKey is what tells the ports of a Service apart.
type portKey struct {
	protocol corev1.Protocol
	port     int32
}

func keyOf(p corev1.ServicePort) portKey {
	return portKey{cmp.Or(p.Protocol, corev1.ProtocolTCP), p.Port}
}

// setDefaults fills in what the API server does, with node ports of the Service in the cluster
// or, where it has none, examples.
func setDefaults(spec *corev1.ServiceSpec, ports map[portKey]int32) (invented bool) {
	spec.Type = cmp.Or(spec.Type, corev1.ServiceTypeClusterIP)
	spec.SessionAffinity = cmp.Or(spec.SessionAffinity, corev1.ServiceAffinityNone)
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
	if spec.Type != corev1.ServiceTypeLoadBalancer {
		return false
	}
	spec.ExternalTrafficPolicy = cmp.Or(spec.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster)
	next := int32(exampleNodePort)
	take := func() int32 { next++; invented = true; return next }
	allocates := spec.AllocateLoadBalancerNodePorts == nil || *spec.AllocateLoadBalancerNodePorts
	for n := range spec.Ports {
		p := &spec.Ports[n]
		p.Protocol = cmp.Or(p.Protocol, corev1.ProtocolTCP)
		if p.NodePort = cmp.Or(p.NodePort, ports[keyOf(*p)]); p.NodePort == 0 && allocates {
			p.NodePort = take()
		}
	}
	if spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal && spec.HealthCheckNodePort == 0 {
		spec.HealthCheckNodePort = take()
	}
	return invented
}

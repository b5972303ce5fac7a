package main

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// row is one line of the picture: a fact about a Node or about the Service.
type row struct {
	subject, fact string
	value         func(*side) string
}

const (
	shutdownTaint = "node.cloudprovider.kubernetes.io/shutdown"

	serviceName = "hello"
	servicePort = 8080
	nothing     = "–"
)

// rows returns what is shown.
func rows(c cloud) []row {
	var list []row
	for _, name := range nodeNames {
		for _, f := range []struct {
			name string
			of   func(*corev1.Node) string
		}{
			{"state", state}, {"taints", cloudTaints}, {"provider-ID", providerID},
			{"region, zone", topology}, {"addresses", addressList},
		} {
			list = append(list, row{name, f.name, func(s *side) string { return fact(s, name, f.of) }})
		}
	}
	if c.hasBalancers() {
		list = append(list, row{serviceName, "external IP", func(s *side) string { return externalIP(s.service) }})
	}
	if c.carriesTraffic() {
		list = append(list, row{serviceName, "answers", func(s *side) string { return orNothing(s.answer.nodes) }})
	}
	return list
}

// fact returns a fact about a Node that is there.
func fact(s *side, name string, of func(*corev1.Node) string) string {
	node, joined := s.nodes[name]
	switch {
	case !joined:
		return ""
	case node == nil:
		return gone
	default:
		return of(node)
	}
}

// gone stands for every fact about a Node that was removed.
const gone = "removed"

func orNothing(text string) string {
	if text == "" {
		return nothing
	}
	return text
}

func state(node *corev1.Node) string {
	if isReady(node) {
		return "Ready"
	}
	return "NotReady"
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

func hasTaint(node *corev1.Node, key string) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

// cloudTaints names the taints that a CCM takes away and sets.
func cloudTaints(node *corev1.Node) string {
	var list []string
	for _, taint := range []struct{ key, name string }{
		{controlplane.UninitializedTaint, "uninitialized"},
		{shutdownTaint, "shutdown"},
	} {
		if hasTaint(node, taint.key) {
			list = append(list, taint.name)
		}
	}
	return orNothing(strings.Join(list, ", "))
}

func providerID(node *corev1.Node) string { return orNothing(node.Spec.ProviderID) }

func topology(node *corev1.Node) string {
	var list []string
	for _, label := range []string{corev1.LabelTopologyRegion, corev1.LabelTopologyZone} {
		if value := node.Labels[label]; value != "" {
			list = append(list, value)
		}
	}
	return orNothing(strings.Join(list, ", "))
}

func addressList(node *corev1.Node) string { return orNothing(strings.Join(ips(node), ", ")) }

func ips(node *corev1.Node) []string {
	var list []string
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			list = append(list, a.Address)
		}
	}
	return list
}

// externalIP returns what kubectl shows.
func externalIP(service *corev1.Service) string {
	switch {
	case service == nil:
		return ""
	case len(service.Status.LoadBalancer.Ingress) == 0:
		return "<pending>"
	default:
		return cmp.Or(service.Status.LoadBalancer.Ingress[0].IP, service.Status.LoadBalancer.Ingress[0].Hostname)
	}
}

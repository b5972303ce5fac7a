package controlplane

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// UninitializedTaint is the key of the taint that a kubelet with
	// --cloud-provider=external registers with, value "true", effect
	// NoSchedule, and that a cloud-controller-manager takes away.
	UninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"
	// ProvidedNodeIP is the annotation in which a kubelet passes on its
	// --node-ip.
	ProvidedNodeIP = "alpha.kubernetes.io/provided-node-ip"

	// joinConcurrency is how many nodes JoinNodes creates at a time.
	joinConcurrency = 32
)

// NodeOptions say how the kubelet of a simulated node is started and what it
// reports. Only Name is required.
type NodeOptions struct {
	Name string
	// ProviderID is the kubelet's --provider-id.
	ProviderID string
	// ProvidedNodeIP is the kubelet's --node-ip: an address, or an IPv4 and an
	// IPv6 address with a comma between. The node then also reports them as
	// its first addresses.
	ProvidedNodeIP string
	// Labels are the kubelet's --node-labels. Unlike a real kubelet's they
	// may be any label.
	Labels map[string]string
	// Annotations are set as if somebody had annotated the node at once.
	Annotations map[string]string
	// Taints are the kubelet's --register-with-taints.
	Taints []corev1.Taint
	// Zone, Region and InstanceType are set as the labels that a cloud gives a
	// node, for nodes that were initialised before the test starts.
	Zone, Region, InstanceType string
	// PodCIDRs is the node's pod range, one per IP family.
	PodCIDRs []string
	// Ready is the first state of the Ready condition. A kubelet starts not
	// ready, which is the default.
	Ready bool
	// Initialized leaves out the uninitialized taint.
	Initialized bool
}

// JoinNode creates the Node that a kubelet with --cloud-provider=external
// registers, in one write, status included. The API server itself adds the
// taint node.kubernetes.io/not-ready to every new node, and only the
// controller [NodeLifecycle] takes it away.
func (cp *ControlPlane) JoinNode(ctx context.Context, opts NodeOptions) (*corev1.Node, error) {
	node, err := cp.client.CoreV1().Nodes().Create(ctx, opts.node(), metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("join node %s: %w", opts.Name, err)
	}
	return node, nil
}

// JoinNodes joins many nodes, 32 at a time. It stops at the first error.
func (cp *ControlPlane) JoinNodes(ctx context.Context, nodes []NodeOptions) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(joinConcurrency)
	for _, opts := range nodes {
		group.Go(func() error {
			_, err := cp.JoinNode(ctx, opts)
			return err
		})
	}
	return group.Wait()
}

// node returns the Node object of a kubelet's registration.
func (o NodeOptions) node() *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Labels: o.labels(), Annotations: o.annotations()},
		Spec:       corev1.NodeSpec{ProviderID: o.ProviderID, Taints: o.taints(), PodCIDRs: o.PodCIDRs},
		Status: corev1.NodeStatus{
			Capacity:    capacity(),
			Allocatable: capacity(),
			Conditions:  conditions(o.Ready),
			Addresses:   o.addresses(),
			NodeInfo:    nodeInfo(o.Name),
		},
	}
	if len(o.PodCIDRs) > 0 {
		node.Spec.PodCIDR = o.PodCIDRs[0]
	}
	return node
}

func (o NodeOptions) labels() map[string]string {
	labels := map[string]string{
		corev1.LabelHostname:      o.Name,
		corev1.LabelOSStable:      "linux",
		corev1.LabelArchStable:    "amd64",
		"beta.kubernetes.io/os":   "linux",
		"beta.kubernetes.io/arch": "amd64",
	}
	for label, value := range map[string]string{
		corev1.LabelTopologyZone:       o.Zone,
		corev1.LabelTopologyRegion:     o.Region,
		corev1.LabelInstanceTypeStable: o.InstanceType,
	} {
		if value != "" {
			labels[label] = value
		}
	}
	maps.Copy(labels, o.Labels)
	return labels
}

func (o NodeOptions) annotations() map[string]string {
	annotations := map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
	if o.ProvidedNodeIP != "" {
		annotations[ProvidedNodeIP] = o.ProvidedNodeIP
	}
	maps.Copy(annotations, o.Annotations)
	return annotations
}

func (o NodeOptions) taints() []corev1.Taint {
	taints := append([]corev1.Taint(nil), o.Taints...)
	if !o.Initialized {
		taints = append(taints, corev1.Taint{
			Key: UninitializedTaint, Value: "true", Effect: corev1.TaintEffectNoSchedule,
		})
	}
	return taints
}

func (o NodeOptions) addresses() []corev1.NodeAddress {
	var addresses []corev1.NodeAddress
	if o.ProvidedNodeIP != "" {
		for ip := range strings.SplitSeq(o.ProvidedNodeIP, ",") {
			addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
		}
	}
	return append(addresses, corev1.NodeAddress{Type: corev1.NodeHostName, Address: o.Name})
}

func capacity() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("2"),
		corev1.ResourceMemory:           resource.MustParse("4Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("40Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
}

func nodeInfo(name string) corev1.NodeSystemInfo {
	return corev1.NodeSystemInfo{
		MachineID:               name,
		SystemUUID:              name,
		BootID:                  name,
		KernelVersion:           "6.1.0",
		OSImage:                 "Debian GNU/Linux 12 (bookworm)",
		ContainerRuntimeVersion: "containerd://2.1.4",
		KubeletVersion:          "v1.37.2",
		OperatingSystem:         "linux",
		Architecture:            "amd64",
	}
}

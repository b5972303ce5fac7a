package target

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Machines finds the machines behind nodes.
type Machines interface {
	// Lookup returns the machines the cloud has. An id missing from the answer was not
	// found by a direct read; with an error the answer may hold a part of them.
	Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error)
	// ByName returns the machines of nodes without provider-ID, by the name of the node: those
	// of which there is exactly one. With an error the answer may hold a part of them.
	ByName(ctx context.Context, names []string) (map[string]cloud.Instance, error)
	// Addresses returns the addresses of all machines of a list that was read just now and is
	// believed to be whole.
	Addresses(ctx context.Context) (map[string]bool, error)
	// ProviderID returns the id in a node's provider-ID.
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Nodes know the Nodes and their machines.
type Nodes struct {
	Machines Machines
	// Nodes returns all Nodes of the cluster, whosever they are.
	Nodes func() []*corev1.Node
	// Concerns reports whether a provider-ID is one of this cloud.
	Concerns func(providerID string) bool
	// Trust returns nil when the credentials certainly see what they saw before.
	Trust func(context.Context) error
}

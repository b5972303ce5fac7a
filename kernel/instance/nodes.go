package instance

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// nodes knows which Nodes are ours, and which machines they name.
type nodes struct {
	cloud    string
	concerns func(providerID string) bool
	parse    func(*corev1.Node) (cloud.InstanceID, error)
	// fromNode returns the machine of a Node that only the Node describes.
	fromNode func(*corev1.Node) (cloud.Instance, bool)
	// completer is nil where the cloud tells all addresses.
	completer cloud.Completer
	// complete is Complete.
	complete func(cloud.Instance, *corev1.Node) cloud.Instance
	// describe says that Nodes tell of machines what the cloud does not.
	describe bool
	// list returns all Nodes of the view, version changes when they do, see Options.
	list    func() []*corev1.Node
	version func() int64
	grace   time.Duration

	mu      sync.Mutex
	at      time.Time
	counted nodeCount
}

// nodeCount counts our Nodes.
type nodeCount struct {
	total int
	// watched are those the framework asks for every few seconds and that could be judged gone.
	watched []ownNode
}

// count counts at most once a second: with thousands of Nodes and a question for each, counting
// for every question would cost more than the answers.
func (n *nodes) count() nodeCount {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.at) < time.Second {
		return n.counted
	}
	own := n.own()
	n.at, n.counted = time.Now(), nodeCount{total: len(own)}
	n.counted.watched = slices.DeleteFunc(own, func(node ownNode) bool {
		return node.Spec.ProviderID == "" || Ready(node.Node) || n.protected(node.Node)
	})
	return n.counted
}

func (n *nodes) owner(node *corev1.Node) Ownership { return Owner(node, n.concerns) }

// foreign reports whether the Node is not ours to say anything about.
func (n *nodes) foreign(node *corev1.Node) bool {
	owner := n.owner(node)
	return owner == Foreign || owner == OptedOut
}

// ownNode is a Node of ours; id is "" when it names no machine.
type ownNode struct {
	*corev1.Node
	id cloud.InstanceID
}

// own returns our Nodes whose machines the cloud knows.
func (n *nodes) own() []ownNode {
	list := n.list()
	own := make([]ownNode, 0, len(list))
	for _, node := range list {
		if n.owner(node) != Mine {
			continue
		}
		if _, described := n.fromNode(node); described {
			continue
		}
		var id cloud.InstanceID
		if node.Spec.ProviderID != "" {
			id, _ = n.parse(node)
		}
		own = append(own, ownNode{node, id})
	}
	return own
}

// machinesOf returns the Nodes by machine.
func machinesOf(own []ownNode) map[cloud.InstanceID]types.UID {
	all := make(map[cloud.InstanceID]types.UID, len(own))
	for _, node := range own {
		if node.id != "" {
			all[node.id] = node.UID
		}
	}
	return all
}

// id returns the machine that a Node's provider-ID names.
func (n *nodes) id(node *corev1.Node) (cloud.InstanceID, error) {
	providerID := node.Spec.ProviderID
	if providerID == "" {
		return "", fmt.Errorf("node %s has no provider-ID yet", node.Name)
	}
	if owner := n.owner(node); owner != Mine {
		return "", &NotMineError{Node: node.Name, ProviderID: providerID, Cloud: n.cloud, Owner: owner}
	}
	if machine, described := n.fromNode(node); described {
		return machine.ID, nil
	}
	id, err := n.parse(node)
	if err != nil {
		return "", fmt.Errorf("provider-ID %q of node %s: %w", providerID, node.Name, err)
	}
	return id, nil
}

// protected Nodes are never judged gone: clouds show new machines late, and a Node that
// is not initialised yet has not been matched with a machine by anybody.
func (n *nodes) protected(node *corev1.Node) bool {
	return time.Since(node.CreationTimestamp.Time) < n.grace || Uninitialized(node)
}

// NotMineError says that a Node belongs to nobody or to another cloud.
type NotMineError struct {
	Node, ProviderID, Cloud string
	Owner                   Ownership
}

func (e *NotMineError) Error() string {
	switch e.Owner {
	case OptedOut:
		return fmt.Sprintf("node %s has a label that keeps cloud controllers away from it", e.Node)
	case Unmanaged:
		return fmt.Sprintf("node %s has no provider-ID and its kubelet runs without --cloud-provider=external", e.Node)
	default:
		return fmt.Sprintf("provider-ID %q of node %s is not one of %s", e.ProviderID, e.Node, e.Cloud)
	}
}

// Announcement is the taint of the Cluster Autoscaler, which says when it chose the Node. One that
// it left behind says nothing about today. Karpenter deletes the Node before its machine. A cordon is
// no announcement: people cordon Nodes in an outage too.
const (
	Announcement    = "ToBeDeletedByClusterAutoscaler"
	announcementTTL = 2 * time.Hour
)

// announced reports whether somebody in the cluster said that the Node's machine would go.
func announced(node *corev1.Node) bool {
	return node.DeletionTimestamp != nil || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		at, err := strconv.ParseInt(t.Value, 10, 64)
		return t.Key == Announcement && err == nil && time.Since(time.Unix(at, 0)).Abs() < announcementTTL
	})
}

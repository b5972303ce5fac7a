package framework

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	servicecontroller "k8s.io/cloud-provider/controllers/service"
)

// targetEvents tell the service controller about Nodes. Upstream's own handler queues each
// Node, and for each Node compares all Nodes with those of all Services: one trigger after
// a burst does the same work once. Upstream compares names and provider-IDs only, so what
// else can change a balancer's targets makes the Services be ensured again.
//
//	Node                                       effect after the window
//	added, deleted, being deleted              trigger
//	provider-ID, exclusion label, deletion
//	taint of the cluster autoscaler            trigger
//	addresses it already had                   ensure all
//	labels                                     ensure those that select nodes
//	anything else (heartbeats, cordon, …)      none
type targetEvents struct {
	membership burst
	addresses  burst
	labels     burst
}

// newTargetEvents returns the handler in front of upstream's. ensureAll and ensureSelecting
// queue Services.
func newTargetEvents(window time.Duration, next cache.ResourceEventHandler, ensureAll, ensureSelecting func()) *targetEvents {
	return &targetEvents{
		membership: burst{window: window, fire: func() { next.OnAdd(anyNode, false) }},
		addresses:  burst{window: window, fire: ensureAll},
		labels:     burst{window: window, fire: ensureSelecting},
	}
}

// anyNode is the trigger: an addition is queued whatever the Node, and only its name.
var anyNode = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "any"}}

var _ cache.ResourceEventHandler = (*targetEvents)(nil)

func (t *targetEvents) OnAdd(any, bool) { t.membership.note() }

func (t *targetEvents) OnDelete(any) { t.membership.note() }

func (t *targetEvents) OnUpdate(before, after any) {
	old, ok := before.(*corev1.Node)
	node, ok2 := after.(*corev1.Node)
	switch {
	case !ok || !ok2:
	case membership(old) != membership(node):
		t.membership.note()
	default:
		if had := ips(old); len(had) > 0 && !slices.Equal(had, ips(node)) {
			t.addresses.note()
		}
		if !maps.Equal(old.Labels, node.Labels) {
			t.labels.note()
		}
	}
}

// candidate is what decides whether a Node is handed to balancers, and as which machine.
type candidate struct {
	uid        string
	providerID string
	named      bool // to be found by name
	leaving    bool
	excluded   bool
}

func membership(node *corev1.Node) candidate {
	return candidate{
		uid:        string(node.UID),
		providerID: node.Spec.ProviderID,
		named:      node.Spec.ProviderID == "" && !uninitialized(node),
		leaving:    node.DeletionTimestamp != nil || tainted(node, servicecontroller.ToBeDeletedTaint),
		excluded:   excluded(node),
	}
}

// excluded reads the label as upstream does: "false" includes, nonsense excludes.
func excluded(node *corev1.Node) bool {
	value, ok := node.Labels[corev1.LabelNodeExcludeBalancers]
	if !ok {
		return false
	}
	exclude, err := strconv.ParseBool(value)
	return err != nil || exclude
}

// ips returns the IP addresses of a Node, sorted.
func ips(node *corev1.Node) []string {
	var found []string
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			found = append(found, string(a.Type)+" "+a.Address)
		}
	}
	slices.SortFunc(found, strings.Compare)
	return found
}

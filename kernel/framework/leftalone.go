package framework

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// lookEvery is how often all Nodes are looked at.
const lookEvery = time.Minute

// mostNamed is how many machines are asked for by the names of Nodes in each look: each may cost a request, which new Nodes
// need more.
const mostNamed = 3

// mostTold is how many Nodes are told in each look of another part of the cloud: the queue of events holds a thousand, and
// drops what is too much, Warnings of others too.
const mostTold = 50

// mostPause is how long a Node waits at most that is asked for again. It begins with one look, and doubles.
const mostPause = time.Hour

// namer finds the machines of Nodes without provider-ID; *instance.Inventory does.
type namer interface {
	ByName(ctx context.Context, nodes []*corev1.Node) (map[string]cloud.Instance, error)
}

// leftAlone tells Nodes once that nothing is done for them.
//
//	the Node                                            told
//	its provider-ID is of another provider              never: it is somebody else's
//	its provider-ID is of this provider, and of a part  that these credentials do not see its machine
//	 that the credentials are not for
//	has neither provider-ID nor taint                   that no machine has its name, unless one has
//	a label keeps cloud controllers away                never: somebody wanted that
//
// A young Node may get a provider-ID yet, from whoever it belongs to.
type leftAlone struct {
	cloud    *run.Cloud
	machines namer
	calls    *drain.Drain
	// nodes are all Nodes of the cluster.
	nodes  func() []*corev1.Node
	events event.Recorder
	// grace is how old a Node has to be.
	grace time.Duration
	// done are the Nodes, by UID, of which all is said.
	done map[types.UID]bool
	// failed are the Nodes, by UID, for whose machines the cloud gave no answer.
	failed map[types.UID]failure
}

// failure says when a machine is asked for again that the cloud gave no answer for. It may be the name that it refuses: others
// don't wait for it.
type failure struct {
	pause time.Duration
	due   time.Time
}

// run looks at all Nodes from time to time, until ctx ends.
func (l *leftAlone) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
			l.look(ctx)
		}
	}
}

// look tells the Nodes that were not told yet, as many as is fit at once.
func (l *leftAlone) look(ctx context.Context) {
	done, failed, unnamed, told := map[types.UID]bool{}, map[types.UID]failure{}, []*corev1.Node{}, 0
	for _, node := range l.nodes() {
		switch {
		case l.done[node.UID]:
			done[node.UID] = true
		case time.Since(node.CreationTimestamp.Time) < l.grace:
		case instance.Unseen(l.cloud, node):
			if told < mostTold {
				l.tell(node, fmt.Sprintf("its provider-ID %s is of a project, account or region of %s that these credentials are not for", node.Spec.ProviderID, l.cloud.Name))
				done[node.UID] = true
				told++
			}
		case instance.Owner(node, l.cloud.Concerns) == instance.Unmanaged:
			before, again := l.failed[node.UID]
			if again {
				failed[node.UID] = before
			}
			if !time.Now().Before(before.due) {
				unnamed = append(unnamed, node)
			}
		}
	}
	l.done, l.failed = done, failed
	slices.SortStableFunc(unnamed, func(a, b *corev1.Node) int { return failed[a.UID].due.Compare(failed[b.UID].due) })
	for _, node := range unnamed[:min(len(unnamed), mostNamed)] {
		l.lookForMachine(ctx, node)
	}
}

// lookForMachine tells a Node whose name no machine has. Where the cloud does not answer it is looked at again, less and less often.
func (l *leftAlone) lookForMachine(ctx context.Context, node *corev1.Node) {
	found, err := drain.Track(ctx, l.calls, cloud.PriorityRefresh, func(ctx context.Context) (map[string]cloud.Instance, error) {
		return l.machines.ByName(ctx, []*corev1.Node{node})
	})
	if err != nil {
		pause := min(max(lookEvery, 2*l.failed[node.UID].pause), mostPause)
		l.failed[node.UID] = failure{pause: pause, due: time.Now().Add(pause)}
		return
	}
	if _, named := found[node.Name]; !named {
		l.tell(node, l.unnamed())
	}
	l.done[node.UID] = true
	delete(l.failed, node.UID)
}

// unnamed says why a Node is left alone that has neither provider-ID nor taint.
func (l *leftAlone) unnamed() string {
	if l.cloud.Descriptor.Offline {
		return "it has no provider-ID, and its kubelet registered without --cloud-provider=external"
	}
	return fmt.Sprintf("it has no provider-ID, its kubelet registered without --cloud-provider=external, and not exactly one machine of %s has its name", l.cloud.Name)
}

func (l *leftAlone) tell(node *corev1.Node, why string) {
	l.events.Record(event.About("Node", node), event.NodeLeftAlone, "nothing is done for this Node: "+why)
}

// Package certificate approves the serving certificates that kubelets ask for, where the cloud proves whose the names and addresses in
// them are. See package judge for what has to hold.
//
// Requests are judged in rounds, one of each Node in a round: its latest one. All of a round share one list of machines, which begins
// after the last of them was made. The more often a Node asks, the longer it waits for its next turn, and nobody waits for another Node.
package certificate

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/certificate/judge"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Machines is what is asked about the machines of a cloud.
type Machines interface {
	// Listed returns all machines, of a list that began at since or later, that is complete and believed.
	Listed(ctx context.Context, since time.Time) ([]cloud.Instance, error)
	// Trust returns nil where the credentials with which a part of the cloud is read, see cloud.Partition, certainly see the account
	// that they saw before. What it reads begins after it was called.
	Trust(ctx context.Context, part string) error
}

// Requests are the CertificateSigningRequests of a cluster; the typed client is.
type Requests interface {
	Get(ctx context.Context, name string, o metav1.GetOptions) (*certificatesv1.CertificateSigningRequest, error)
	Patch(ctx context.Context, name string, of types.PatchType, data []byte, o metav1.PatchOptions, subresources ...string) (*certificatesv1.CertificateSigningRequest, error)
}

// DefaultMostLife is a year, and a day for leap years.
const DefaultMostLife = 366 * 24 * time.Hour

// Options are what an Approver works with. Those without a comment that says otherwise are required.
type Options struct {
	Cloud    *run.Cloud
	Machines Machines
	Requests Requests
	// Nodes returns all Nodes of the cluster, of whatever cloud, from a synced cache. Node reads one from the API server.
	Nodes func() []*corev1.Node
	Node  func(ctx context.Context, name string) (*corev1.Node, error)
	// Reserve may be empty: the names, addresses, networks and servers that the operator reserves, see judge.Reserve. Reserved returns
	// those of the API server and of Services as they are now, the server in the ConfigMap kube-public/cluster-info among them.
	Reserve  []string
	Reserved func(ctx context.Context) ([]string, error)
	// Report is told of each decision about a Node of this cloud, by one goroutine at a time.
	Report func(Outcome)
	// Networks may be empty, see judge.Facts.
	Networks []netip.Prefix
	// MostLife is the longest life of a certificate that may be asked for, 0 for DefaultMostLife.
	MostLife time.Duration
	// Deny has requests denied that contradict the cloud twice.
	Deny bool
}

// Outcome is what became of one turn of a request. What is judge.Approved, or Denied, was written.
type Outcome struct {
	judge.Decision
	// Request is its name, which its maker chose.
	Request string
	// Node is nil where there is none.
	Node *corev1.Node
	// Denied says that it was denied, Waited how long ago this process saw it first.
	Denied bool
	Waited time.Duration
	// New says that the request waits for somebody, and that this is to be told on the Node: the reason is another one than before, or
	// the request is, and an hour has passed.
	New bool
	// Err is why a decision is judge.Failed.
	Err error
}

// String is the message for people.
func (o Outcome) String() string {
	text := fmt.Sprintf("the request %q for a serving certificate is not approved: %s", cloud.Shorten(o.Request, cloud.MostOfValue), o.Message)
	if command := Approval(o.Request); command != "" {
		text += "; to approve it all the same: " + command
	}
	return text
}

// Approver judges requests. It is the cache.ReflectorStore of a list and watch of them, whose transformer is Trim. It is safe for
// concurrent use.
type Approver struct {
	Options
	queue queue
}

// New returns an Approver that knows of no request. An error is about Options.Reserve.
func New(o Options) (*Approver, error) {
	o.MostLife = cmp.Or(o.MostLife, DefaultMostLife)
	_, err := judge.Reserve(o.Reserve...)
	return &Approver{Options: o, queue: queue{waiting: map[string]*waiting{}, changed: make(chan struct{}, 1)}}, err
}

// Oldest returns how long, until now, the Node of this cloud waits that waits longest; 0 where none waits.
func (a *Approver) Oldest(now time.Time) time.Duration { return a.queue.oldest(now) }

// Run judges requests until ctx ends.
func (a *Approver) Run(ctx context.Context) {
	ctx = cloud.WithPriority(ctx, cloud.PriorityChange)
	for ctx.Err() == nil {
		now := time.Now()
		if next := a.queue.next(now); next.After(now) {
			a.queue.wait(ctx, next)
			continue
		}
		a.round(ctx, a.queue.take(now))
	}
}

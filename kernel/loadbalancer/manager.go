// Package loadbalancer brings the load balancer of a Service to what the Service asks for. One run for one Service is a reconciliation,
// in phases that each have a file:
//
//	what the Service asks for           request
//	what the last run left              resume.go   the phase of what is remembered, see state.Phase
//	what needs no reading to be said    refuse.go
//	which fact is missing, or what      decide      a pure function of the case: its answer is an action, and to look for a fact is
//	 has to be done                                  one of the actions
//	look for a fact                     look.go, find.go, list.go, made.go
//	do what was decided                 perform.go, write.go, creation.go
//	say what it came to                 report.go
//	give the load balancer up           delete.go
//	look after a second load balancer   second.go
//
// It observes first and writes differences only, touches nothing it does not own, opens before it closes, and says on the Service
// whatever it could not do. Plan, dry run and live run look and decide alike.
//
// What is read is judged by packages that neither read nor write, but for the reading of machines and of bulk lists:
//
//	package      what it answers
//	request      what the Service asks for
//	target       which machines are targets, and which targets stay until there is proof
//	refused      which machines the cloud has refused as targets, and which are asked for next
//	bulklist     what all balancers are, read once for many Services
//	owner        whose a balancer is, and who uses it
//	state        what this process remembers of the Service
//	decide       what has to be done
//	difference   what differs between two balancers, in the order in which it is changed
//	replacement  what the Service records of a replacement that has begun
//	status       what the Service is told
//	problem      what is wrong, and what is said in events
package loadbalancer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/bulklist"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Options are what a Manager works with. All are required except Nodes, Trust, Services and Adoption.
type Options struct {
	// Cloud must have Balancers.
	Cloud    *run.Cloud
	Machines target.Machines
	// Nodes returns all Nodes of the cluster, whosever they are; nil knows none.
	Nodes     func() []*corev1.Node
	Executor  *run.Executor
	ClusterID string
	// FormerClusterIDs are ids that the cluster had before.
	FormerClusterIDs []string
	Events           event.Recorder
	Metrics          metric.Sink
	// Trust returns nil when the credentials certainly see what they saw before. It is asked
	// before a balancer is believed to be gone; nil always trusts.
	Trust func(context.Context) error
	// Services returns all Services of the cluster, from a cache; nil knows of none. What another
	// Service publishes is not taken over, and nothing is made for a Service that is gone.
	Services func() []*corev1.Service
	// Adoption says what may be taken over.
	Adoption safety.Adoption
	// Record writes annotations on a Service; nil writes none.
	Record func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error
}

// Manager manages the load balancers of all Services of one cloud. It is safe for
// concurrent use; runs for the same Service wait for each other.
type Manager struct {
	cloud    *run.Cloud
	nodes    target.Nodes
	executor *run.Executor
	cluster  request.Cluster
	events   event.Recorder
	metrics  metric.Sink
	trust    trust
	record   func(context.Context, *corev1.Service, map[string]string) error
	owners   owner.Owners
	lists    *bulklist.Lists
	states   store
	// ownerWarnings are the pairs of Services of which the second was told that the first wanted its balancer.
	ownerWarnings *cache.Expiring
	// deleted are the balancers whose deletion was acknowledged while their creation still counts, see deletedID.
	deleted *cache.Expiring
	// lookups bounds how often is looked up what is wrong with Services that are refused without that.
	lookups *rate.Limiter
	// due are the UIDs of Services of which the next run compares everything, see Compare.
	due sync.Map
}

// Ten Services that are refused without a reading are looked up at once, and one more every ten seconds: the requests of one that
// nobody can serve must not keep others waiting, however many there are.
const (
	mostLookups  = 10
	lookupsEvery = 10 * time.Second
)

// New returns a Manager.
func New(o Options) *Manager {
	if o.Trust == nil {
		o.Trust = func(context.Context) error { return nil }
	}
	if o.Services == nil {
		o.Services = func() []*corev1.Service { return nil }
	}
	if o.Nodes == nil {
		o.Nodes = func() []*corev1.Node { return nil }
	}
	return &Manager{
		cloud: o.Cloud, executor: o.Executor, nodes: target.Nodes{Machines: o.Machines, Nodes: o.Nodes, Concerns: o.Cloud.Concerns, Trust: o.Trust, Recent: &target.Recent{}},
		cluster: request.Cluster{ID: o.ClusterID, Former: cloud.NewFormerClusters(o.FormerClusterIDs...)}, events: o.Events, metrics: o.Metrics, trust: trust{check: o.Trust}, record: o.Record,
		owners:        owner.Owners{Services: o.Services, Adoption: o.Adoption},
		lists:         bulklist.New(o.Cloud.BulkLister, func() int { return request.WithBalancer(o.Services()) }),
		ownerWarnings: cache.NewExpiring(), deleted: cache.NewExpiring(), lookups: rate.NewLimiter(rate.Every(lookupsEvery), mostLookups),
	}
}

// Compare has the next run for the Service look at its balancer although nothing has changed, see priority and refuse.
func (m *Manager) Compare(svc *corev1.Service) { m.due.Store(svc.UID, true) }

// Name returns the balancer name that upstream CCMs derive from a Service's UID.
func (m *Manager) Name(svc *corev1.Service) string { return cloud.UIDName(string(svc.UID)) }

// Holds reports whether the cloud has a balancer of the Service, or what is left of one, that says so by the UID of the Service. A
// name alone may be another controller's. It only reads. With any doubt it returns an error: a finalizer that is not ours is never removed, and a balancer
// that is said not to exist is never deleted.
func (m *Manager) Holds(ctx context.Context, svc *corev1.Service) (bool, error) {
	r, ctx, err := m.begin(ctx, svc, nil)
	if err != nil {
		return false, err
	}
	defer r.end()
	if r.Asked.Disowned {
		return false, nil
	}
	ctx = cloud.WithPriority(ctx, cloud.PriorityDeletion)
	r.Asked.SetDeleting()
	f, err := r.finder.find(ctx, r.finder.observe)
	if err != nil {
		return false, problem.Retryable(err)
	}
	o, us := f.Observed, r.Asked.Input.Owner
	if o.Found && (ownership.IsTagged(o.Owner, us) || o.Named || ownership.IsInName(o.Balancer.Name, us)) || o.Orphans {
		return true, nil
	}
	if made := r.finder.made(); made != nil {
		return false, r.finder.believe(made)
	}
	if err := m.trust.certain(ctx, r.began); err != nil {
		return false, fmt.Errorf("no balancer was found, but that proves nothing: %w", err)
	}
	return false, nil
}

// Get returns the status of the Service's balancer and whether there is one of ours. It
// only reads. With any doubt it returns an error, because a balancer that is said not to
// exist is never deleted. A balancer that belongs to somebody else does not count.
//
// Of a Service that gives its balancer up it says that there is one, and asks nobody: Delete follows, which
// looks by itself.
func (m *Manager) Get(ctx context.Context, svc *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	r, ctx, err := m.begin(ctx, svc, nil)
	if err != nil {
		return nil, false, err
	}
	defer r.end()
	if r.Asked.Disowned {
		return r.Asked.Present(), len(svc.Status.LoadBalancer.Ingress) > 0, nil
	}
	if request.IsDeleting(svc) {
		return r.Asked.Present(), true, nil
	}
	f, err := r.finder.findOwned(ctx, r.finder.read)
	if err != nil {
		return nil, false, r.failed(ctx, err)
	}
	r.say(f.Conflicts...)
	if !f.Observed.Found {
		return nil, false, nil
	}
	return status.Of(r.Asked, f.Observed), true, nil
}

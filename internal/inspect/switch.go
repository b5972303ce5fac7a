package inspect

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// FoundService is a Service that asks for a load balancer, with the one that it has.
type FoundService struct {
	Service *corev1.Service
	// Found is zero where the cloud has no load balancers, and where Err is not nil.
	Found loadbalancer.Explanation
	Err   error
	// Entry is what would be done.
	Entry plan.Entry
	// Status is what the Service is told then. It is nil where it is told nothing, or what the load balancer will be like is
	// not known before the plan is carried out.
	Status *corev1.LoadBalancerStatus
}

// FoundServices looks for the load balancers of all Services that ask for one, and for what would be
// done about them.
func (i *Inspector) FoundServices(ctx context.Context) []FoundService {
	var wanting []*corev1.Service
	for _, svc := range i.cluster.Services {
		if concerned(svc) {
			wanting = append(wanting, svc)
		}
	}
	return each(ctx, wanting, func(ctx context.Context, svc *corev1.Service) FoundService {
		f := FoundService{Service: svc}
		if !i.HasBalancers() {
			f.Entry.Cloud, f.Entry.Subject = i.cloud.Name, subject(svc)
			return f
		}
		f.Found, f.Err = i.balancers.Explain(ctx, svc, i.targets())
		f.Entry = i.Service(ctx, svc)
		f.Status = i.statusAfter(f)
		return f
	})
}

// statusAfter returns FoundService.Status.
func (i *Inspector) statusAfter(f FoundService) *corev1.LoadBalancerStatus {
	o := f.Found.Observed
	r := request.Read(f.Service, i.cloud, request.Cluster{})
	switch {
	case f.Err != nil, f.Entry.Error != nil, len(f.Found.Conflicts) > 0:
		return nil
	case !wants(f.Service), r.Untouched(), !o.Found, o.State == cloud.BalancerFailed:
		return nil
	case slices.ContainsFunc(f.Entry.Operations, changesConnections):
		return nil
	}
	return status.Of(&r, o)
}

// changesConnections reports whether an operation may change what a load balancer does to connections.
func changesConnections(op cloud.Operation) bool {
	switch {
	case op.Blocked != "", op.Kind != cloud.KindBalancer && op.Kind != cloud.KindListener:
		return false
	case op.Verb != cloud.Update:
		return true
	}
	harmless := []string{cloud.FieldOwnershipTags, cloud.FieldName, cloud.FieldAllow, cloud.FieldDeny}
	return !slices.Contains(harmless, op.Field) && !strings.HasPrefix(op.Field, "health.")
}

// Balancers looks for the load balancers of these Services, and for nothing else.
func (i *Inspector) Balancers(ctx context.Context, services []*corev1.Service) []FoundService {
	return each(ctx, services, func(ctx context.Context, svc *corev1.Service) FoundService {
		f := FoundService{Service: svc}
		f.Found, f.Err = i.balancers.Explain(ctx, svc, nil)
		return f
	})
}

// FoundNode is a Node of the cluster, with its machine.
type FoundNode struct {
	Node  *corev1.Node
	Owner instance.Ownership
	// Machine is zero where none was found, and of Nodes that are not this cloud's.
	Machine cloud.Instance
	// Entry is what would be done; for a Node that is not this cloud's it is nothing.
	Entry plan.Entry
}

// FoundNodes looks at all Nodes of the cluster, those of nobody and of other clouds too.
func (i *Inspector) FoundNodes(ctx context.Context) []FoundNode {
	gone := i.gone(ctx, i.mine())
	return each(ctx, i.cluster.Nodes, func(ctx context.Context, node *corev1.Node) FoundNode {
		f := FoundNode{Node: node, Owner: instance.Owner(node, i.cloud.Concerns)}
		if f.Owner != instance.Mine {
			f.Entry.Cloud, f.Entry.Subject = i.cloud.Name, "Node "+node.Name
			return f
		}
		f.Entry = i.node(ctx, node, gone[node.Name])
		if machine, err := i.inventory.Metadata(ctx, node); err == nil {
			f.Machine = machine
		}
		return f
	})
}

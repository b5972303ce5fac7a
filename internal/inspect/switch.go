package inspect

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
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
		return f
	})
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

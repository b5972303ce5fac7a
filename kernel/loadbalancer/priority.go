package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// priority returns a context whose calls to the cloud have the priority of the run, and are made for the Service's namespace:
//
//	the Service                                              priority
//	gives its balancer up                                    deletion
//	has a change that goes on, a balancer that is pending,   what has begun
//	 a replacement, or one that was made and has no address
//	has no balancer so far                                   creation
//	is to be compared with the cloud                         comparison, and its writes are changes
//	any other                                                change
func (r *reconciliation) priority(ctx context.Context, compares bool) context.Context {
	ctx = cloud.WithTenant(ctx, r.Asked.Service.Namespace)
	switch {
	case request.IsDeleting(r.Asked.Service):
		return cloud.WithPriority(ctx, cloud.PriorityDeletion)
	case r.begun():
		return cloud.WithPriority(ctx, cloud.PriorityBegun)
	case !r.expected():
		return cloud.WithPriority(ctx, cloud.PriorityCreation)
	case compares:
		return cloud.WithPriority(ctx, cloud.PriorityRefresh)
	}
	return cloud.WithPriority(ctx, cloud.PriorityChange)
}

// begun reports whether something that was begun for the Service has not ended, as far as the process or the Service remembers.
func (r *reconciliation) begun() bool {
	s := r.Memory
	made := s.Created != "" || r.Asked.Creation != nil
	return s.Running != nil || s.Rest != nil || !s.PendingSince.IsZero() || r.Asked.Replacing != nil || made && len(r.Asked.Service.Status.LoadBalancer.Ingress) == 0
}

package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// purpose returns a context whose calls to the cloud have the priority of the run, and are made for the Service's namespace:
//
//	the Service                                              priority
//	gives its balancer up                                    deletion
//	has a change that goes on, a balancer that is pending,   what has begun
//	 a replacement, or one that was made and has no address
//	has no balancer so far                                   creation
//	is to be compared with the cloud                         comparison, and its writes are changes
//	any other                                                change
func (p *finder) purpose(ctx context.Context, compares bool) context.Context {
	ctx = cloud.WithTenant(ctx, p.Service.Namespace)
	switch {
	case request.IsDeleting(p.Service):
		return cloud.WithPriority(ctx, cloud.PriorityDeletion)
	case p.begun():
		return cloud.WithPriority(ctx, cloud.PriorityBegun)
	case !p.expected():
		return cloud.WithPriority(ctx, cloud.PriorityCreation)
	case compares:
		return cloud.WithPriority(ctx, cloud.PriorityRefresh)
	}
	return cloud.WithPriority(ctx, cloud.PriorityChange)
}

// begun reports whether something that was begun for the Service has not ended, as far as the process or the Service remembers.
func (p *finder) begun() bool {
	s := p.state
	made := s.Created != "" || p.Creation != nil
	return s.Running != nil || s.Rest != nil || !s.PendingSince.IsZero() || p.Replacing != nil || made && len(p.Service.Status.LoadBalancer.Ingress) == 0
}

package inspect

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Plans returns what would be done for these Services, in their order, and not why: each reason may cost a forecast of its own.
// There have to be load balancers, see HasBalancers.
func (i *Inspector) Plans(ctx context.Context, services []*corev1.Service) []plan.Entry {
	targets := i.targets()
	return each(ctx, services, func(ctx context.Context, svc *corev1.Service) plan.Entry {
		entry := plan.Entry{Plan: plan.Plan{Cloud: i.cloud.Name, Subject: subject(svc)}}
		forecast, err := i.balancers.Forecast(ctx, svc, targets)
		add(&entry, forecast, err)
		return entry
	})
}

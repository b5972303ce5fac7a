package inspect

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cloud-provider/names"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/controller"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Services returns what would be done for each Service that has, or shall have, a load balancer
// of ours.
func (i *Inspector) Services(ctx context.Context) []plan.Entry {
	if !i.HasBalancers() {
		return nil
	}
	var wanting []*corev1.Service
	for _, svc := range i.cluster.Services {
		if concerned(svc) {
			wanting = append(wanting, svc)
		}
	}
	return each(ctx, wanting, i.Service)
}

// concerned reports whether the service controller does anything about the Service.
func concerned(svc *corev1.Service) bool {
	return svc.Spec.LoadBalancerClass == nil && (wants(svc) || leaves(svc))
}

func wants(svc *corev1.Service) bool {
	return svc.DeletionTimestamp == nil && svc.Spec.Type == corev1.ServiceTypeLoadBalancer
}

// leaves reports whether the Service gives a balancer up.
func leaves(svc *corev1.Service) bool { return servicehelper.HasLBFinalizer(svc) && !wants(svc) }

// Service returns what would be done for one Service.
func (i *Inspector) Service(ctx context.Context, svc *corev1.Service) plan.Entry {
	entry := plan.Entry{Plan: plan.Plan{Cloud: i.cloud.Name, Subject: subject(svc)}}
	switch {
	case !i.HasBalancers() || !concerned(svc):
		entry.Warnings = []plan.Warning{{Reason: event.ConfigurationIgnored.Name, Message: i.unconcerned(svc)}}
	case leaves(svc):
		i.leave(ctx, svc, &entry)
	default:
		i.ensure(ctx, svc, &entry)
	}
	return entry
}

// unconcerned says why nothing is done about a Service.
func (i *Inspector) unconcerned(svc *corev1.Service) string {
	switch {
	case i.balancers == nil:
		return "the cloud has no load balancers"
	case !i.HasBalancers():
		return "the controller " + names.ServiceLBController + " does not run (--controllers): nothing is done about Services"
	case svc.Spec.LoadBalancerClass != nil:
		return "its loadBalancerClass " + *svc.Spec.LoadBalancerClass + " belongs to another controller"
	default:
		return "it is not of type LoadBalancer"
	}
}

func subject(svc *corev1.Service) string { return "Service " + svc.Namespace + "/" + svc.Name }

// ensure plans what the Service asks for.
func (i *Inspector) ensure(ctx context.Context, svc *corev1.Service, entry *plan.Entry) {
	forecast, err := i.balancers.Forecast(ctx, svc, i.targets())
	forecast.Plan.Operations = i.explained(ctx, svc, forecast.Plan.Operations)
	add(entry, forecast, err)
}

// add puts into the entry what was found out about a Service: its operations with their steps, what
// would be said, and what is wrong. What the Service has to wait for is no failure, and is said.
func add(entry *plan.Entry, forecast loadbalancer.Forecast, err error) {
	entry.Operations, entry.Steps = forecast.Plan.Operations, forecast.Plan.Steps
	entry.Warnings = append(entry.Warnings, forecast.Warnings...)
	waits, ok := errors.AsType[*loadbalancer.Pending](err)
	said := ok && slices.ContainsFunc(forecast.Warnings, func(w plan.Warning) bool { return w.Message == waits.Reason })
	switch {
	case ok && waits.Err == nil && !said:
		entry.Warnings = append(entry.Warnings, plan.Warning{Reason: event.WaitingForNodes.Name, Message: waits.Error()})
	case ok && waits.Err == nil:
	default:
		entry.Error = plan.NewFailure(err)
	}
}

// leave plans the deletion of what the Service has. In this mode a deletion that would be made
// ends with an error, so that nobody believes the balancer gone.
func (i *Inspector) leave(ctx context.Context, svc *corev1.Service, entry *plan.Entry) {
	err := i.balancers.Delete(ctx, svc)
	entry.Operations = i.logged.take(entry.Subject)
	entry.Warnings = i.told.take(event.Object{Kind: "Service", Namespace: svc.Namespace, Name: svc.Name, UID: string(svc.UID)})
	if len(entry.Operations) == 0 {
		entry.Error = plan.NewFailure(err)
	}
}

// Routes returns what would be done about routes, and false when there are none to be made.
func (i *Inspector) Routes(ctx context.Context) (plan.Entry, bool) {
	if i.routes == nil {
		return plan.Entry{}, false
	}
	p, err := i.routes.Plan(ctx)
	return plan.Entry{Plan: p, Error: plan.NewFailure(err)}, true
}

// Firewall returns what would be done about the firewall, and false when there is none to manage.
func (i *Inspector) Firewall(ctx context.Context) (plan.Entry, bool) {
	if !i.firewall.Enabled() || !i.runs(controller.CloudFirewall) {
		return plan.Entry{}, false
	}
	p, err := i.firewall.Reconcile(ctx, i.cluster.Services, func(svc *corev1.Service) (cloud.Balancer, string, error) {
		if i.balancers == nil {
			return cloud.Balancer{}, "", errors.New("the cloud has no load balancers")
		}
		return i.balancers.Desired(ctx, svc, i.targets())
	})
	p.Subject = "Firewall"
	for n := range p.Operations {
		if p.Operations[n].Reason == "" {
			p.Operations[n].Reason = firewallReasons[p.Operations[n].Verb]
		}
	}
	return plan.Entry{Plan: p, Warnings: i.told.all(), Error: plan.NewFailure(err)}, true
}

var firewallReasons = map[cloud.Verb]string{
	cloud.Create: "a Service needs it", cloud.Update: "Services need it so", cloud.Delete: "no Service needs it",
}

// HasBalancers reports whether anything is done about load balancers.
func (i *Inspector) HasBalancers() bool {
	return i.balancers != nil && i.runs(names.ServiceLBController)
}

// HasNodes reports whether anything is done about Nodes.
func (i *Inspector) HasNodes() bool {
	return i.runs(names.CloudNodeController) || i.runs(names.CloudNodeLifecycleController)
}

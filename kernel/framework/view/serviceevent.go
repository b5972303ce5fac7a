package view

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// serviceEvents are what the service controller sees of Services.
//
//	before   after    seen as
//	visible  visible  the update, without annotations we wrote ourselves
//	hidden   visible  an addition
//	visible  hidden   an addition of the old one: the controller looks for it, finds it
//	                  gone, and removes the balancer it made
//	hidden   hidden   nothing
//	any      leaving  nothing, until its balancer is deleted
type serviceEvents struct {
	view *Services
	next cache.ResourceEventHandler
}

var _ cache.ResourceEventHandler = (*serviceEvents)(nil)

func (e *serviceEvents) OnAdd(obj any, initial bool) {
	svc := Object[*corev1.Service](obj)
	if svc == nil {
		return
	}
	e.view.notice(svc)
	if e.view.visible(svc) && !e.view.held(svc) {
		e.next.OnAdd(svc, initial)
	}
}

func (e *serviceEvents) OnUpdate(before, after any) {
	old, svc := Object[*corev1.Service](before), Object[*corev1.Service](after)
	if old == nil || svc == nil {
		return
	}
	was := e.view.visible(old)
	e.view.notice(old)
	e.view.notice(svc)
	switch is := e.view.visible(svc); {
	case is && old.UID == svc.UID && e.view.held(svc):
	case was && is:
		e.next.OnUpdate(e.view.withRecorded(old, svc), svc)
	case is:
		e.next.OnAdd(svc, false)
	case was:
		e.next.OnAdd(old, false)
	}
	if old.UID != svc.UID {
		e.view.forget(old)
	}
}

func (e *serviceEvents) OnDelete(obj any) {
	svc := Object[*corev1.Service](obj)
	if svc == nil {
		return
	}
	if e.view.visible(svc) {
		e.next.OnDelete(obj)
	}
	e.view.forget(svc)
}

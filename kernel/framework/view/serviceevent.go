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
	e.view.handedOver(svc)
	if shown := e.view.shown(svc); shown != nil && !e.view.held(shown) {
		e.next.OnAdd(shown, initial)
	}
}

func (e *serviceEvents) OnUpdate(before, after any) {
	old, svc := Object[*corev1.Service](before), Object[*corev1.Service](after)
	if old == nil || svc == nil {
		return
	}
	e.view.notice(old)
	was := e.view.shown(old)
	e.view.notice(svc)
	e.view.handedOver(svc)
	switch is := e.view.shown(svc); {
	case is != nil && old.UID == svc.UID && e.view.held(is):
	case was != nil && is != nil:
		e.next.OnUpdate(e.view.withRecorded(was, is), is)
	case is != nil:
		e.next.OnAdd(is, false)
	case was != nil:
		e.next.OnAdd(was, false)
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
	if e.view.shown(svc) != nil {
		e.next.OnDelete(obj)
	}
	e.view.forget(svc)
}

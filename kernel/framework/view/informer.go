package view

import (
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
)

// informer is a shared informer whose handlers see something else than what happens: wrap
// decides. Only handlers are decorated; use the view's lister, not its store.
type informer struct {
	cache.SharedIndexInformer
	wrap func(cache.ResourceEventHandler) cache.ResourceEventHandler
}

func (v *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandler(v.wrap(h))
}

func (v *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandlerWithResyncPeriod(v.wrap(h), resync)
}

func (v *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandlerWithOptions(v.wrap(h), o)
}

// handlers are those of a controller, kept to call them when nothing happened.
type handlers struct {
	mu  sync.Mutex
	all []cache.ResourceEventHandler
}

func (h *handlers) add(handler cache.ResourceEventHandler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, handler)
}

func (h *handlers) each(call func(cache.ResourceEventHandler)) {
	h.mu.Lock()
	all := h.all[:len(h.all):len(h.all)]
	h.mu.Unlock()
	for _, handler := range all {
		call(handler)
	}
}

// Object returns the object of an event, also of a deletion that was missed and found
// later. It is the zero T for anything else.
func Object[T any](obj any) T {
	if missed, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = missed.Obj
	}
	typed, _ := obj.(T)
	return typed
}

package framework

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// firewallEvents makes the loop follow Services, of which only the spec, the annotations and
// the status, which comes with the balancer, matter.
func firewallEvents(l *loop, window time.Duration) cache.ResourceEventHandler {
	changes := &burst{window: window, fire: l.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.note() },
		UpdateFunc: func(before, after any) {
			old, svc := unwrap[*corev1.Service](before), unwrap[*corev1.Service](after)
			if old != nil && svc != nil && old.ResourceVersion != svc.ResourceVersion {
				changes.note()
			}
		},
		DeleteFunc: func(any) { changes.note() },
	}
}

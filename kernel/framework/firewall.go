package framework

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
)

// firewallEvents makes the loop follow Services, of which only the spec, the annotations and
// the status, which comes with the balancer, matter.
func firewallEvents(l *loop, window time.Duration) cache.ResourceEventHandler {
	changes := &view.Burst{Window: window, Fire: l.changed}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changes.Note() },
		UpdateFunc: func(before, after any) {
			old, svc := view.Object[*corev1.Service](before), view.Object[*corev1.Service](after)
			if old != nil && svc != nil && old.ResourceVersion != svc.ResourceVersion {
				changes.Note()
			}
		},
		DeleteFunc: func(any) { changes.Note() },
	}
}

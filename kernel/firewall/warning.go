package firewall

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// warnings says each thing about a Service once, for as long as it holds: the firewall is
// computed again with every change of any Service.
type warnings struct {
	events     event.Recorder // may be nil
	said, news map[warning]bool
}

type warning struct{ uid, reason, message string }

func (r *warnings) warn(svc *corev1.Service, reason event.Reason, message string) {
	if message == "" || r.events == nil {
		return
	}
	if r.news == nil {
		r.news = map[warning]bool{}
	}
	this := warning{string(svc.UID), reason.Name, message}
	if !r.said[this] && !r.news[this] {
		object := event.Object{Kind: "Service", Namespace: svc.Namespace, Name: svc.Name, UID: string(svc.UID)}
		r.events.Record(object, reason, message)
	}
	r.news[this] = true
}

// round ends one pass over all Services.
func (r *warnings) round() { r.said, r.news = r.news, nil }

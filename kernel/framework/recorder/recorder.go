// Package recorder writes events into Kubernetes.
package recorder

import (
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Component is the source that `kubectl describe` shows for our events.
const Component = "multicloud-ccm"

// Recorder writes the events of the catalogue. Similar ones are joined, and a flood about one object
// is cut off: the client sends 25 and then one in five minutes. So that a state that lasts
// does not hide the next one, an equal event is sent again only after repeatAfter. Before it
// is started events are dropped.
type Recorder struct {
	// Broadcaster sends the events.
	Broadcaster record.EventBroadcaster
	recorder    record.EventRecorder

	mu sync.Mutex
	// sent are the events that were sent, of type sent.
	sent *cache.Expiring
}

// sent is an event that was sent.
type sent struct {
	object  event.Object
	reason  string
	message string
}

// repeatAfter is shorter than the hour that the API server keeps an event.
const repeatAfter = 30 * time.Minute

var _ event.Recorder = (*Recorder)(nil)

// New returns a recorder that has not started.
func New() *Recorder {
	broadcaster := record.NewBroadcaster(record.WithCorrelatorOptions(record.CorrelatorOptions{}))
	return &Recorder{
		Broadcaster: broadcaster,
		recorder:    broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: Component}),
		sent:        cache.NewExpiring(),
	}
}

// Start sends events from now on.
func (r *Recorder) Start(client typedcorev1.EventsGetter) {
	r.Broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.Events("")})
}

// Record implements [event.Recorder].
func (r *Recorder) Record(object event.Object, reason event.Reason, message string) {
	if plain := event.Plain(message); plain != message {
		klog.InfoS("An event in full", "reason", reason.Name, "kind", object.Kind, "object", klog.KRef(object.Namespace, object.Name), "message", cloud.Shorten(message, 4*event.MostOfMessage))
		message = plain
	}
	message = cloud.Shorten(message, event.MostOfMessage)
	if r.said(sent{object, reason.Name, message}) {
		return
	}
	kind := corev1.EventTypeNormal
	if reason.Warning {
		kind = corev1.EventTypeWarning
	}
	version := "v1"
	if object.Kind == "Lease" {
		version = coordinationv1.SchemeGroupVersion.String()
	}
	r.recorder.Event(&corev1.ObjectReference{
		APIVersion: version,
		Kind:       object.Kind,
		Namespace:  object.Namespace,
		Name:       object.Name,
		UID:        types.UID(object.UID),
	}, kind, reason.Name, message)
}

// said notes an event and reports whether an equal one was sent a while ago.
func (r *Recorder) said(e sent) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, said := r.sent.Get(e)
	if !said {
		r.sent.Set(e, true, repeatAfter)
	}
	return said
}

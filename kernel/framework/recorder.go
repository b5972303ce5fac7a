package framework

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// component is the source that `kubectl describe` shows for our events.
const component = "multicloud-ccm"

// recorder writes the events of the catalogue. Equal ones are counted, similar ones
// joined, and a flood about one object is cut off. Before it is started events are dropped.
type recorder struct {
	broadcaster record.EventBroadcaster
	recorder    record.EventRecorder
}

var _ event.Recorder = (*recorder)(nil)

func newRecorder() *recorder {
	broadcaster := record.NewBroadcaster(record.WithCorrelatorOptions(record.CorrelatorOptions{}))
	return &recorder{
		broadcaster: broadcaster,
		recorder:    broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component}),
	}
}

// start sends events from now on.
func (r *recorder) start(client typedcorev1.EventsGetter) {
	r.broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.Events("")})
}

func (r *recorder) Record(object event.Object, reason event.Reason, message string) {
	kind := corev1.EventTypeNormal
	if reason.Warning {
		kind = corev1.EventTypeWarning
	}
	r.recorder.Event(&corev1.ObjectReference{
		APIVersion: "v1",
		Kind:       object.Kind,
		Namespace:  object.Namespace,
		Name:       object.Name,
		UID:        types.UID(object.UID),
	}, kind, reason.Name, message)
}

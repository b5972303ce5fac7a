package instance

import (
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/absence"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// reporter tells users and operators. An event is written when what is to be said about a
// Node changes, not every time it is found out again.
type reporter struct {
	cloud   string
	events  event.Recorder
	metrics metric.Sink

	mu   sync.Mutex
	said map[string]string
}

func newReporter(cloud string, events event.Recorder, metrics metric.Sink) *reporter {
	return &reporter{cloud: cloud, events: events, metrics: metric.OrDiscard(metrics), said: map[string]string{}}
}

// tell writes an event on the Node unless topic is what was told last. The first step of a
// proof is told only where nothing else was: it comes again and again between denials. The
// error is turned into text only for an event that is written.
func (r *reporter) tell(node *corev1.Node, topic string, reason event.Reason, err error) {
	uid := string(node.UID)
	r.mu.Lock()
	last := r.said[uid]
	news := last != topic && (last == "" || topic != string(absence.Unconfirmed))
	if news {
		r.said[uid] = topic
	}
	r.mu.Unlock()
	if news && r.events != nil {
		r.events.Record(event.About("Node", node), reason, err.Error())
	}
}

// clear says that there is nothing more to tell about the Node.
func (r *reporter) clear(node *corev1.Node) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.said, string(node.UID))
}

func (r *reporter) prune(live map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.said, func(uid, _ string) bool { return !live[uid] })
}

func (r *reporter) count(d *metric.Definition, label string) { r.metrics.Add(d, 1, r.cloud, label) }

func (r *reporter) set(d *metric.Definition, value float64) { r.metrics.Set(d, value, r.cloud) }

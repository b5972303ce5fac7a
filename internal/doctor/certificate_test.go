package doctor

import (
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
)

// The requests of our Nodes that have waited long enough are told, the oldest first, each with the latest event of the controller.
func TestWaitingKubelets(t *testing.T) {
	now := time.Unix(100_000, 0)
	ago := func(minutes int) metav1.Time { return metav1.NewTime(now.Add(-time.Duration(minutes) * time.Minute)) }
	requests := map[string]*certificatesv1.CertificateSigningRequest{}
	for node, minutes := range map[string]int{"a": 10, "b": 30, "c": 20, "young": 4, "decided": 40, "stranger": 50} {
		requests[node] = &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{Name: "csr-" + node, CreationTimestamp: ago(minutes)}}
	}
	requests["decided"].Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved}}
	said := func(kind, name, reason, message string, minutes int) corev1.Event {
		return corev1.Event{InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name}, Reason: reason, Message: message, LastTimestamp: ago(minutes), Source: corev1.EventSource{Component: recorder.Component}}
	}
	waits := event.CertificateWaits.Name
	f := &facts{now: now, Options: Options{Patience: 5 * time.Minute}}
	f.certificates.value = requests
	f.events.value = []corev1.Event{
		said("Node", "b", waits, "old", 9), said("Node", "b", waits, "new", 2), said("Node", "b", waits, "older", 10), said("Node", "c", waits, "of c", 1),
		said("Service", "b", waits, "of a Service", 0), said("Node", "b", "Other", "of another reason", 0),
	}
	f.events.value = append(f.events.value, said("Node", "a", waits, "of a kubelet", 0))
	f.events.value[len(f.events.value)-1].Source.Component = "kubelet"
	var nodes []*corev1.Node
	for _, name := range []string{"a", "b", "c", "young", "decided", "silent"} {
		nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	const want = `b: request "csr-b" waits for 30m0s; an event says: "new"
c: request "csr-c" waits for 20m0s; an event says: "of c"
a: request "csr-a" waits for 10m0s`
	waiting, judged := waitingKubelets(f, nodes)
	if got := strings.Join(waiting, "\n"); got != want || !judged {
		t.Errorf("told are\n%s\nwant\n%s", got, want)
	}
}
